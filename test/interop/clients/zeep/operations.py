"""Calls each operation of $INPUTS with the example of its request, by the WSDL. Prints "ok", or the error."""

import base64
import datetime
import json
import os
import urllib.request

import zeep
from zeep import xsd


def typed(kind, value):
    """Returns a value as zeep wants it for a type of the schema."""
    if isinstance(value, list):
        wrapper = wrapper_of(kind, value)
        if wrapper is not None:
            return {wrapper.name: [typed(wrapper.type, each) for each in value]}
        return [typed(kind, each) for each in value]
    if isinstance(value, dict) and list(value) == ["base64"]:
        return base64.b64decode(value["base64"])
    if isinstance(value, dict):
        kinds = {name: element.type for name, element in kind.elements}
        if list(kinds) == ["entry"] and "entry" not in value:
            return {"entry": [{"key": key, "value": each} for key, each in value.items()]}
        return {name: typed(kinds[name], each) for name, each in value.items()}
    if isinstance(kind, xsd.DateTime):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if isinstance(kind, xsd.Date):
        return datetime.date.fromisoformat(value)
    return value


def wrapper_of(kind, items):
    """Returns the element of the items, if an element around them has this type: entries of a map have one."""
    elements = getattr(kind, "elements", [])
    if len(elements) != 1 or not elements[0][1].accepts_multiple:
        return None
    name, element = elements[0]
    return None if all(isinstance(each, dict) and list(each) == [name] for each in items) else element


client = zeep.Client(os.environ["WSDL"])
with open(os.environ["INPUTS"], encoding="utf-8") as file:
    inputs = json.load(file)
for each in inputs:
    name = each["operation"]
    urllib.request.urlopen(urllib.request.Request(os.environ["MOCK"] + "/_test/reset", method="POST")).read()
    try:
        body = client.service._binding.get(name).input.body.type
        client.service[name](**typed(body, each["input"]))
        print(name, "ok")
    except Exception as error:  # Whatever it is, the operation cannot be called.
        print(name, repr(error).replace("\n", " "))

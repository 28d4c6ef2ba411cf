"""A caller of the orders: zeep from their WSDL, no hand-written type."""

import sys

from requests import Session
from zeep import Client, Settings
from zeep.exceptions import Fault
from zeep.transports import Transport

_, endpoint, secret, number = sys.argv

session = Session()
session.headers.update({"X-API-Key": secret, "Idempotency-Key": f"key-of-the-order-{number}"})
service = Client(f"{endpoint}?wsdl", transport=Transport(session=session), settings=Settings(strict=True)).service
key = {"shop": "amsterdam", "number": number}
order = {**key, "item": "Zoë <&> Ω", "quantity": 3}


def fault(call):
    try:
        call()
        return "none"
    except Fault as thrown:
        return thrown.message


def status(placed):
    """zeep unwraps a result of one element."""
    return placed if isinstance(placed, str) else placed.status


print("placed=" + status(service.placeOrder(**order)))
print("again=" + status(service.placeOrder(**order)))
found = service.getOrder(**key)
print(f"found={found.item} x {found.quantity!r}")
print("other body=" + fault(lambda: service.placeOrder(**{**order, "quantity": 4})))
print("missing=" + fault(lambda: service.getOrder(**{**key, "number": "NONE"})))
print("foreign=" + fault(lambda: service.getOrder(**{**key, "shop": "berlin"})))

"""A strict caller: zeep from a WSDL, no hand-written type. VERSION1: the WSDL of version 1."""

import os
import sys
from datetime import timezone

from requests import Session
from requests.auth import HTTPBasicAuth
from zeep import Client, Settings
from zeep.exceptions import Fault
from zeep.transports import Transport
from zeep.xsd.valueobjects import CompoundValue

_, document, endpoint, shopper, version = sys.argv
is_newest = "VERSION1" not in os.environ


def service_for(password):
    session = Session()
    session.auth = HTTPBasicAuth("ws@Company.Demo", password)
    client = Client(document, transport=Transport(session=session), settings=Settings(strict=True))
    port = "RecurringHttpPort" + ("12" if version == "1.2" else "")
    binding = client.wsdl.services["Recurring"].ports[port].binding.name
    return client, client.create_service(binding, endpoint)


client, service = service_for("demo-password")
account = {"merchantAccount": "DemoMerchant", "shopperReference": shopper}
card = {
    "number": "4111111111111111",
    "expiryMonth": "08",
    "expiryYear": "2031",
    "holderName": "Zoë <&> Ω",
    "cvc": "737",
}
token = {
    **account,
    "card": card,
    "recurring": {"contract": "RECURRING, ONECLICK" if is_newest else "RECURRING"},
    "shopperEmail": "stack@example.com",
}
if is_newest:
    token["additionalData"] = {"entry": [{"key": "a.b", "value": "ä & ö"}]}


def is_nil(value):
    """zeep reads a nil object as one whose members are all None."""
    return value is None or (isinstance(value, CompoundValue) and all(value[name] is None for name in value))


def say(name, value):
    print(f"{name}={'nil' if is_nil(value) else value}")


def day(date):
    return None if date is None else date.astimezone(timezone.utc).date().isoformat()


def fault(name, call):
    try:
        call()
        say("fault." + name, "none")
    except Fault as thrown:
        say("fault." + name, thrown.message)


with client.settings(extra_http_headers={"Idempotency-Key": shopper}):
    stored = service.storeToken(request=token)
    again = service.storeToken(request=token)
say("store.result", stored.result)
say("store.reference", stored.recurringDetailReference)
psp_reference = "pspReference" if is_newest else "rechargeReference"
say("store." + psp_reference, stored[psp_reference])
say("again." + psp_reference, again[psp_reference])

contract = {"recurring": {"contract": "ONECLICK"}} if is_newest else {}
listed = service.listRecurringDetails(request={**account, **contract})
say("list.shopper", listed.shopperReference)
say("list.email", listed.lastKnownShopperEmail)
say("list.date", day(listed.creationDate))
say("list.count", len(listed.details.RecurringDetail))
detail = listed.details.RecurringDetail[0]
say("detail.reference", detail.recurringDetailReference)
say("detail.holder", detail.card.holderName)
say("detail.number", detail.card.number)
say("detail.expiry", f"{detail.card.expiryMonth}/{detail.card.expiryYear}")
say("detail.variant", detail.variant)
say("detail.date", day(detail.creationDate))
if is_newest:
    say("detail.contracts", ",".join(detail.contractTypes.string))
    for entry in detail.additionalData.entry:
        say("detail.map." + entry.key, entry.value)
say("detail.bank", detail.bank)
say("detail.elv", detail.elv)
say("detail.cvc", detail.card.cvc)

demo = service.listRecurringDetails(request={**account, "shopperReference": "shopper-1"})
bank = demo.details.RecurringDetail[2]
say("bank.iban", bank.bank.iban)
say("bank.card", bank.card)

unknown = service.listRecurringDetails(request={**account, "shopperReference": "unknown-shopper"})
# zeep reads an empty element as None.
say("unknown.count", len(unknown.details.RecurringDetail) if unknown.details else 0)
say("unknown.email", unknown.lastKnownShopperEmail)
say("unknown.date", day(unknown.creationDate))

reference = stored.recurringDetailReference
if is_newest:
    holders = service.tokenLookup(
        request={"merchantAccount": "DemoMerchant", "bank": {"iban": "NL13TEST0123456789", "ownerName": "Anna"}}
    )
    say("lookup.shopper", holders.tokens.TokenDetail[0].shopperReference)
    update = service.scheduleAccountUpdater(
        request={**account, "reference": "check-1", "selectedRecurringDetailReference": reference}
    )
    say("update.result", update.result)
    say("update.pspReference", update.pspReference)

# zeep unwraps a result of one element.
disabled = service.disable(request={**account, "recurringDetailReference": reference})
say("disable.response", disabled if isinstance(disabled, str) else disabled.response)
if not is_newest:
    service.storeToken(request=token)
    ended = service.deactivateRecurring(recurringRequest=account)
    say("deactivate.response", ended.response)
    say("deactivate.pspReference", ended.pspReference)

fault("contract", lambda: service.disable(request=account))
fault("merchant", lambda: service.listRecurringDetails(request={**account, "merchantAccount": "OtherMerchant"}))
fault("field", lambda: service.storeToken(request={**token, "card": {**card, "expiryMonth": "13"}}))
if not is_newest:
    fault("payment", lambda: service.submitRecurring(recurringRequest=account))
fault("credentials", lambda: service_for("wrong")[1].listRecurringDetails(request=account))

"""A strict caller: zeep from the served WSDL, no hand-written type. Prints what it understood as JSON."""

import json
import sys

from requests import Session
from requests.auth import HTTPBasicAuth
from zeep import Client, Settings
from zeep.exceptions import Fault
from zeep.helpers import serialize_object
from zeep.transports import Transport

_, wsdl, user, password, version = sys.argv
session = Session()
session.auth = HTTPBasicAuth(user, password)
client = Client(wsdl, transport=Transport(session=session), settings=Settings(strict=True))
suffix = "12" if version == "1.2" else ""
service = client.bind("Recurring", "RecurringHttpPort" + suffix)
account = {"merchantAccount": "DemoMerchant", "shopperReference": "zeep-" + version}
seen = {}
seen["store"] = service.storeToken(
    request={
        **account,
        "card": {
            "number": "4111111111111111",
            "expiryMonth": "08",
            "expiryYear": "2031",
            "holderName": "Zoë <&> Ω",
            "cvc": "737",
        },
        "recurring": {"contract": "RECURRING, ONECLICK"},
        "additionalData": {"entry": [{"key": "a.b", "value": "c"}]},
        "shopperEmail": "stack@example.com",
    }
)
seen["list"] = service.listRecurringDetails(request={**account, "recurring": {"contract": "ONECLICK"}})
seen["unknown"] = service.listRecurringDetails(request={**account, "shopperReference": "nobody"})
seen["holders"] = service.tokenLookup(
    request={"merchantAccount": "DemoMerchant", "bank": {"iban": "NL13TEST0123456789", "ownerName": "Anna"}}
)
seen["update"] = service.scheduleAccountUpdater(
    request={
        **account,
        "reference": "check-1",
        "selectedRecurringDetailReference": seen["store"]["recurringDetailReference"],
    }
)
seen["disable"] = service.disable(
    request={**account, "recurringDetailReference": seen["store"]["recurringDetailReference"]}
)
try:
    service.disable(request=account)
except Fault as fault:
    seen["fault"] = fault.message
print(json.dumps({name: serialize_object(value, dict) for name, value in seen.items()}, default=str))

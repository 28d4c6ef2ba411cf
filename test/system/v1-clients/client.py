"""zeep with stubs of version 1. Arguments: WSDL, endpoint, shopper. Strict: an unknown element in an answer ends it."""

import json
import sys

from requests import Session
from requests.auth import HTTPBasicAuth
from zeep import Client, Settings
from zeep.exceptions import Fault
from zeep.transports import Transport

_, document, endpoint, shopper = sys.argv
session = Session()
session.auth = HTTPBasicAuth("ws@Company.Demo", "demo-password")
client = Client(document, transport=Transport(session=session), settings=Settings(strict=True))
service = client.create_service(client.wsdl.services["Recurring"].ports["RecurringHttpPort"].binding.name, endpoint)
account = {"merchantAccount": "DemoMerchant", "shopperReference": shopper}
card = {"number": "4111111111111111", "expiryMonth": "08", "expiryYear": "2031", "holderName": "Anna"}

stored = service.storeToken(request={**account, "card": card, "recurring": {"contract": "RECURRING"}})
listed = service.listRecurringDetails(request=account).details.RecurringDetail[0]
disabled = service.deactivateRecurring(
    recurringRequest={**account, "recurringReference": stored.recurringDetailReference}
)
try:
    service.submitRecurring(recurringRequest=account)
    refusal = None
except Fault as thrown:
    refusal = thrown.message
print(
    json.dumps(
        {
            "result": stored.result,
            "variant": listed.variant,
            "expiryMonth": listed.card.expiryMonth,
            "response": disabled.response,
            "refusal": refusal,
        }
    )
)

"""zeep from the WSDL that was imported. Arguments: WSDL, address, key, operation, parameters in JSON."""

import json
import sys

from requests import Session
from zeep import Client
from zeep.helpers import serialize_object
from zeep.transports import Transport

_, wsdl, address, secret, operation, parameters = sys.argv

session = Session()
session.headers["X-API-Key"] = secret
client = Client(wsdl, transport=Transport(session=session))
(binding,) = [name for name in client.wsdl.bindings if "Http" not in name]
service = client.create_service(binding, address)
answer = getattr(service, operation)(*json.loads(parameters))
print(json.dumps(serialize_object(answer, dict), default=str))

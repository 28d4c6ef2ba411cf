"""A caller by zeep, which sends base64 and reads MTOM: `vault_client.py URL BYTES`."""
import sys

import requests
import zeep
from zeep.transports import Transport

session = requests.Session()
session.headers["Accept"] = 'multipart/related; type="application/xop+xml", text/xml'
types = []
session.hooks["response"] = lambda response, *_, **__: types.append(response.headers["Content-Type"])
client = zeep.Client(sys.argv[1] + "?wsdl", transport=Transport(session=session))
sent = bytes((at * 7 + at // 256) % 256 for at in range(int(sys.argv[2])))
service = client.create_service("{urn:vault}VaultHttpBinding", sys.argv[1])
answer = service.Store(Name="from Python", Data=sent)
returned = "part" if "application/xop+xml" in types[-1] else "text"
print(f"size={answer.Size} attached={int(answer.WasAttached)} returned={returned} same={int(answer.Data == sent)}")

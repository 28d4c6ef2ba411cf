"""zeep from the WSDL of a wrapped service: parameters and results are the fields themselves."""

import json
import sys
from datetime import date
from decimal import Decimal

from requests import Session
from zeep import Client, Settings
from zeep.transports import Transport

_, wsdl, secret, version = sys.argv

session = Session()
session.headers["X-API-Key"] = secret
client = Client(wsdl, transport=Transport(session=session), settings=Settings(strict=True))
service = client.bind("WrappedInvoices", "WrappedInvoicesHttpPort" + ("12" if version == "1.2" else ""))
total = {"currency": "EUR", "value": Decimal("12345678.90")}
sent = service.sendInvoice(
    invoice={"number": "I-1", "version": 2, "issued": date(2026, 2, 28), "total": total},
    scan=b"\x00\x01\xff",
    lines={"Line": [{"sku": 'a "b"', "discount": Decimal("0.15")}]},
)
print(
    json.dumps(
        {
            "number": sent.invoice.number,
            "issued": sent.invoice.issued.isoformat(),
            "currency": sent.invoice.total.currency,
            "value": str(sent.invoice.total.value),
            "scan": sent.scan.hex(),
            "sku": sent.lines.Line[0].sku,
        }
    )
)

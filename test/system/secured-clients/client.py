"""zeep with a UsernameToken and WS-Addressing: `client.py WSDL VERSION USERNAME PASSWORD ARTICLE [digest]`."""

import json
import sys
from datetime import datetime, timedelta, timezone

from zeep import Client
from zeep.exceptions import Fault
from zeep.plugins import HistoryPlugin
from zeep.wsa import WsAddressingPlugin
from zeep.wsse import utils
from zeep.wsse.username import UsernameToken

_, wsdl, version, username, password, article, *more = sys.argv
timestamp = utils.WSU.Timestamp()
now = datetime.now(timezone.utc)
for name, at in (("Created", now), ("Expires", now + timedelta(minutes=5))):
    element = utils.WSU(name)
    element.text = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    timestamp.append(element)
token = UsernameToken(username, password, timestamp_token=timestamp, use_digest=more == ["digest"])
history = HistoryPlugin()
client = Client(wsdl, wsse=token, plugins=[WsAddressingPlugin(), history])
service = client.bind("Shop", "ShopHttpPort" + ("12" if version == "1.2" else ""))
try:
    answer = service.stock(article=article)
    sent = history.last_sent["envelope"].findtext(".//{*}MessageID")
    related = history.last_received["envelope"].findtext(".//{*}RelatesTo")
    print(json.dumps({"pieces": answer, "relates": sent == related}))
except Fault as fault:
    detail = None if fault.detail is None else [each.tag.split("}")[1] for each in fault.detail]
    print(json.dumps({"code": str((fault.subcodes or [fault.code])[0]).split(":")[-1].split("}")[-1], "detail": detail}))

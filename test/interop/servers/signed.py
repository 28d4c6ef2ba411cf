"""A SOAP server that answers requests which are signed by a certificate and addressed to it. zeep and xmlsec verify the signature. `PORT=8081 CERT=file python3 signed.py`"""
import os
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from xml.sax.saxutils import escape

from lxml import etree
from zeep.exceptions import SignatureVerificationFailed
from zeep.wsse.signature import verify_envelope

OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity"
NAMES = {
    "s": "http://schemas.xmlsoap.org/soap/envelope/",
    "o": f"{OASIS}-secext-1.0.xsd",
    "u": f"{OASIS}-utility-1.0.xsd",
    "d": "http://www.w3.org/2000/09/xmldsig#",
    "a": "http://www.w3.org/2005/08/addressing",
    "t": "urn:example:desk",
}
ANONYMOUS = "http://www.w3.org/2005/08/addressing/anonymous"


class Refused(Exception):
    pass


def only(envelope, path):
    found = envelope.xpath(path, namespaces=NAMES)
    if len(found) != 1:
        raise Refused(f"{len(found)} of {path}")
    return found[0]


def check_signature(envelope):
    """The signature is over the Body and a Timestamp that is not over."""
    security = "/s:Envelope/s:Header/o:Security"
    try:
        verify_envelope(envelope, os.environ["CERT"])
    except (SignatureVerificationFailed, AttributeError, IndexError) as failure:
        raise Refused("no valid signature") from failure
    signed = {uri[1:] for uri in envelope.xpath(f"{security}/d:Signature/d:SignedInfo/d:Reference/@URI", namespaces=NAMES)}
    identifier = f"{{{NAMES['u']}}}Id"
    for path in ("/s:Envelope/s:Body", f"{security}/u:Timestamp"):
        part = only(envelope, path).get(identifier)
        if part not in signed or len(envelope.xpath(f"//*[@u:Id='{part}']", namespaces=NAMES)) != 1:
            raise Refused(f"{path} is not signed")
    expires = only(envelope, f"{security}/u:Timestamp/u:Expires/text()")
    if datetime.fromisoformat(expires.replace("Z", "+00:00")) < datetime.now(timezone.utc):
        raise Refused("the Timestamp is over")


def check_addressing(envelope, url, action):
    for name, expected in (("To", url), ("Action", action), ("ReplyTo/a:Address", ANONYMOUS)):
        sent = only(envelope, f"/s:Envelope/s:Header/a:{name}/text()")
        if sent != expected:
            raise Refused(f"{name} is {sent}")
    return only(envelope, "/s:Envelope/s:Header/a:MessageID/text()")


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, "")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        header = ""
        try:
            envelope = etree.fromstring(body, etree.XMLParser(resolve_entities=False))
            check_signature(envelope)
            url = f"http://127.0.0.1:{os.environ['PORT']}{self.path}"
            message = check_addressing(envelope, url, self.headers["SOAPAction"].strip('"'))
            number = only(envelope, "/s:Envelope/s:Body/t:GetTicket/t:id/text()")
            header = f'<a:RelatesTo xmlns:a="{NAMES["a"]}">{escape(message)}</a:RelatesTo>'
            status, content = 200, f'<t:GetTicketResponse xmlns:t="urn:example:desk"><t:title>Ticket {escape(number)}</t:title></t:GetTicketResponse>'
        except Refused as refused:
            fault = f'<faultcode xmlns:o="{NAMES["o"]}">o:FailedCheck</faultcode><faultstring>{escape(str(refused))}</faultstring>'
            status, content = 500, f"<s:Fault>{fault}</s:Fault>"
        self.answer(status, f'<s:Envelope xmlns:s="{NAMES["s"]}"><s:Header>{header}</s:Header><s:Body>{content}</s:Body></s:Envelope>')

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "text/xml;charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Server).serve_forever()

"""An older caller on Python: suds from a WSDL, with the factory of its types."""

import sys
from datetime import timezone

from suds.client import Client
from suds.transport import TransportError
from suds import WebFault

_, document, endpoint, shopper, _ = sys.argv
if ":" not in document:
    document = "file://" + document


def client_for(password):
    return Client(document, location=endpoint, username="ws@Company.Demo", password=password, cache=None)


client = client_for("demo-password")
service = client.service


def make(type_name, **members):
    made = client.factory.create(type_name)
    for name, value in members.items():
        setattr(made, name, value)
    return made


def namespaced(kind, uri):
    for prefix, known in client.sd[0].prefixes:
        if known == uri:
            return f"{prefix}:{kind}"
    return f"{{{uri}}}{kind}"


def say(name, value):
    print(f"{name}={'nil' if value is None else value}")


def day(date):
    return None if date is None else date.astimezone(timezone.utc).date().isoformat()


def fault(name, call):
    try:
        call()
        say("fault." + name, "none")
    except WebFault as thrown:
        say("fault." + name, thrown.fault.faultstring)
    except TransportError as thrown:
        say("fault." + name, f"HTTP {thrown.httpcode}")
    except Exception as thrown:
        say("fault." + name, thrown)


payment = "http://payment.services.adyen.com"
recurring = "http://recurring.services.adyen.com"


def new_card(month="08"):
    return make(
        namespaced("Card", payment),
        number="4111111111111111",
        expiryMonth=month,
        expiryYear="2031",
        holderName="Zoë <&> Ω",
        cvc="737",
    )


def new_token(month="08"):
    data = client.factory.create(namespaced("anyType2anyTypeMap", recurring))
    data.entry = [{"key": "a.b", "value": "ä & ö"}]
    return make(
        namespaced("StoreTokenRequest", recurring),
        merchantAccount="DemoMerchant",
        shopperReference=shopper,
        card=new_card(month),
        recurring=make(namespaced("Recurring", payment), contract="RECURRING, ONECLICK"),
        additionalData=data,
        shopperEmail="stack@example.com",
    )


def details_request(reference, merchant="DemoMerchant"):
    return make(
        namespaced("RecurringDetailsRequest", recurring), merchantAccount=merchant, shopperReference=reference
    )


client.set_options(headers={"Idempotency-Key": shopper})
stored = service.storeToken(new_token())
again = service.storeToken(new_token())
client.set_options(headers={})
say("store.result", stored.result)
say("store.reference", stored.recurringDetailReference)
say("store.pspReference", stored.pspReference)
say("again.pspReference", again.pspReference)

listed = service.listRecurringDetails(details_request(shopper))
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
say("detail.contracts", ",".join(detail.contractTypes.string))
say("detail.date", day(detail.creationDate))
for entry in detail.additionalData.entry:
    say(f"detail.map.{entry.key}", entry.value)
say("detail.bank", detail.bank)
say("detail.elv", detail.elv)
say("detail.cvc", detail.card.cvc)

demo = service.listRecurringDetails(details_request("shopper-1"))
bank = demo.details.RecurringDetail[2]
say("bank.iban", bank.bank.iban)
say("bank.card", bank.card)

holders = service.tokenLookup(
    make(
        namespaced("TokenLookupRequest", recurring),
        merchantAccount="DemoMerchant",
        bank=make(namespaced("BankAccount", payment), iban="NL13TEST0123456789", ownerName="Anna"),
    )
)
say("lookup.shopper", holders.tokens.TokenDetail[0].shopperReference)

unknown = service.listRecurringDetails(details_request("unknown-shopper"))
say("unknown.count", len(getattr(unknown.details, "RecurringDetail", [])) if unknown.details else 0)
say("unknown.email", unknown.lastKnownShopperEmail)
say("unknown.date", unknown.creationDate)

update = service.scheduleAccountUpdater(
    make(
        namespaced("ScheduleAccountUpdaterRequest", recurring),
        merchantAccount="DemoMerchant",
        shopperReference=shopper,
        reference="check-1",
        selectedRecurringDetailReference=stored.recurringDetailReference,
    )
)
say("update.result", update.result)
say("update.pspReference", update.pspReference)


def disable_request(reference=None):
    return make(
        namespaced("DisableRequest", recurring),
        merchantAccount="DemoMerchant",
        shopperReference=shopper,
        recurringDetailReference=reference,
    )


disabled = service.disable(disable_request(stored.recurringDetailReference))
say("disable.response", disabled.response)

fault("contract", lambda: service.disable(disable_request()))
fault("merchant", lambda: service.listRecurringDetails(details_request(shopper, "OtherMerchant")))
fault("field", lambda: service.storeToken(new_token("13")))
fault("credentials", lambda: client_for("wrong").service.listRecurringDetails(details_request(shopper)))

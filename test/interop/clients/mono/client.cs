using System;
using System.Globalization;
using System.Net;
using System.Text;
using System.Web.Services.Protocols;

/// A caller on .NET with the stubs of wsdl.exe. VERSION1: those of version 1.
public class Client : Recurring
{
    static string endpoint, shopper;
    readonly string key;

    Client(string password, string key = null)
    {
        Url = endpoint;
        Credentials = new NetworkCredential("ws@Company.Demo", password);
        this.key = key;
    }

    protected override WebRequest GetWebRequest(Uri address)
    {
        WebRequest request = base.GetWebRequest(address);
        if (key != null) request.Headers["Idempotency-Key"] = key;
        return request;
    }

    public static void Main(string[] arguments)
    {
        Console.OutputEncoding = new UTF8Encoding(false);
        endpoint = arguments[1];
        shopper = arguments[2];
        var keyed = new Client("demo-password", shopper);
        StoreTokenResult stored = keyed.storeToken(Token("08"));
        Say("store.result", stored.result);
        Say("store.reference", stored.recurringDetailReference);
#if !VERSION1
        Say("store.pspReference", stored.pspReference);
        Say("again.pspReference", keyed.storeToken(Token("08")).pspReference);
#else
        Say("store.rechargeReference", stored.rechargeReference);
        Say("again.rechargeReference", keyed.storeToken(Token("08")).rechargeReference);
#endif

        var plain = new Client("demo-password");
        RecurringDetailsResult list = plain.listRecurringDetails(Details("DemoMerchant", shopper));
        Say("list.shopper", list.shopperReference);
        Say("list.email", list.lastKnownShopperEmail);
        Say("list.date", Day(list.creationDate));
        Say("list.count", list.details.Length);
        RecurringDetail detail = list.details[0];
        Say("detail.reference", detail.recurringDetailReference);
        Say("detail.holder", detail.card.holderName);
        Say("detail.number", detail.card.number);
        Say("detail.expiry", detail.card.expiryMonth + "/" + detail.card.expiryYear);
        Say("detail.variant", detail.variant);
#if !VERSION1
        Say("detail.contracts", string.Join(",", detail.contractTypes));
#endif
        Say("detail.date", Day(detail.creationDate));
#if !VERSION1
        foreach (anyType2anyTypeMapEntry entry in detail.additionalData)
            Say("detail.map." + Text(entry.key), Text(entry.value));
#endif
        Say("detail.bank", detail.bank);
        Say("detail.elv", detail.elv);
        Say("detail.cvc", detail.card.cvc);

        RecurringDetail bank = plain.listRecurringDetails(Details("DemoMerchant", "shopper-1")).details[2];
        Say("bank.iban", bank.bank.iban);
        Say("bank.card", bank.card);

#if !VERSION1
        TokenLookupResult holders = plain.tokenLookup(new TokenLookupRequest
        {
            merchantAccount = "DemoMerchant",
            bank = new BankAccount { iban = "NL13TEST0123456789", ownerName = "Anna" },
        });
        Say("lookup.shopper", holders.tokens[0].shopperReference);

#endif
        RecurringDetailsResult unknown = plain.listRecurringDetails(Details("DemoMerchant", "unknown-shopper"));
        Say("unknown.count", unknown.details == null ? 0 : unknown.details.Length);
        Say("unknown.email", unknown.lastKnownShopperEmail);
        Say("unknown.date", Day(unknown.creationDate));

#if !VERSION1
        ScheduleAccountUpdaterResult update = plain.scheduleAccountUpdater(new ScheduleAccountUpdaterRequest
        {
            merchantAccount = "DemoMerchant",
            shopperReference = shopper,
            reference = "check-1",
            selectedRecurringDetailReference = stored.recurringDetailReference,
        });
        Say("update.result", update.result);
        Say("update.pspReference", update.pspReference);

#endif
        Say("disable.response", plain.disable(Disable(stored.recurringDetailReference)).response);
#if VERSION1
        plain.storeToken(Token("08"));
        RecurringResult ended = plain.deactivateRecurring(Account());
        Say("deactivate.response", ended.response);
        Say("deactivate.pspReference", ended.pspReference);
#endif

        Fault("contract", () => plain.disable(Disable(null)));
        Fault("merchant", () => plain.listRecurringDetails(Details("OtherMerchant", shopper)));
        Fault("field", () => plain.storeToken(Token("13")));
#if VERSION1
        Fault("payment", () => plain.submitRecurring(Account()));
#endif
        Fault("credentials", () => new Client("wrong").listRecurringDetails(Details("DemoMerchant", shopper)));
    }

    static StoreTokenRequest Token(string month)
    {
        return new StoreTokenRequest
        {
            merchantAccount = "DemoMerchant",
            shopperReference = shopper,
            shopperEmail = "stack@example.com",
            card = new Card { number = "4111111111111111", expiryMonth = month, expiryYear = "2031", holderName = "Zoë <&> Ω", cvc = "737" },
#if !VERSION1
            recurring = new Recurring1 { contract = "RECURRING, ONECLICK" },
            additionalData = new[] { new anyType2anyTypeMapEntry { key = "a.b", value = "ä & ö" } },
#else
            recurring = new Recurring1 { contract = "RECURRING" },
#endif
        };
    }

    static RecurringDetailsRequest Details(string merchant, string reference)
    {
        return new RecurringDetailsRequest { merchantAccount = merchant, shopperReference = reference };
    }

    static DisableRequest Disable(string reference)
    {
        return new DisableRequest { merchantAccount = "DemoMerchant", shopperReference = shopper, recurringDetailReference = reference };
    }

#if VERSION1
    static RecurringRequest Account()
    {
        return new RecurringRequest { merchantAccount = "DemoMerchant", shopperReference = shopper };
    }

#endif
    static string Day(DateTime? date)
    {
        return date?.ToUniversalTime().ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
    }

#if !VERSION1
    /// A value of any type is text, or the nodes of an element.
    static string Text(object value)
    {
        var nodes = value as System.Xml.XmlNode[];
        if (nodes == null) return Convert.ToString(value, CultureInfo.InvariantCulture);
        var text = new StringBuilder();
        foreach (System.Xml.XmlNode node in nodes)
            if (node is System.Xml.XmlCharacterData) text.Append(node.Value);
        return text.ToString();
    }

#endif
    static void Say(string name, object value)
    {
        Console.WriteLine(name + "=" + (value ?? "nil"));
    }

    static void Fault(string name, Func<object> call)
    {
        try
        {
            call();
            Say("fault." + name, "none");
        }
        catch (SoapException thrown)
        {
            Say("fault." + name, thrown.Message);
        }
        catch (WebException thrown)
        {
            var response = thrown.Response as HttpWebResponse;
            Say("fault." + name, response == null ? thrown.Message : "HTTP " + (int)response.StatusCode);
        }
    }
}

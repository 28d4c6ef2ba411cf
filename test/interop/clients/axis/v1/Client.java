import com.adyen.services.payment.Card;
import com.adyen.services.recurring.*;
import java.net.URL;
import java.util.Calendar;
import java.util.Hashtable;
import java.util.concurrent.Callable;
import org.apache.axis.AxisFault;
import org.apache.axis.client.Stub;
import org.apache.axis.transport.http.HTTPConstants;

/** A caller on Java with stubs of version 1, by Axis 1.4. */
public class Client {
    static String endpoint, shopper;

    public static void main(String[] arguments) throws Exception {
        endpoint = arguments[1];
        shopper = arguments[2];
        RecurringPortType port = port("demo-password", shopper);
        StoreTokenResult stored = port.storeToken(token("08"));
        say("store.result", stored.getResult());
        say("store.reference", stored.getRecurringDetailReference());
        say("store.rechargeReference", stored.getRechargeReference());
        say("again.rechargeReference", port.storeToken(token("08")).getRechargeReference());

        RecurringPortType plain = port("demo-password", null);
        RecurringDetailsResult list = plain.listRecurringDetails(details("DemoMerchant", shopper));
        say("list.shopper", list.getShopperReference());
        say("list.email", list.getLastKnownShopperEmail());
        say("list.date", day(list.getCreationDate()));
        say("list.count", list.getDetails().length);
        RecurringDetail detail = list.getDetails()[0];
        say("detail.reference", detail.getRecurringDetailReference());
        say("detail.holder", detail.getCard().getHolderName());
        say("detail.number", detail.getCard().getNumber());
        say("detail.expiry", detail.getCard().getExpiryMonth() + "/" + detail.getCard().getExpiryYear());
        say("detail.variant", detail.getVariant());
        say("detail.date", day(detail.getCreationDate()));
        say("detail.bank", detail.getBank());
        say("detail.elv", detail.getElv());
        say("detail.cvc", detail.getCard().getCvc());

        RecurringDetail bank = plain.listRecurringDetails(details("DemoMerchant", "shopper-1")).getDetails()[2];
        say("bank.iban", bank.getBank().getIban());
        say("bank.card", bank.getCard());

        RecurringDetailsResult unknown = plain.listRecurringDetails(details("DemoMerchant", "unknown-shopper"));
        say("unknown.count", unknown.getDetails() == null ? 0 : unknown.getDetails().length);
        say("unknown.email", unknown.getLastKnownShopperEmail());
        say("unknown.date", unknown.getCreationDate());

        say("disable.response", plain.disable(disable(stored.getRecurringDetailReference())).getResponse());
        plain.storeToken(token("08"));
        RecurringResult ended = plain.deactivateRecurring(account());
        say("deactivate.response", ended.getResponse());
        say("deactivate.pspReference", ended.getPspReference());

        fault("contract", () -> plain.disable(disable(null)));
        fault("merchant", () -> plain.listRecurringDetails(details("OtherMerchant", shopper)));
        fault("field", () -> plain.storeToken(token("13")));
        fault("payment", () -> plain.submitRecurring(account()));
        fault("credentials", () -> port("wrong", null).listRecurringDetails(details("DemoMerchant", shopper)));
    }

    static RecurringPortType port(String password, String key) throws Exception {
        RecurringPortType port = new RecurringLocator().getRecurringHttpPort(new URL(endpoint));
        Stub stub = (Stub) port;
        stub.setUsername("ws@Company.Demo");
        stub.setPassword(password);
        if (key != null) {
            Hashtable<String, String> headers = new Hashtable<>();
            headers.put("Idempotency-Key", key);
            stub._setProperty(HTTPConstants.REQUEST_HEADERS, headers);
        }
        return port;
    }

    static StoreTokenRequest token(String month) {
        Card card = new Card();
        card.setNumber("4111111111111111");
        card.setExpiryMonth(month);
        card.setExpiryYear("2031");
        card.setHolderName("Zoë <&> Ω");
        card.setCvc("737");
        com.adyen.services.payment.Recurring recurring = new com.adyen.services.payment.Recurring();
        recurring.setContract("RECURRING");
        StoreTokenRequest request = new StoreTokenRequest();
        request.setMerchantAccount("DemoMerchant");
        request.setShopperReference(shopper);
        request.setShopperEmail("stack@example.com");
        request.setCard(card);
        request.setRecurring(recurring);
        return request;
    }

    static RecurringDetailsRequest details(String merchant, String reference) {
        RecurringDetailsRequest request = new RecurringDetailsRequest();
        request.setMerchantAccount(merchant);
        request.setShopperReference(reference);
        return request;
    }

    static DisableRequest disable(String reference) {
        DisableRequest request = new DisableRequest();
        request.setMerchantAccount("DemoMerchant");
        request.setShopperReference(shopper);
        request.setRecurringDetailReference(reference);
        return request;
    }

    static RecurringRequest account() {
        RecurringRequest request = new RecurringRequest();
        request.setMerchantAccount("DemoMerchant");
        request.setShopperReference(shopper);
        return request;
    }

    static String day(Calendar date) {
        return date == null ? null : date.toInstant().toString().substring(0, 10);
    }

    static void say(String name, Object value) {
        System.out.println(name + "=" + (value == null ? "nil" : value));
    }

    static void fault(String name, Callable<?> call) {
        try {
            call.call();
            say("fault." + name, "none");
        } catch (AxisFault thrown) {
            say("fault." + name, thrown.getFaultString());
        } catch (Exception thrown) {
            say("fault." + name, thrown);
        }
    }
}

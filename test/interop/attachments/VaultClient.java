import java.util.List;
import java.util.Map;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.Holder;
import javax.xml.ws.handler.MessageContext;
import vault.Vault;
import vault.VaultPortType;

/** A caller by the stubs of wsimport, as the WSDL of the gateway makes them: `VaultClient URL BYTES`. */
public class VaultClient {
    public static void main(String[] arguments) throws Exception {
        byte[] sent = new byte[Integer.parseInt(arguments[1])];
        for (int at = 0; at < sent.length; at++) sent[at] = (byte) (at * 7 + at / 256);
        VaultPortType port = new Vault(new java.net.URL(arguments[0] + "?wsdl")).getVaultHttpPort();
        BindingProvider provider = (BindingProvider) port;
        provider.getRequestContext().put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, arguments[0]);
        Holder<Integer> size = new Holder<>();
        Holder<Boolean> attached = new Holder<>();
        Holder<byte[]> data = new Holder<>(sent);
        port.store("from Java", data, size, attached);
        Map<?, ?> headers = (Map<?, ?>) provider.getResponseContext().get(MessageContext.HTTP_RESPONSE_HEADERS);
        boolean[] isPart = {false};
        headers.forEach((name, value) -> {
            if ("content-type".equalsIgnoreCase(String.valueOf(name)))
                isPart[0] = String.valueOf(((List<?>) value).get(0)).contains("application/xop+xml");
        });
        System.out.printf("size=%d attached=%d returned=%s same=%d%n", size.value, attached.value ? 1 : 0,
            isPart[0] ? "part" : "text", java.util.Arrays.equals(sent, data.value) ? 1 : 0);
    }
}

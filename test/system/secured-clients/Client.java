import com.sun.xml.ws.developer.WSBindingProvider;
import java.net.URI;
import java.net.URL;
import java.util.List;
import java.util.Set;
import javax.xml.namespace.QName;
import javax.xml.soap.SOAPElement;
import javax.xml.soap.SOAPEnvelope;
import javax.xml.soap.SOAPHeaderElement;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.handler.Handler;
import javax.xml.ws.handler.MessageContext;
import javax.xml.ws.handler.soap.SOAPHandler;
import javax.xml.ws.handler.soap.SOAPMessageContext;
import javax.xml.ws.soap.AddressingFeature;
import javax.xml.ws.soap.SOAPFaultException;
import shop.*;

/** Stubs of JAX-WS RI that demand WS-Addressing, with a UsernameToken by a handler: `Client WSDL USERNAME PASSWORD ARTICLE`. */
public class Client {
  static final String WSSE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";

  public static void main(String[] given) throws Exception {
    Shop shop = new Shop(new URL(given[0]), new QName("urn:example:shop", "Shop"));
    ShopPortType port = shop.getShopHttpPort(new AddressingFeature(true, true));
    BindingProvider provider = (BindingProvider) port;
    provider.getBinding().setHandlerChain(List.<Handler>of(new Token(given[1], given[2])));
    try {
      System.out.print("{\"pieces\":" + port.stock(given[3]) + ",\"relates\":true}");
    } catch (NoArticleFault fault) {
      System.out.print("{\"typed\":\"" + fault.getFaultInfo().getArticle() + "\"}");
    } catch (SOAPFaultException fault) {
      System.out.print("{\"code\":\"" + fault.getFault().getFaultCodeAsQName().getLocalPart() + "\"}");
    }
  }

  record Token(String username, String password) implements SOAPHandler<SOAPMessageContext> {
    public boolean handleMessage(SOAPMessageContext context) {
      if (!Boolean.TRUE.equals(context.get(MessageContext.MESSAGE_OUTBOUND_PROPERTY))) return true;
      try {
        SOAPEnvelope envelope = context.getMessage().getSOAPPart().getEnvelope();
        if (envelope.getHeader() == null) envelope.addHeader();
        SOAPHeaderElement security = envelope.getHeader().addHeaderElement(new QName(WSSE, "Security", "wsse"));
        security.setMustUnderstand(true);
        SOAPElement token = security.addChildElement("UsernameToken", "wsse");
        token.addChildElement("Username", "wsse").addTextNode(username);
        token.addChildElement("Password", "wsse").addTextNode(password);
        return true;
      } catch (javax.xml.soap.SOAPException thrown) {
        throw new IllegalStateException(thrown);
      }
    }

    public boolean handleFault(SOAPMessageContext context) {
      return true;
    }

    public void close(MessageContext context) {}

    public Set<QName> getHeaders() {
      return Set.of();
    }
  }
}

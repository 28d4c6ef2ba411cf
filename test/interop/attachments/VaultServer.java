import java.util.List;
import java.util.Map;
import javax.annotation.Resource;
import javax.jws.WebMethod;
import javax.jws.WebParam;
import javax.jws.WebResult;
import javax.jws.WebService;
import javax.jws.soap.SOAPBinding;
import javax.xml.bind.annotation.XmlAccessType;
import javax.xml.bind.annotation.XmlAccessorType;
import javax.xml.bind.annotation.XmlElement;
import javax.xml.bind.annotation.XmlRootElement;
import javax.xml.bind.annotation.XmlType;
import javax.xml.ws.Endpoint;
import javax.xml.ws.WebServiceContext;
import javax.xml.ws.handler.MessageContext;
import javax.xml.ws.soap.MTOM;

/** A server by JAX-WS that speaks MTOM: `VaultServer URL`. */
@MTOM
@WebService(name = "Vault", serviceName = "Vault", targetNamespace = "urn:vault")
@SOAPBinding(parameterStyle = SOAPBinding.ParameterStyle.BARE)
public class VaultServer {
    @Resource
    private WebServiceContext context;

    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "", propOrder = {"name", "data"})
    @XmlRootElement(name = "Store", namespace = "urn:vault")
    public static class Store {
        @XmlElement(name = "Name", namespace = "urn:vault")
        public String name;
        @XmlElement(name = "Data", namespace = "urn:vault")
        public byte[] data;
    }

    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "", propOrder = {"size", "wasAttached", "data"})
    @XmlRootElement(name = "StoreResponse", namespace = "urn:vault")
    public static class StoreResponse {
        @XmlElement(name = "Size", namespace = "urn:vault")
        public int size;
        @XmlElement(name = "WasAttached", namespace = "urn:vault")
        public boolean wasAttached;
        @XmlElement(name = "Data", namespace = "urn:vault")
        public byte[] data;
    }

    @WebMethod(operationName = "Store", action = "urn:store")
    @WebResult(name = "StoreResponse", targetNamespace = "urn:vault")
    public StoreResponse store(@WebParam(name = "Store", targetNamespace = "urn:vault") Store request) {
        Map<?, ?> headers = (Map<?, ?>) context.getMessageContext().get(MessageContext.HTTP_REQUEST_HEADERS);
        StoreResponse response = new StoreResponse();
        response.size = request.data.length;
        response.data = request.data;
        headers.forEach((name, value) -> {
            if ("content-type".equalsIgnoreCase(String.valueOf(name)))
                response.wasAttached = String.valueOf(((List<?>) value).get(0)).contains("application/xop+xml");
        });
        return response;
    }

    public static void main(String[] arguments) {
        Endpoint.publish(arguments[0], new VaultServer());
    }
}

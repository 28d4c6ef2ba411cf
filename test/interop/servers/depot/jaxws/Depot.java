package depot;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import javax.jws.Oneway;
import javax.jws.WebMethod;
import javax.jws.WebParam;
import javax.jws.WebResult;
import javax.jws.WebService;
import javax.xml.bind.DatatypeConverter;
import javax.xml.bind.annotation.XmlElement;
import javax.xml.bind.annotation.XmlSeeAlso;
import javax.xml.bind.annotation.XmlType;
import javax.xml.ws.Endpoint;
import javax.xml.ws.Holder;
import javax.xml.ws.WebFault;

/** The depot as JAX-WS RI has it, with the WSDL that it derives. `java depot.Depot ADDRESS` */
@WebService(name = "Depot", serviceName = "Depot", targetNamespace = Depot.NAMESPACE)
@XmlSeeAlso(Depot.Truck.class)
public class Depot {
    static final String NAMESPACE = "urn:example:depot";
    private static final List<String> notes = new ArrayList<>();

    public static class Session {
        @XmlElement(required = true)
        public String sessionId;
    }

    @XmlType(propOrder = {"id", "weight", "pieces", "sent", "tag", "owner"})
    public static class Parcel {
        @XmlElement(required = true)
        public String id;

        @XmlElement(required = true)
        public BigDecimal weight;

        public int pieces;

        @XmlElement(required = true)
        public Calendar sent;

        public List<String> tag;
        public String owner;
    }

    @XmlType(propOrder = {"label", "box"})
    public static class Box {
        @XmlElement(required = true)
        public String label;

        public List<Box> box;
    }

    public static class Carrier {
        @XmlElement(required = true)
        public String name;
    }

    @XmlType(name = "Truck")
    public static class Truck extends Carrier {
        @XmlElement(required = true)
        public String plate;
    }

    @XmlType(propOrder = {"id", "line"})
    public static class Missing {
        @XmlElement(required = true)
        public String id;

        public List<Integer> line;
    }

    @WebFault(name = "ParcelNotFound", targetNamespace = NAMESPACE)
    public static class ParcelNotFound extends Exception {
        private final Missing missing;

        public ParcelNotFound(String message, Missing missing) {
            super(message);
            this.missing = missing;
        }

        public Missing getFaultInfo() {
            return missing;
        }
    }

    @WebMethod(operationName = "LogIn")
    @WebResult(name = "since")
    public String logIn(
            @WebParam(name = "user") String user,
            @WebParam(name = "Session", targetNamespace = NAMESPACE, header = true, mode = WebParam.Mode.OUT)
                    Holder<Session> session) {
        session.value = new Session();
        session.value.sessionId = "s-" + user;
        return "today";
    }

    @WebMethod(operationName = "GetParcel")
    @WebResult(name = "parcel")
    public Parcel getParcel(
            @WebParam(name = "id") String id,
            @WebParam(name = "Session", targetNamespace = NAMESPACE, header = true) Session session)
            throws ParcelNotFound {
        if (id.equals("none")) {
            Missing missing = new Missing();
            missing.id = id;
            missing.line = Arrays.asList(7, 9);
            throw new ParcelNotFound("No such parcel", missing);
        }
        if (id.equals("broken")) throw new IllegalStateException("Out of order");
        Parcel parcel = new Parcel();
        parcel.id = id;
        parcel.weight = new BigDecimal("2.50");
        parcel.pieces = 3;
        parcel.sent = DatatypeConverter.parseDateTime("2026-01-02T03:04:05Z");
        parcel.tag = Arrays.asList("a", "b & c");
        if (session != null) parcel.owner = session.sessionId;
        return parcel;
    }

    @WebMethod(operationName = "Pack")
    @WebResult(name = "box")
    public Box pack(@WebParam(name = "box") Box box) {
        return box;
    }

    @WebMethod(operationName = "Send")
    @WebResult(name = "carrier")
    public Carrier send(@WebParam(name = "carrier") Carrier carrier) {
        return carrier;
    }

    @Oneway
    @WebMethod(operationName = "Notify")
    public void notifyOf(@WebParam(name = "text") String text) {
        notes.add(text);
    }

    @WebMethod(operationName = "GetNotes")
    @WebResult(name = "note")
    public List<String> getNotes() {
        return notes;
    }

    public static void main(String[] addresses) {
        Endpoint.publish(addresses[0], new Depot());
    }
}

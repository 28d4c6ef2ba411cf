package depot;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import javax.xml.namespace.QName;
import org.apache.axis.AxisFault;
import org.apache.axis.MessageContext;
import org.apache.axis.message.SOAPHeaderElement;

/** The depot as Axis 1.4 has it: the implementation of what WSDL2Java generates. */
public class Depot11Impl implements Depot_PortType {
    private static final String NAMESPACE = "urn:example:depot";
    private static final List<String> notes = new ArrayList<>();

    public String logIn(String user) {
        try {
            SOAPHeaderElement session = new SOAPHeaderElement(NAMESPACE, "Session");
            session.setMustUnderstand(false);
            session.addChildElement("sessionId", "", NAMESPACE).addTextNode("s-" + user);
            MessageContext.getCurrentContext().getResponseMessage().getSOAPEnvelope().addHeader(session);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return "today";
    }

    public Parcel getParcel(String id) throws AxisFault {
        if (id.equals("none")) throw missing(id);
        if (id.equals("broken")) throw new AxisFault("Out of order");
        Calendar sent = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        sent.clear();
        sent.set(2026, Calendar.JANUARY, 2, 3, 4, 5);
        String[] tags = {"a", "b & c"};
        return new Parcel(id, new BigDecimal("2.50"), 3, sent, tags, owner());
    }

    private static Missing missing(String id) {
        Missing missing = new Missing(id, new int[] {7, 9});
        missing.setFaultCode(new QName("http://schemas.xmlsoap.org/soap/envelope/", "Client"));
        missing.setFaultString("No such parcel");
        return missing;
    }

    private static String owner() {
        try {
            SOAPHeaderElement session =
                    MessageContext.getCurrentContext()
                            .getRequestMessage()
                            .getSOAPEnvelope()
                            .getHeaderByName(NAMESPACE, "Session");
            if (session == null) return null;
            session.setProcessed(true);
            return session.getFirstChild().getFirstChild().getNodeValue();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public Box pack(Box box) {
        return box;
    }

    public Carrier send(Carrier carrier) {
        return carrier;
    }

    public void notify(String text) {
        notes.add(text);
    }

    public String[] getNotes() {
        return notes.toArray(new String[0]);
    }
}

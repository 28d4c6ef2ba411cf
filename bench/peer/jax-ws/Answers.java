/** Reads the answers of all shoppers into the objects that JAXB marshals. */
import com.adyen.services.common.Address;
import com.adyen.services.common.Gender;
import com.adyen.services.common.Name;
import com.adyen.services.payment.Card;
import com.adyen.services.recurring.AnyType2AnyTypeMap;
import com.adyen.services.recurring.ArrayOfRecurringDetail;
import com.adyen.services.recurring.ArrayOfString;
import com.adyen.services.recurring.RecurringDetail;
import com.adyen.services.recurring.RecurringDetailsResult;
import java.io.BufferedReader;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.Map;
import javax.xml.bind.JAXBElement;
import javax.xml.bind.annotation.XmlSchema;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.namespace.QName;

final class Answers {
  private final Map<String, RecurringDetailsResult> all = new HashMap<>();
  private RecurringDetailsResult answer;
  private ArrayOfRecurringDetail details;
  private RecurringDetail detail;
  private AnyType2AnyTypeMap additionalData;
  private Address billingAddress;
  private Card card;
  private ArrayOfString contractTypes;
  private Name shopperName;

  /** Returns the answers by the shopper's reference. Each line of the file has a name, a tab and a value. */
  static Map<String, RecurringDetailsResult> read(Path file) throws Exception {
    Answers answers = new Answers();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int tab = line.indexOf('\t');
        answers.add(line.substring(0, tab), line.substring(tab + 1));
      }
    }
    return answers.all;
  }

  private void add(String name, String value) throws Exception {
    switch (name) {
      case "answer" -> {
        answer = new RecurringDetailsResult();
        details = null;
        detail = null;
        all.put(value, answer);
      }
      case "detail" -> addDetail();
      case "creationDate" -> set(detail == null ? answer : detail, name, dateOf(value));
      default -> {
        if (detail == null) set(answer, name, value);
        else addToDetail(name, value);
      }
    }
  }

  private void addDetail() throws Exception {
    if (details == null) details = set(answer, "details", new ArrayOfRecurringDetail());
    detail = new RecurringDetail();
    details.getRecurringDetail().add(detail);
    additionalData = null;
    billingAddress = null;
    card = null;
    contractTypes = null;
    shopperName = null;
  }

  /** A dot is before the member of a structure, such as `card.number`. */
  private void addToDetail(String path, String value) throws Exception {
    int dot = path.indexOf('.');
    String name = dot < 0 ? path : path.substring(0, dot);
    String member = path.substring(dot + 1);
    switch (name) {
      case "additionalData" -> {
        if (additionalData == null) additionalData = set(detail, name, new AnyType2AnyTypeMap());
        AnyType2AnyTypeMap.Entry entry = new AnyType2AnyTypeMap.Entry();
        entry.setKey(member);
        entry.setValue(value);
        additionalData.getEntry().add(entry);
      }
      case "billingAddress" -> {
        if (billingAddress == null) billingAddress = set(detail, name, new Address());
        set(billingAddress, member, value);
      }
      case "card" -> {
        if (card == null) card = set(detail, name, new Card());
        set(card, member, value);
      }
      case "contractTypes" -> {
        if (contractTypes == null) contractTypes = set(detail, name, new ArrayOfString());
        contractTypes.getString().add(value);
      }
      case "shopperName" -> {
        if (shopperName == null) shopperName = set(detail, name, new Name());
        set(shopperName, member, member.equals("gender") ? Gender.fromValue(value) : value);
      }
      default -> set(detail, name, value);
    }
  }

  /** Sets a property; JAXB holds one that is optional and nillable as an element. Returns the value. */
  private static <T> T set(Object object, String name, T value) throws Exception {
    String setter = "set" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
    for (Method method : object.getClass().getMethods()) {
      if (!method.getName().equals(setter)) continue;
      boolean isElement = method.getParameterTypes()[0] == JAXBElement.class;
      method.invoke(object, isElement ? element(object, name, value) : value);
      return value;
    }
    throw new IllegalArgumentException(name);
  }

  @SuppressWarnings("unchecked")
  private static <T> JAXBElement<T> element(Object object, String name, T value) {
    XmlSchema schema = object.getClass().getPackage().getAnnotation(XmlSchema.class);
    Class<T> type = (Class<T>) (value instanceof XMLGregorianCalendar ? XMLGregorianCalendar.class : value.getClass());
    return new JAXBElement<>(new QName(schema.namespace(), name), type, value);
  }

  /** The value is in milliseconds. */
  private static XMLGregorianCalendar dateOf(String value) throws Exception {
    Instant instant = Instant.ofEpochMilli(Long.parseLong(value));
    return DatatypeFactory.newInstance()
        .newXMLGregorianCalendar(GregorianCalendar.from(instant.atZone(ZoneOffset.UTC)));
  }
}

// Calls each operation by stubs, with the example of its request, which is in the file `<name>.xml`. Prints "ok", or the error.
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.xml.bind.JAXBContext;
import javax.xml.bind.JAXBElement;
import javax.xml.transform.stream.StreamSource;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.Service;
import javax.xml.ws.WebEndpoint;

public class Operations {
    public static void main(String[] arguments) throws Exception {
        Object port = openPort();
        ((BindingProvider) port).getRequestContext().put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, System.getenv("ADDRESS"));
        JAXBContext context = JAXBContext.newInstance("stubs");
        for (Method method : port.getClass().getInterfaces()[0].getMethods()) {
            String name = method.getAnnotation(javax.jws.WebMethod.class).operationName();
            if (name.isEmpty()) name = method.getName();
            reset();
            try {
                String xml = Files.readString(Path.of(name + ".xml"));
                JAXBElement<?> request = context.createUnmarshaller().unmarshal(new StreamSource(new StringReader(xml)), method.getParameterTypes()[0]);
                method.invoke(port, request.getValue());
                System.out.println(name + " ok");
            } catch (InvocationTargetException thrown) {
                System.out.println(name + " " + String.valueOf(thrown.getCause()).replace('\n', ' '));
            }
        }
    }

    /** The only port of the only service. */
    static Object openPort() throws Exception {
        try (var files = Files.list(Path.of("stubs"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName().toString();
                if (!name.endsWith(".class")) continue;
                Class<?> type = Class.forName("stubs." + name.replace(".class", ""));
                if (!Service.class.isAssignableFrom(type)) continue;
                Object service = type.getConstructor().newInstance();
                for (Method method : type.getMethods())
                    if (method.isAnnotationPresent(WebEndpoint.class) && method.getParameterCount() == 0) return method.invoke(service);
            }
        }
        throw new IllegalStateException("no service");
    }

    static void reset() throws Exception {
        HttpURLConnection connection = (HttpURLConnection) new URL(System.getenv("MOCK") + "/_test/reset").openConnection();
        connection.setRequestMethod("POST");
        if (connection.getResponseCode() != 200) throw new IllegalStateException("no reset");
    }
}

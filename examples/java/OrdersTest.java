import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Tests a client in Java against `triglyph mock --wsdl orders.wsdl`, with the JDK alone: `java OrdersTest.java`. */
public class OrdersTest {
    static final String CALLERS = variable("TRIGLYPH_CALLERS", "http://127.0.0.1:8080");
    static final String ADMIN = variable("TRIGLYPH_ADMIN", "http://127.0.0.1:9090");
    static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public static void main(String[] arguments) throws Exception {
        run("creates an order", () -> {
            String created = createOrder("Anna", "java-creates-an-order");
            check(created.equals("{\"CreateOrderResult\":2}"), created);
            String order = call("GetOrder", "{\"orderId\":2}", "none").body();
            check(order.contains("\"Customer\":\"Anna\""), order);
        });
        run("a lost answer creates one order", () -> {
            control("faults", "{\"operation\":\"CreateOrder\",\"drop\":\"after\"}");
            createOrder("Anna", "java-a-lost-answer");
            String orders = call("ListOrders", "{\"Customer\":\"Anna\"}", "none").body();
            check(orders.split("OrderId", -1).length == 2, orders);
        });
        run("a declared fault", () -> {
            control("faults", "{\"operation\":\"GetOrder\",\"answer\":\"orderNotFound\"}");
            HttpResponse<String> refused = call("GetOrder", "{\"orderId\":1}", "none");
            check(refused.statusCode() == 422 && refused.body().contains("OrderNotFound"), refused.body());
        });
        run("the clock", () -> {
            String now = control("clock", "{\"set\":\"2026-01-01T00:00:00Z\"}");
            check(now.equals("{\"now\":\"2026-01-01T00:00:00.000Z\"}"), now);
        });
    }

    /** The client: it repeats a request without an answer, with the same key. */
    static String createOrder(String customer, String key) throws Exception {
        String line = "{\"Sku\":\"A-1\",\"Quantity\":2}";
        String order = "{\"order\":{\"Customer\":\"" + customer + "\",\"Line\":[" + line + "]}}";
        for (int attempt = 1; ; attempt++) {
            try {
                return call("CreateOrder", order, key).body();
            } catch (IOException lost) {
                if (attempt == 3) throw lost;
            }
        }
    }

    static HttpResponse<String> call(String operation, String body, String key) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(CALLERS + "/orders/v1/" + operation))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
        if (!key.equals("none")) request.header("Idempotency-Key", key);
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Calls the test API. */
    static String control(String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(ADMIN + "/_test/" + path))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        check(answer.statusCode() == 200, answer.body());
        return answer.body().strip();
    }

    interface Body {
        void run() throws Exception;
    }

    static void run(String name, Body body) throws Exception {
        control("reset", "");
        body.run();
        System.out.println("passed " + name);
    }

    static void check(boolean isRight, String found) {
        if (!isRight) throw new AssertionError(found);
    }

    static String variable(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null ? otherwise : value;
    }
}

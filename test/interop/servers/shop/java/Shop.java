// The shop on the HTTP server of the JDK, which has no library for JSON. `DOCUMENT=file PORT=8081 java Shop.java`
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

public class Shop {
    /** In JSON, as they were sent. */
    static final List<String> items = new ArrayList<>();

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange);
            } catch (RuntimeException thrown) {
                thrown.printStackTrace();
            }
        });
        server.start();
    }

    static void answer(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/");
        boolean hasId = path.length > 2;
        long id = hasId ? Long.parseLong(path[2]) : 0;
        String route = exchange.getRequestMethod() + " " + path[1] + (hasId ? "/id" : "") + (path.length > 3 ? "/" + path[3] : "");
        byte[] body = exchange.getRequestBody().readAllBytes();
        String text = new String(body, StandardCharsets.UTF_8);
        switch (route) {
            case "GET openapi.yaml":
                send(exchange, 200, "application/yaml", Files.readAllBytes(Path.of(System.getenv("DOCUMENT"))));
                break;
            case "GET items":
                List<String> found = named(quote(values(exchange.getRequestURI().getRawQuery(), "name").get(0)));
                exchange.getResponseHeaders().set("X-Total", String.valueOf(found.size()));
                json(exchange, 200, "[" + String.join(",", found) + "]");
                break;
            case "POST items":
                if (member(text, "price").startsWith("-")) {
                    problem(exchange, 422, "Refused", "\"detail\":\"A price is not below 0\"");
                    break;
                }
                items.add(text);
                json(exchange, 201, "{\"serial\":" + named(member(text, "name")).size() + ",\"item\":" + text + "}");
                break;
            case "GET items/id":
                if (id == 404) problem(exchange, 404, "Not Found", "\"detail\":\"No such item\",\"itemId\":404");
                else if (id == 500) send(exchange, 500, "text/plain", "Out of order".getBytes());
                else json(exchange, 200, seen(exchange, id));
                break;
            case "DELETE items/id":
                exchange.sendResponseHeaders(204, -1);
                break;
            case "GET items/id/photo":
                send(exchange, 200, "image/png", new byte[] {(byte) 0x89, 'P', 0, (byte) 0xff});
                break;
            case "POST items/id/photo":
                String raw = new String(body, StandardCharsets.ISO_8859_1);
                byte[] photo = part(raw, "photo").getBytes(StandardCharsets.ISO_8859_1);
                String caption = new String(part(raw, "caption").getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
                json(exchange, 200, "{\"caption\":" + quote(caption) + ",\"bytes\":" + photo.length + ",\"base64\":"
                    + quote(Base64.getEncoder().encodeToString(photo)) + "}");
                break;
            case "POST search":
                List<String> words = new ArrayList<>();
                for (int at = 1; at <= Integer.parseInt(values(text, "limit").get(0)); at++)
                    words.add(quote(values(text, "word").get(0) + " " + at));
                json(exchange, 200, "[" + String.join(",", words) + "]");
                break;
            default:
                exchange.sendResponseHeaders(404, -1);
        }
    }

    static String seen(HttpExchange exchange, long id) {
        String level = exchange.getRequestHeaders().getFirst("X-Level");
        String cookie = exchange.getRequestHeaders().getFirst("Cookie");
        List<String> fields = values(exchange.getRequestURI().getRawQuery(), "field");
        return "{\"id\":" + id + ",\"name\":" + quote("Zoë <&> \"Ω\"") + ",\"price\":2.5,\"added\":\"2026-01-02T03:04:05Z\""
            + (level == null ? "" : ",\"level\":" + quote(level))
            + (cookie == null ? "" : ",\"basket\":" + quote(cookie.replaceFirst("^.*basket=([^;]*).*$", "$1")))
            + ",\"field\":[" + fields.stream().map(Shop::quote).collect(Collectors.joining(",")) + "]}";
    }

    static List<String> named(String name) {
        return items.stream().filter(each -> member(each, "name").equals(name)).collect(Collectors.toList());
    }

    /** The value of the first member of a name, as it was sent. */
    static String member(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*(\"(?:[^\"\\\\]|\\\\.)*\"|[^,}]*)").matcher(json);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** Of a query or a form. */
    static List<String> values(String pairs, String name) {
        List<String> found = new ArrayList<>();
        for (String pair : (pairs == null ? "" : pairs).split("&"))
            if (pair.startsWith(name + "=")) found.add(URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8));
        return found;
    }

    /** The content of a part of a form. */
    static String part(String multipart, String name) {
        int head = multipart.indexOf("name=\"" + name + "\"");
        int start = multipart.indexOf("\r\n\r\n", head) + 4;
        return multipart.substring(start, multipart.indexOf("\r\n--", start));
    }

    static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    static void problem(HttpExchange exchange, int status, String title, String more) throws IOException {
        String text = "{\"type\":\"/problems/" + status + "\",\"title\":\"" + title + "\",\"status\":" + status + "," + more + "}";
        send(exchange, status, "application/problem+json", text.getBytes(StandardCharsets.UTF_8));
    }

    static void json(HttpExchange exchange, int status, String text) throws IOException {
        send(exchange, status, "application/json", text.getBytes(StandardCharsets.UTF_8));
    }

    static void send(HttpExchange exchange, int status, String type, byte[] bytes) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}

/** A peer: JAX-WS RI on Triglyph's WSDL answers from memory. For measurements on loopback only. */
import com.adyen.services.recurring.DisableRequest;
import com.adyen.services.recurring.DisableResult;
import com.adyen.services.recurring.NotifyShopperRequest;
import com.adyen.services.recurring.NotifyShopperResult;
import com.adyen.services.recurring.RecurringDetailsRequest;
import com.adyen.services.recurring.RecurringDetailsResult;
import com.adyen.services.recurring.RecurringPortType;
import com.adyen.services.recurring.ScheduleAccountUpdaterRequest;
import com.adyen.services.recurring.ScheduleAccountUpdaterResult;
import com.adyen.services.recurring.StoreTokenRequest;
import com.adyen.services.recurring.StoreTokenResult;
import com.adyen.services.recurring.TokenLookupRequest;
import com.adyen.services.recurring.TokenLookupResult;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.jws.WebService;
import javax.xml.ws.Endpoint;

@WebService(
    endpointInterface = "com.adyen.services.recurring.RecurringPortType",
    targetNamespace = "http://recurring.services.adyen.com")
public class Server implements RecurringPortType {
  private static final int THREADS = 8;

  private final Map<String, RecurringDetailsResult> answers;

  private Server(Map<String, RecurringDetailsResult> answers) {
    this.answers = answers;
  }

  public static void main(String[] arguments) throws Exception {
    Server service = new Server(Answers.read(Path.of(System.getenv("ANSWERS_TEXT"))));
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 128);
    http.setExecutor(Executors.newFixedThreadPool(THREADS));
    Endpoint.create(service).publish(http.createContext("/pal/servlet/Recurring/v25"));
    http.createContext(
        "/ready",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    http.start();
  }

  @Override
  public RecurringDetailsResult listRecurringDetails(RecurringDetailsRequest request) {
    return answers.get(request.getShopperReference().getValue());
  }

  @Override
  public DisableResult disable(DisableRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public NotifyShopperResult notifyShopper(NotifyShopperRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduleAccountUpdaterResult scheduleAccountUpdater(ScheduleAccountUpdaterRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public StoreTokenResult storeToken(StoreTokenRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public TokenLookupResult tokenLookup(TokenLookupRequest request) {
    throw new UnsupportedOperationException();
  }
}

/** Java 11 and newer, without libraries: `java Call.java`. */
import {
  credentialLines,
  credentialVariables,
  keyComment,
  type Language,
  type SourceCall,
  textOf,
} from './language.ts';
import { asciiLiteral, asciiPieces } from './literal.ts';

export const java: Language = Object.freeze<Language>({ title: 'Java', file: 'Call.java', print });

const { apiKey, user, password } = credentialVariables;

function print({ method, url, headers, body, credential, hasKey }: SourceCall): string {
  const isBasic = credential === 'basic';
  const imports = [
    ...['java.net.URI', 'java.net.http.HttpClient', 'java.net.http.HttpRequest', 'java.net.http.HttpResponse'],
    ...(isBasic ? ['java.nio.charset.StandardCharsets'] : []),
    'java.time.Duration',
    ...(isBasic ? ['java.util.Base64'] : []),
    ...(hasKey ? ['java.util.UUID'] : []),
  ];
  const lines = [
    ...credentialLines(
      credential,
      `.header("X-API-Key", System.getenv("${apiKey}"))`,
      '.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credential.getBytes(StandardCharsets.UTF_8)))',
    ),
    ...headers.map(([name, value]) => `.header(${asciiLiteral(name)}, ${asciiLiteral(value)})`),
    ...(hasKey ? [`// ${keyComment}`, '.header("Idempotency-Key", UUID.randomUUID().toString())'] : []),
    `.method("${method}", HttpRequest.BodyPublishers.${body === undefined ? 'noBody()' : 'ofString(body)'})`,
    '.timeout(Duration.ofSeconds(60))',
    '.build();',
  ];
  return `${imports.map((name) => `import ${name};\n`).join('')}
public class Call {
    public static void main(String[] arguments) throws Exception {
${isBasic ? `        String credential = System.getenv("${user}") + ":" + System.getenv("${password}");\n` : ''}${
  body === undefined ? '' : `        String body = String.join("",\n${asciiPieces(textOf(body))});\n`
}        HttpRequest request = HttpRequest.newBuilder(URI.create(${asciiLiteral(url)}))
${lines.map((line) => `            ${line}\n`).join('')}        HttpResponse<String> response =
            HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(response.statusCode() + " " + response.body());
    }
}
`;
}

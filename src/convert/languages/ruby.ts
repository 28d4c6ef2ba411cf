/** Ruby, without gems. */
import {
  credentialLines,
  credentialVariables,
  keyComment,
  type Language,
  type SourceBody,
  type SourceCall,
} from './language.ts';
import { bracedEscape, escapeSpecial, isPlain, type LiteralSyntax, printBody, singleQuoted } from './literal.ts';

export const ruby: Language = Object.freeze<Language>({ title: 'Ruby', file: 'call.rb', print });

const { apiKey, user, password } = credentialVariables;

function print({ method, url, headers, body, credential, hasKey }: SourceCall): string {
  const libraries = [...(body?.kind === 'json' ? ['json'] : []), 'net/http', ...(hasKey ? ['securerandom'] : [])];
  const lines = [
    `uri = URI(${literal(url)})`,
    `request = Net::HTTP::${method.charAt(0)}${method.slice(1).toLowerCase()}.new(uri)`,
    ...credentialLines(
      credential,
      `request['X-API-Key'] = ENV.fetch('${apiKey}')`,
      `request.basic_auth(ENV.fetch('${user}'), ENV.fetch('${password}'))`,
    ),
    ...headers.map(([name, value]) => `request[${literal(name)}] = ${literal(value)}`),
    ...(hasKey ? [`# ${keyComment}`, "request['Idempotency-Key'] = SecureRandom.uuid"] : []),
    ...(body === undefined ? [] : [`request.body = ${contents[body.kind]}`]),
    "response = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == 'https') { |http| http.request(request) }",
    "puts response.code + ' ' + response.body.to_s",
  ];
  return `${libraries.map((name) => `require '${name}'\n`).join('')}
${body === undefined ? '' : `body = ${printBody(body, syntax)}\n`}${lines.join('\n')}
`;
}

/** The body as the request sends it. */
const contents: Readonly<Record<SourceBody['kind'], string>> = {
  json: 'JSON.generate(body)',
  form: 'URI.encode_www_form(body)',
  text: 'body',
};

/** A string literal. In double quotes, `#` can begin an expression. */
export function literal(text: string): string {
  if (isPlain(text)) return singleQuoted(text);
  return `"${escapeSpecial(text.replace(/["\\#]/g, '\\$&'), bracedEscape)}"`;
}

const syntax: LiteralSyntax = {
  indent: '  ',
  text: literal,
  key: (name) => `${literal(name)} => `,
  openObject: () => '{',
  closeObject: '}',
  words: { true: 'true', false: 'false', null: 'nil' },
};

/** Python 3, without packages. */
import {
  credentialLines,
  credentialVariables,
  keyComment,
  type Language,
  type SourceBody,
  type SourceCall,
} from './language.ts';
import { escapeSpecial, type LiteralSyntax, printBody } from './literal.ts';

export const python: Language = Object.freeze<Language>({ title: 'Python', file: 'call.py', print });

const { apiKey, user, password } = credentialVariables;

function print({ method, url, headers, body, credential, hasKey }: SourceCall): string {
  const isBasic = credential === 'basic';
  const modules = [
    ...(isBasic ? ['base64'] : []),
    ...(body?.kind === 'json' ? ['json'] : []),
    ...(credential === 'none' ? [] : ['os']),
    'urllib.error',
    ...(body?.kind === 'form' ? ['urllib.parse'] : []),
    'urllib.request',
    ...(hasKey ? ['uuid'] : []),
  ];
  const lines = [
    ...credentialLines(
      credential,
      `"X-API-Key": os.environ["${apiKey}"],`,
      '"Authorization": "Basic " + base64.b64encode(credential.encode()).decode(),',
    ),
    ...headers.map(([name, value]) => `${literal(name)}: ${literal(value)},`),
    ...(hasKey ? [`# ${keyComment}`, '"Idempotency-Key": str(uuid.uuid4()),'] : []),
  ];
  return `${modules.map((name) => `import ${name}\n`).join('')}
${isBasic ? `credential = os.environ["${user}"] + ":" + os.environ["${password}"]\n` : ''}${
  body === undefined ? '' : `body = ${printBody(body, syntax)}\n`
}request = urllib.request.Request(
    ${literal(url)},
    method="${method}",
    headers={
${lines.map((line) => `        ${line}\n`).join('')}    },
${body === undefined ? '' : `    data=${contents[body.kind]},\n`})
try:
    response = urllib.request.urlopen(request, timeout=60)
except urllib.error.HTTPError as error:
    response = error
print(response.status, response.read().decode())
`;
}

/** The body as the request sends it. */
const contents: Readonly<Record<SourceBody['kind'], string>> = {
  json: 'json.dumps(body).encode()',
  form: 'urllib.parse.urlencode(body).encode()',
  text: 'body.encode()',
};

/** A string literal. */
export function literal(text: string): string {
  return `"${escapeSpecial(text.replace(/["\\]/g, '\\$&'), numericEscape)}"`;
}

function numericEscape(codePoint: number): string {
  const digits = codePoint.toString(16);
  return codePoint > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

const syntax: LiteralSyntax = {
  indent: '    ',
  text: literal,
  key: (name) => `${literal(name)}: `,
  openObject: () => '{',
  closeObject: '}',
  words: { true: 'True', false: 'False', null: 'None' },
};

/** JavaScript for Node, without packages. */
import {
  credentialLines,
  credentialVariables,
  keyComment,
  type Language,
  type SourceBody,
  type SourceCall,
} from './language.ts';
import { bracedEscape, escapeSpecial, isPlain, type LiteralSyntax, printBody, singleQuoted } from './literal.ts';

export const node: Language = Object.freeze<Language>({ title: 'Node', file: 'call.mjs', print });

const { apiKey, user, password } = credentialVariables;

function print({ method, url, headers, body, credential, hasKey }: SourceCall): string {
  const lines = [
    ...credentialLines(
      credential,
      `'X-API-Key': process.env.${apiKey},`,
      // btoa accepts no text outside of ISO-8859-1.
      `Authorization: \`Basic \${Buffer.from(\`\${process.env.${user}}:\${process.env.${password}}\`).toString('base64')}\`,`,
    ),
    ...headers.map(([name, value]) => `${key(name)}${literal(value)},`),
    ...(hasKey ? [`// ${keyComment}`, "'Idempotency-Key': randomUUID(),"] : []),
  ];
  return `${hasKey ? "import { randomUUID } from 'node:crypto';\n\n" : ''}${
    body === undefined ? '' : `const body = ${printBody(body, syntax)};\n`
  }const response = await fetch(${literal(url)}, {
  method: '${method}',
  headers: {
${lines.map((line) => `    ${line}\n`).join('')}  },
${body === undefined ? '' : `  body: ${contents[body.kind]},\n`}  signal: AbortSignal.timeout(60_000),
});
console.log(response.status, await response.text());
`;
}

/** The body as the request sends it. */
const contents: Readonly<Record<SourceBody['kind'], string>> = {
  json: 'JSON.stringify(body)',
  form: 'String(new URLSearchParams(body))',
  text: 'body',
};

/** A string literal. */
export function literal(text: string): string {
  if (isPlain(text)) return singleQuoted(text);
  return `'${escapeSpecial(text.replace(/['\\]/g, '\\$&'), bracedEscape)}'`;
}

/** `__proto__` as a plain name would set the prototype. */
function key(name: string): string {
  if (name === '__proto__') return "['__proto__']: ";
  return `${/^[A-Za-z_]\w*$/.test(name) ? name : literal(name)}: `;
}

const syntax: LiteralSyntax = {
  indent: '  ',
  text: literal,
  key,
  openObject: () => '{',
  closeObject: '}',
  words: { true: 'true', false: 'false', null: 'null' },
};

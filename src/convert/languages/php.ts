/** PHP, without extensions. */
import {
  credentialLines,
  credentialVariables,
  keyComment,
  type Language,
  type SourceBody,
  type SourceCall,
} from './language.ts';
import { bracedEscape, escapeSpecial, isPlain, type LiteralSyntax, printBody, singleQuoted } from './literal.ts';

export const php: Language = Object.freeze<Language>({ title: 'PHP', file: 'call.php', print });

const { apiKey, user, password } = credentialVariables;

function print({ method, url, headers, body, credential, hasKey }: SourceCall): string {
  const lines = [
    ...credentialLines(
      credential,
      `'X-API-Key: ' . getenv('${apiKey}'),`,
      `'Authorization: Basic ' . base64_encode(getenv('${user}') . ':' . getenv('${password}')),`,
    ),
    ...headers.map(([name, value]) => `${literal(`${name}: ${value}`)},`),
    ...(hasKey ? [`// ${keyComment}`, "'Idempotency-Key: ' . bin2hex(random_bytes(16)),"] : []),
  ];
  return `<?php
${body === undefined ? '' : `$body = ${printBody(body, syntax)};\n`}$response = file_get_contents(${literal(url)}, false, stream_context_create(['http' => [
    'method' => '${method}',
    'header' => [
${lines.map((line) => `        ${line}\n`).join('')}    ],
${body === undefined ? '' : `    'content' => ${contents[body.kind]},\n`}    'ignore_errors' => true,
]]));
echo explode(' ', $http_response_header[0])[1], ' ', $response, "\\n";
`;
}

/** The body as the request sends it. */
const contents: Readonly<Record<SourceBody['kind'], string>> = {
  json: 'json_encode($body, JSON_THROW_ON_ERROR)',
  form: 'http_build_query($body)',
  text: '$body',
};

/** A string literal. */
export function literal(text: string): string {
  if (isPlain(text)) return singleQuoted(text);
  return `"${escapeSpecial(text.replace(/["\\$]/g, '\\$&'), bracedEscape)}"`;
}

const syntax: LiteralSyntax = {
  indent: '    ',
  text: literal,
  key: (name) => `${literal(name)} => `,
  // PHP makes numbers of keys such as '0', and JSON lists of arrays whose keys are numbers or that are empty.
  openObject: (names) => (names.every((name) => /^-?\d+$/.test(name)) ? '(object) [' : '['),
  closeObject: ']',
  words: { true: 'true', false: 'false', null: 'null' },
};

/** curl in a POSIX shell. */
import { escapeLines } from '../../core/lib/index.ts';
import {
  credentialLines,
  credentialVariables,
  type Language,
  type SourceBody,
  type SourceCall,
  textOf,
} from './language.ts';

export const curl: Language = Object.freeze<Language>({ title: 'curl', file: 'call.sh', print });

const { apiKey, user, password } = credentialVariables;

function print({ method, url, headers, body, credential, hasKey }: SourceCall): string {
  const options = [
    ...credentialLines(credential, `-H "X-API-Key: $${apiKey}"`, `-u "$${user}:$${password}"`),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(hasKey ? [`-H "Idempotency-Key: $(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)"`] : []),
    // --data would read a file for a body that begins with an at sign.
    ...(body === undefined ? [] : [`--data-raw ${quote(plainTextOf(body))}`]),
  ];
  const start = `curl -sS${method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${method}`} ${quote(url)}`;
  return `${[start, ...options].join(' \\\n  ')}\n`;
}

/** JSON can escape the characters that a shell shows badly. */
function plainTextOf(body: SourceBody): string {
  if (body.kind !== 'json') return textOf(body);
  return escapeLines(textOf(body));
}

/** Quotes one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

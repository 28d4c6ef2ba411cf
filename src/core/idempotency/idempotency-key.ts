/** Reads the Idempotency-Key of a request: from the header, or from another place where callers send it. */
import {
  keyHeader,
  keyLengthMax,
  keyPattern,
  meansKey,
  type Operation,
  Problem,
  type SentKey,
} from '../contract/index.ts';

/** Header names are parsed into lower case. */
const header = keyHeader.toLowerCase();
const valid = new RegExp(`^${keyPattern}$`);

/** What may have a key: the head of a request, and what was decoded. */
interface MayHaveKey {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: string;
}

interface DecodedWithKey {
  readonly operation: Pick<Operation, 'upstream'>;
  readonly key?: SentKey | undefined;
}

/** Under 16 characters two requests may have the same key by chance; a random UUID has 36. */
export function isWeak(key: string): boolean {
  return key.length < 16;
}

/**
 * Returns the key, if there is one. A MessageID is the key of a request that has none in another place. Throws invalidKey, with the place in
 * its text, for what is no key, and for two keys that differ.
 */
export function keyOf(head: MayHaveKey, { operation, key: inBody }: DecodedWithKey): string | undefined {
  const sent = [
    ...keysInHeaders(head.headers, operation),
    ...keysInQuery(head.query, operation),
    ...(inBody === undefined ? [] : [inBody]),
  ];
  const explicit = sent.filter(({ isMessageId }) => isMessageId !== true);
  const [first, ...others] = explicit.length > 0 ? explicit : sent;
  if (first === undefined) return undefined;
  for (const { text, place } of [first, ...others]) if (text.length > keyLengthMax || !valid.test(text)) refuse(place);
  const other = others.find(({ text }) => text !== first.text);
  if (other !== undefined)
    throw new Problem('invalidKey', `${first.place} and ${other.place} are two different keys: send one`, {
      reason: 'twoIdempotencyKeys',
    });
  return first.text;
}

export function keyMissing(): Problem {
  return new Problem('invalidKey', `${keyHeader} is missing, and this credential may not write without one`, {
    reason: 'noIdempotencyKey',
  });
}

/** Those that the operation declares as parameters are its own. */
function keysInHeaders(headers: MayHaveKey['headers'], operation: DecodedWithKey['operation']): readonly SentKey[] {
  return Object.keys(headers).flatMap((name) => {
    const text = headers[name];
    if (text === undefined || !meansKey(name) || (name !== header && isDeclared(operation, 'header', name))) return [];
    // Accepts a quoted string (RFC 8941), and the bare text that callers of this interface send.
    const place = name === header ? keyHeader : `the header ${name}`;
    return [{ text: text.replace(/^"(.*)"$/s, '$1'), place }];
  });
}

function keysInQuery(query: string, operation: DecodedWithKey['operation']): readonly SentKey[] {
  if (!/idempoten/i.test(query)) return [];
  return [...new URLSearchParams(query)].flatMap(([name, text]) =>
    meansKey(name) && !isDeclared(operation, 'query', name) ? [{ text, place: `${name} in the query` }] : [],
  );
}

function isDeclared({ upstream }: DecodedWithKey['operation'], location: 'header' | 'query', name: string): boolean {
  return Object.entries(upstream?.parameters ?? {}).some(
    ([field, parameter]) => parameter.in === location && (parameter.name ?? field).toLowerCase() === name.toLowerCase(),
  );
}

function refuse(place: string): never {
  // The text for the header is that of the kind.
  const text = `${place} is not 1 to ${keyLengthMax} printable characters without blanks, quotes or backslashes`;
  throw new Problem('invalidKey', text);
}

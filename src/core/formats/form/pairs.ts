/** Splits text into decoded pairs of name and value, with qs. */
import type { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type * as Library from 'qs';
import type { TextPlace } from '../../contract/index.ts';
import { type Charset, characterOf, type SingleByteCharset } from '../../lib/index.ts';
import { decodeText } from '../body-text.ts';
import type { Fault } from '../malformed-body.ts';
import type { UpstreamTraits } from '../protocol.ts';
import type { TextPart, TextTools } from '../text-tools.ts';

export const formText: TextTools = Object.freeze<TextTools>({
  decode(body, charset) {
    const decoded = decodeText(body, charset);
    return 'text' in decoded ? decoded.text : undefined;
  },
  parts: partsOfForm,
  indent: (text) => text,
  resembles: (text) => !/^(?:<|[A-Z]+ \S+ HTTP|HTTP\/)/.test(text.trimStart()),
  ofFile: withoutLineEnd,
  clues: (body) => {
    const [, service, operation] = /(?:^|&)action=(\w+)\.(\w+)(?:&|\s*$)/.exec(body.toString('latin1')) ?? [];
    return service === undefined || operation === undefined ? undefined : { service, operation };
  },
  source: (body) => ({ kind: 'form', pairs: Object.fromEntries(new URLSearchParams(body)) }),
});

export const formUpstream: UpstreamTraits = Object.freeze<UpstreamTraits>({
  accept: 'application/x-www-form-urlencoded, text/plain;q=0.9',
  isAnswerType: (type) => type === 'application/x-www-form-urlencoded',
  hasKeyInBody: true,
  declaresCharset: true,
});

/** Files end with a line break, which a form has not. */
function withoutLineEnd(body: Buffer): Buffer {
  let end = body.length;
  while (end > 0 && (body[end - 1] === 0x0a || body[end - 1] === 0x0d)) end -= 1;
  return body.subarray(0, end);
}

/** The text of the form adapter, in which a pair names the operation. */
export const adapterText: TextTools = Object.freeze<TextTools>({
  ...formText,
  parts: (text) =>
    partsOfForm(text)?.map((part, at, parts) => {
      const isAction = parts[at - 1]?.decoded === 'action' && /^[A-Za-z]+\.[A-Za-z]+$/.test(part.decoded);
      return isAction ? { ...part, isTechnical: true } : part;
    }),
});

/** `isBare`: it is a name without `=`. */
export type Pair = readonly [name: string, value: string, isBare?: boolean];

type ParsedPairs = { readonly pairs: readonly Pair[] } | Fault;

/** Each name may occur once. `countMax` limits the pairs. `charset` is that of percent-encoded bytes. */
export function parsePairs(text: string, countMax: number, charset: Charset = 'utf-8'): ParsedPairs {
  const pairs: Pair[] = [];
  const decoder = decoderIn(charset);
  const single = withoutEmptyPairs(text);
  const parsed = split(single, countMax, decoder);
  if ('fault' in parsed) return { ...parsed, where: findPair(single, countMax, decoder) };
  for (const name in parsed.values) {
    const value = parsed.values[name];
    pairs.push(typeof value === 'string' ? [name.slice(mark.length), value] : [name.slice(mark.length), '', true]);
  }
  const count = single === '' ? 0 : single.split('&').length;
  return pairs.length === count ? { pairs } : { fault: 'duplicate key', where: findPair(single, countMax, decoder) };
}

let library: typeof Library | undefined;

type Split = { readonly values: Readonly<Record<string, unknown>> } | Fault;

function split(text: string, countMax: number, decoder: Decoder): Split {
  // Loaded for the first request in FORM: its thirty files take longer than all others of a gateway inside a program.
  library ??= createRequire(import.meta.url)('qs') as typeof Library;
  try {
    const values = library.parse(withOneEqualsSign(text), {
      decoder,
      depth: 0,
      allowDots: false,
      plainObjects: true,
      strictNullHandling: true,
      // To combine n values of a name, qs copies n² of them. A name that occurs twice is found by the number of names.
      duplicates: 'first',
      throwOnLimitExceeded: true,
      parameterLimit: countMax,
      // Skips the pass that removes holes from arrays; without indices there are none.
      allowSparse: true,
    });
    return { values };
  } catch (thrown) {
    if (thrown instanceof URIError) return { fault: 'percent-encoding' };
    if (thrown instanceof RangeError) return { fault: 'too many pairs' };
    throw thrown;
  }
}

/** The first pair that is one too many, cannot be decoded, or has the name of an earlier one. Only for a text that was refused. */
function findPair(text: string, countMax: number, decoder: Decoder): string | undefined {
  const names = new Set<string>();
  let count = 0;
  for (const pair of text.split('&')) {
    count += 1;
    if (count > countMax) return `pair ${count}`;
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    try {
      const decoded = decoder(name, undefined, '', 'key');
      decoder(value, undefined, '', 'value');
      if (names.has(decoded)) return `pair ${count}`;
      names.add(decoded);
    } catch {
      return `pair ${count}`;
    }
  }
  return undefined;
}

/**
 * Stands in front of every name inside qs. Otherwise qs would drop empty names and `__proto__` and strip brackets
 * around a name, and JavaScript would move names like `0` to the front of the object.
 */
const mark = '.';

type Decoder = (text: string, decoder: unknown, charset: string, kind: 'key' | 'value') => string;

/** Throws a URIError for wrong percent-encoding, a lone `%` included. The decoder of qs would keep such text. */
type DecodePercent = (text: string) => string;

function createDecoder(decodePercent: DecodePercent): Decoder {
  const decode = (text: string): string => {
    const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
    return spaced.includes('%') ? decodePercent(spaced) : spaced;
  };
  return (text, _decoder, _charset, kind) => (kind === 'key' ? mark + decode(text) : decode(text));
}

const decoder = createDecoder(decodeURIComponent);

function decoderIn(charset: Charset): Decoder {
  if (charset === 'utf-8' || charset === 'utf-16') return decoder;
  return createDecoder((text) => decodeBytes(text, charset));
}

/** Percent-encoded bytes of a charset in which each byte is a character. */
function decodeBytes(text: string, charset: SingleByteCharset): string {
  return text.replace(/%([0-9a-f]{2})?/gi, (_, hex: string | undefined) => {
    const character = hex === undefined ? undefined : characterOf(Number.parseInt(hex, 16), charset);
    if (character === undefined) throw new URIError('percent-encoding');
    return character;
  });
}

/** qs counts empty pairs; here they are ignored. */
function withoutEmptyPairs(text: string): string {
  const single = text.includes('&&') ? text.replace(/&{2,}/g, '&') : text;
  return single.slice(single.startsWith('&') ? 1 : 0, single.endsWith('&') ? -1 : undefined);
}

/** qs splits a pair at `]=` if there is one. A pair is to be split at its first `=`. */
function withOneEqualsSign(text: string): string {
  if (!/(?:\]|%5D)=/i.test(text)) return text;
  return text.replace(/=[^&]+/g, (rest) => `=${rest.slice(1).replaceAll('=', '%3D')}`);
}

/** The names and the values of the pairs that `parsePairs` returns for a text, as parts of it. A pair without a value is its name. */
export function placesOfPairs(text: string): readonly Pick<TextPlace, 'name' | 'value'>[] {
  return Array.from(text.matchAll(/[^&]+/g), ({ index, 0: pair }) => {
    const sign = pair.indexOf('=');
    const name = { start: index, end: index + (sign === -1 ? pair.length : sign) };
    const value = { start: Math.min(name.end + 1, index + pair.length), end: index + pair.length };
    return { name, value: value.start === value.end ? name : value };
  });
}

/** The names and the values of a text, for masking; undefined for one that is no form. */
export function partsOfForm(text: string): readonly TextPart[] | undefined {
  const parsed = parsePairs(text, Number.POSITIVE_INFINITY);
  if ('fault' in parsed) return undefined;
  return placesOfPairs(text).flatMap(({ name, value }, at): readonly TextPart[] => {
    const [decodedName = '', decoded = ''] = parsed.pairs[at] ?? [];
    const quote = (other: string): string => other;
    const named = name.start === name.end ? [] : [{ kind: 'name', ...name, decoded: decodedName, quote } as const];
    return value === name ? named : [...named, { kind: 'value', ...value, decoded, quote }];
  });
}

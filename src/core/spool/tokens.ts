/** Tokens: short texts that stand for large values, whose bytes are in a temporary file. */
import { Buffer } from 'node:buffer';

/** A large value in a temporary file, until its request is answered. */
export interface SpooledValue {
  /** What stands for the value in texts. A caller cannot guess it, and no format escapes its characters. */
  readonly token: string;
  /** In bytes. */
  readonly length: number;
  /** The SHA-256 of the bytes, in base64url. */
  readonly sha256: string;
  /** Whether the bytes were decoded from base64. Else they stood as they are, in a part of a message. */
  readonly isDecoded: boolean;
  /** Returns the bytes in pieces. Throws where the file is closed or cannot be read. */
  read(): AsyncGenerator<Buffer, void, undefined>;
}

/** The values of all requests that are handled now. A text that looks like a token and is none here is a text. */
const live = new Map<string, SpooledValue>();

const start = '_spooled_';
const letters = 32;
/** No base64 has an underscore. Letters alone follow: digits could be taken for a card number. */
const pattern = /_spooled_[a-p]{32}_/g;
const tokenLength = start.length + letters + 1;

/** Returns a token of 16 random bytes. */
export function tokenOf(random: Uint8Array): string {
  const signs = Array.from(random, (byte) => String.fromCharCode(97 + (byte >> 4), 97 + (byte & 15)));
  return `${start}${signs.join('')}_`;
}

/** Lets texts hold the token of a value, until `forget`. */
export function remember(value: SpooledValue): void {
  live.set(value.token, value);
}

/** Makes the token of a value a text like others. */
export function forget({ token }: SpooledValue): void {
  live.delete(token);
}

/** Returns the value that a whole text stands for. */
export function spooledValue(text: string): SpooledValue | undefined {
  return live.size > 0 && text.length === tokenLength ? live.get(text) : undefined;
}

/** Returns the token that bytes are, or else the bytes in base64. */
export function tokenOrBase64(bytes: Buffer): string {
  const token = bytes.length === tokenLength ? spooledValue(bytes.toString('latin1'))?.token : undefined;
  return token ?? bytes.toString('base64');
}

/** Returns the bytes of base64, or those of a token. */
export function bytesOrToken(text: string): Buffer {
  return Buffer.from(text, spooledValue(text) === undefined ? 'base64' : 'latin1');
}

/** Returns the texts between tokens, and the values that these stand for, in order; undefined where there is no token. */
export function splitAtTokens(text: string): readonly (string | SpooledValue)[] | undefined {
  if (live.size === 0 || !text.includes(start)) return undefined;
  const pieces: (string | SpooledValue)[] = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(pattern)) {
    const value = live.get(token);
    if (value === undefined) continue;
    pieces.push(text.slice(end, index), value);
    end = index + token.length;
  }
  if (end === 0) return undefined;
  pieces.push(text.slice(end));
  return pieces;
}

/** Whether bytes may have a token: they have the start of one. */
export function mayHaveToken(bytes: Buffer): boolean {
  return live.size > 0 && bytes.includes(start);
}

/** Whether a text has a token. */
export function hasToken(text: string): boolean {
  return splitAtTokens(text) !== undefined;
}

/** Returns a text for people and records: the length of each value in place of its token. */
export function describeTokens(text: string): string {
  const pieces = splitAtTokens(text);
  return pieces?.map((each) => (typeof each === 'string' ? each : `(${each.length} bytes)`)).join('') ?? text;
}

/** Returns a value of a contract with each text replaced; the same value where `replace` changes none. */
export function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((each) => mapTexts(each, replace));
    return items.some((each, at) => each !== value[at]) ? items : value;
  }
  const entries = Object.entries(value);
  const mapped = entries.map(([name, each]) => [name, mapTexts(each, replace)] as const);
  return mapped.some(([, each], at) => each !== entries[at]![1]) ? Object.fromEntries(mapped) : value;
}

/** Returns a text with the bytes of each value, in base64, in place of its token. */
export async function withBytes(text: string): Promise<string> {
  const pieces = splitAtTokens(text);
  if (pieces === undefined) return text;
  const texts = pieces.map((each) => (typeof each === 'string' ? each : base64Of(each)));
  return (await Promise.all(texts)).join('');
}

/** Returns the bytes of all tokens of a text together. */
export function bytesBehind(text: string): number {
  return (splitAtTokens(text) ?? []).reduce((sum, each) => (typeof each === 'string' ? sum : sum + each.length), 0);
}

/** Returns what has an input, such as a request, with the bytes of the input in base64 in place of tokens. */
export async function withInputBytes<T extends { readonly input: unknown }>(given: T): Promise<T> {
  const found = new Map<string, string>();
  mapTexts(given.input, (text) => {
    if (hasToken(text)) found.set(text, '');
    return text;
  });
  for (const text of found.keys()) found.set(text, await withBytes(text));
  return { ...given, input: mapTexts(given.input, (text) => found.get(text) ?? text) };
}

async function base64Of(value: SpooledValue): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of value.read()) pieces.push(piece);
  return Buffer.concat(pieces).toString('base64');
}

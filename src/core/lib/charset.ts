/** Decodes bytes in the charsets of older clients. Bytes that a charset does not have are refused, never replaced. */
import { Buffer, isAscii } from 'node:buffer';

/** Each byte is one character. */
export type SingleByteCharset = 'iso-8859-1' | 'windows-1252' | 'us-ascii';

export type Charset = 'utf-8' | 'utf-16' | SingleByteCharset;

/** The charset that a label names, in any case; undefined for another one. */
export function charsetOf(label: string): Charset | undefined {
  return byLabel.get(label.toLowerCase());
}

/** The charset that a content type names; undefined for none, and for one that is not known. */
export function charsetIn(contentType: string | undefined): Charset | undefined {
  const label = charsetLabel(contentType);
  return label === undefined ? undefined : charsetOf(label);
}

/** The media type of a content type without its parameters, in small letters. */
export function mediaTypeIn(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** The label of the charset that a content type names. */
export function charsetLabel(contentType = ''): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:+-]+)"?/i.exec(contentType)?.[1];
}

/** Returns undefined for bytes that are not in the charset. */
export function decodeSingleByte(bytes: Buffer, charset: SingleByteCharset): string | undefined {
  switch (charset) {
    case 'us-ascii':
      return isAscii(bytes) ? bytes.toString('latin1') : undefined;
    case 'iso-8859-1':
      // Bytes 0x80 to 0x9F are the control characters of ISO 6429. Java and libxml2 read them so, browsers do not.
      return bytes.toString('latin1');
    case 'windows-1252': {
      const text = windows1252.decode(bytes);
      return unassigned.test(text) ? undefined : text;
    }
    default:
      return charset satisfies never;
  }
}

/** The index of the first byte that is not in the charset, for bytes that were refused. */
export function firstInvalidByte(bytes: Buffer, charset: Exclude<Charset, 'utf-16'>): number {
  if (charset !== 'utf-8') return bytes.findIndex((byte) => characters[charset][byte] === undefined);
  // Decoding replaces what is invalid, so encoding again differs there first.
  const again = Buffer.from(bytes.toString('utf8'));
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  return at === -1 ? bytes.length : at;
}

/** The character of a byte; undefined for a byte that is not in the charset. */
export function characterOf(byte: number, charset: SingleByteCharset): string | undefined {
  return characters[charset][byte];
}

const windows1252 = new TextDecoder('windows-1252');

/** The decoder keeps the five bytes that the code page leaves open (0x81, 0x8D, 0x8F, 0x90, 0x9D), `fatal` or not. */
const unassigned = /[\u0080-\u009f]/;

/** By byte: a decoder that is called for each byte of a body takes a hundred times as long. */
const characters: Readonly<Record<SingleByteCharset, readonly (string | undefined)[]>> = Object.freeze({
  'iso-8859-1': charactersOf('iso-8859-1'),
  'windows-1252': charactersOf('windows-1252'),
  'us-ascii': charactersOf('us-ascii'),
});

function charactersOf(charset: SingleByteCharset): readonly (string | undefined)[] {
  return Array.from({ length: 256 }, (_, byte) => decodeSingleByte(Buffer.of(byte), charset));
}

/** The names and aliases that IANA registers, and those of Java. */
const labels: Readonly<Record<Charset, readonly string[]>> = {
  'utf-8': ['utf-8', 'utf8'],
  'utf-16': ['utf-16'],
  'iso-8859-1': [
    'iso-8859-1',
    'iso_8859-1',
    'iso8859-1',
    'iso8859_1',
    'latin1',
    'l1',
    'ibm819',
    'cp819',
    'csisolatin1',
  ],
  'windows-1252': ['windows-1252', 'cp1252', 'cswindows1252'],
  'us-ascii': ['us-ascii', 'ascii', 'ansi_x3.4-1968', 'iso646-us', 'iso_646.irv:1991', 'ibm367', 'cp367', 'csascii'],
};

const byLabel: ReadonlyMap<string, Charset> = new Map(
  (Object.keys(labels) as Charset[]).flatMap((charset) => labels[charset].map((label) => [label, charset] as const)),
);

/** Masks a text that no format could read: its structure stays, and words that are names in contracts. */
import { Buffer } from 'node:buffer';
import { type Operation, partsIn } from '../../../core/contract/index.ts';
import { decodeText } from '../../../core/formats/index.ts';
import type { Charset } from '../../../core/lib/index.ts';

/** A message as it is kept. */
export interface MaskedText {
  readonly text: string;
  /** The message is longer. */
  readonly isCut: boolean;
}

/** Letters become `x` and digits `0`, so that a place in the text can be found. */
export function maskShape(text: string, known: ReadonlySet<string>, lengthMax: number): MaskedText {
  const isCut = text.length > lengthMax;
  const begin = isCut ? text.slice(0, lengthMax) : text;
  const shape = begin.replace(/[\p{L}\p{N}_]+|[^\s{}[\]":,'<>/=&?\\]/gu, (word) =>
    known.has(word) ? word : word.replace(/\p{N}/gu, '0').replace(/[^0]/gu, 'x'),
  );
  return { text: shape, isCut };
}

/** The names of operations and members, and words of the formats. */
export function knownWords(operations: readonly Operation[]): ReadonlySet<string> {
  const words = new Set(['Envelope', 'Header', 'Body', 'xmlns', 'xml', 'action', 'request', 'true', 'false', 'null']);
  for (const { name, input } of operations) {
    words.add(name);
    for (const { name: member, schema } of partsIn(input)) {
      if (member !== undefined) words.add(member);
      if (schema.kind === 'list' && !schema.joined) words.add(schema.itemName);
    }
  }
  return words;
}

/** The text of a body that no format has read. Bytes that are no text in its charset are read as Latin-1. */
export function lenientText(body: Buffer, charset: Charset | undefined): string {
  const isLittleEndian = body[0] === 0xff && body[1] === 0xfe;
  const isBigEndian = body[0] === 0xfe && body[1] === 0xff;
  if (isBigEndian && body.length % 2 === 0) return Buffer.from(body).swap16().toString('utf16le');
  if (charset === 'utf-16' || isLittleEndian || isBigEndian) return body.toString('utf16le');
  const decoded = decodeText(body, charset);
  return 'text' in decoded ? decoded.text : body.toString('latin1');
}

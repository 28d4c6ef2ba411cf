/** Masks a text that no format could read: its structure stays, and words that are names in contracts. */
import type { Operation } from '../../../contract/operation.ts';
import type { Schema } from '../../../contract/schema.ts';
import { walk } from '../../../contract/walk.ts';
import type { MaskedText } from './masked-output.ts';

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
  const add = (schema: Schema): void =>
    walk<void>(schema, {
      scalar: () => {},
      joined: () => {},
      list: ({ itemName }) => void words.add(itemName),
      map: () => {},
      object: (_, members) => {
        for (const { name } of members) words.add(name);
      },
    });
  for (const { name, input } of operations) {
    words.add(name);
    add(input);
  }
  return words;
}

/** What reading changes in a scalar: its type, the spelling, or the precision. */
import type { ScalarSchema } from '../core/contract/index.ts';

/** What reading a message, or writing one in another format, changes. */
export type Change =
  | 'textToNumber'
  | 'textToBoolean'
  | 'textToMoment'
  | 'numberToText'
  | 'whitespace'
  | 'normalForm'
  | 'letterCase'
  | 'timeZone'
  | 'assumedTimeZone'
  | 'precision'
  | 'order'
  | 'nil'
  | 'emptyText'
  | 'empty'
  | 'ignoredMember'
  | 'emptyUnknownMember'
  | 'unknownMember';

/** In the words of reports. */
export const changeTexts: Readonly<Record<Change, string>> = Object.freeze({
  textToNumber: 'text read as a number',
  textToBoolean: 'text read as a boolean',
  textToMoment: 'text read as milliseconds since 1970',
  numberToText: 'number read as a text',
  whitespace: 'whitespace removed',
  normalForm: 'written in its normal form',
  letterCase: 'letter case changed to that of the contract',
  timeZone: 'time zone of a day removed',
  assumedTimeZone: 'read in the time zone of the contract',
  precision: 'digits after the seconds lost',
  order: 'values in the order of the contract, each once',
  nil: 'nil is absent',
  emptyText: 'empty text is absent',
  empty: 'empty object, list or map is absent',
  ignoredMember: 'member ignored: it means nothing here',
  emptyUnknownMember: 'empty member ignored: the contract does not have it',
  unknownMember: 'member dropped: the contract does not have it',
});

/** `token`: the scalar as the message has it. `value`: what was read from it. */
export function scalarChanges(schema: ScalarSchema, token: unknown, value: unknown): readonly Change[] {
  if (typeof token !== 'string') return otherTokenChanges(schema, token, value);
  switch (schema.kind) {
    case 'string':
      return [];
    case 'integer':
    case 'double':
      return ['textToNumber', ...spellingChanges(token, String(value), 'normalForm')];
    case 'boolean':
      return ['textToBoolean', ...spellingChanges(token, String(value), 'normalForm')];
    case 'decimal':
      return spellingChanges(token, String(value), 'normalForm');
    case 'date':
      return spellingChanges(token, String(value), 'timeZone');
    case 'enum':
      return spellingChanges(token, String(value), 'letterCase');
    case 'binary':
      // Bytes of a part beside the message have no text in it.
      return token === value || token.trim() === '' ? [] : ['whitespace'];
    case 'dateTime': {
      const isPrecise = !/\.\d{3}\d*[1-9]/.test(token);
      const isLocal = !/(?:Z|[+-]\d\d:\d\d)\s*$/.test(token);
      return [
        'textToMoment',
        ...spellingChanges(token, token.trim(), 'normalForm'),
        ...(isPrecise ? [] : precision),
        ...(isLocal ? assumed : []),
      ];
    }
    default:
      return schema satisfies never;
  }
}

const precision: readonly Change[] = ['precision'];
const assumed: readonly Change[] = ['assumedTimeZone'];

/** A number or a boolean of JSON. A symbol is a number as it was written. */
function otherTokenChanges(schema: ScalarSchema, token: unknown, value: unknown): readonly Change[] {
  if (typeof value !== 'string') return [];
  const text = typeof token === 'symbol' ? (token.description ?? '') : String(token);
  // A decimal is a text in the canonical form alone.
  const isNumber = schema.kind === 'decimal' && schema.json !== 'text';
  return [...(isNumber ? [] : ['numberToText' as const]), ...spellingChanges(text, value, 'normalForm')];
}

function spellingChanges(token: string, value: string, other: Change): readonly Change[] {
  const trimmed = token.trim();
  return [...(trimmed === token ? [] : ['whitespace' as const]), ...(trimmed === value ? [] : [other])];
}

/** The common schemas of the state views. */
import { dateTime, integer, required, type Schema, string } from '../../contract/schema.ts';

export const text = (max: number, example: string) => string({ max, example });
export const name = text(200, 'Demo');
/** A text that somebody else has written, such as the reason of a failure. */
export const longText = text(4_000, 'HTTP 500');
export const moment = dateTime(1_774_000_000_000);
export const count = integer(0, Number.MAX_SAFE_INTEGER, 3);
export const milliseconds = integer(0, Number.MAX_SAFE_INTEGER, 1_200);
export const pathField = <S extends Schema>(schema: S, doc: string) => required(schema, doc, { in: 'path' });

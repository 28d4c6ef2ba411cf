/** The common schemas of the state views. */
import { integer, required, type Schema } from '../../contract/schema.ts';
import { text } from '../schemas.ts';

export const name = text(200, 'Demo');
/** A text of another program, such as the reason of a failure. */
export const longText = text(4_000, 'HTTP 500');
export const milliseconds = integer(0, Number.MAX_SAFE_INTEGER, 1_200);
export const pathField = <S extends Schema>(schema: S, doc: string) => required(schema, doc, { in: 'path' });

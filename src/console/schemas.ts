/** Schemas that several views of the console use. */
import { dateTime, integer, string } from '../contract/schema.ts';

export const text = (max: number, example: string) => string({ max, example });
export const moment = dateTime(1_774_000_000_000);
export const count = integer(0, Number.MAX_SAFE_INTEGER, 3);

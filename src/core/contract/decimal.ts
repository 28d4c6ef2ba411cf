/** Decimal numbers: text to their normal form, and to integers that can be compared. */
import type { DecimalSchema } from './schema.ts';

/** As XSD writes decimals: a sign, and digits on one side of the point at least. No exponent. */
const plainDecimal = /^([+-]?)0*(\d*)(?:\.(\d*))?$/;

/** No number that a schema allows needs a longer text. It also bounds the work on zeros. */
const textLengthMax = 128;

type Parsed = { readonly value: string } | { readonly fault: 'type' | 'value' };

/** Compiles the reading of a decimal. Equal numbers have one text. */
export function parseDecimal({ digits, fraction, min, max }: DecimalSchema): (text: string) => Parsed {
  const least = min === undefined ? undefined : unitsOf(min, fraction);
  const most = max === undefined ? undefined : unitsOf(max, fraction);
  return (text) => {
    const trimmed = text.trim();
    if (trimmed.length > textLengthMax) return { fault: 'type' };
    const [, sign, whole = '', written = ''] = plainDecimal.exec(trimmed) ?? [];
    if (sign === undefined || !/\d/.test(trimmed)) return { fault: 'type' };
    const decimals = written.replace(/0+$/, '');
    if (decimals.length > fraction || whole.length + decimals.length > digits) return { fault: 'value' };
    const magnitude = `${whole || '0'}${decimals && '.'}${decimals}`;
    const value = sign === '-' && magnitude !== '0' ? `-${magnitude}` : magnitude;
    if (least === undefined && most === undefined) return { value };
    const units = unitsOf(value, fraction);
    return (least !== undefined && units < least) || (most !== undefined && units > most)
      ? { fault: 'value' }
      : { value };
  };
}

/** The number in units of its last possible digit. */
function unitsOf(text: string, fraction: number): bigint {
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(fraction, '0'));
}

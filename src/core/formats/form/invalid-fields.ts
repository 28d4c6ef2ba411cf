/** The header of refusals of the form adapter that names every invalid field, where there are several. */
import { issuesMax } from '../refusal.ts';
import { parsePairs } from './pairs.ts';
import { encode } from './print.ts';

/** Its value is pairs of a place and what is wrong there: `disableRequest.contract=Invalid+contract&...`. */
export const invalidFieldsHeader = 'invalidFields';

/** Proxies have room for 4 KiB of headers, and clients for 8. */
const lengthMax = 3_000;

type Field = readonly [name: string, message: string];

/** Empty for no fields. Those that have no room are left out. */
export function printInvalidFields(fields: readonly Field[]): string {
  let printed = '';
  for (const [name, message] of fields) {
    const pair = `${printed === '' ? '' : '&'}${encode(name)}=${encode(message)}`;
    if (printed.length + pair.length > lengthMax) break;
    printed += pair;
  }
  return printed;
}

/** The fields that a header names; none for one that is malformed. A place may be named twice. */
export function readInvalidFields(header = ''): readonly Field[] {
  return header.split('&', issuesMax).flatMap((pair) => {
    const parsed = parsePairs(pair, 1);
    return 'pairs' in parsed ? parsed.pairs.map(([name, message]): Field => [name, message]) : [];
  });
}

/** Members of answers that the contract does not have: as pairs. */
import { type ExtraMember, type Extras, extrasMember } from '../../contract/index.ts';
import type { Node } from './parse.ts';
import { encode } from './print.ts';

/** The values at a name and below it, by what follows the name. */
export function pairsOf({ value, below }: Node): readonly ExtraMember[] {
  const own = value === undefined && below.size > 0 ? [] : [{ name: '', value: value ?? '' }];
  const within = [...below].flatMap(([name, node]) =>
    pairsOf(node).map((each) => ({ name: `.${name}${each.name}`, value: each.value })),
  );
  return [...own, ...within];
}

/** Adds them to a body: `unknownMembers.0.name=shelf&unknownMembers.0.value=A7`. */
export function withExtras(body: string, extras: Extras | undefined): string {
  if (extras === undefined) return body;
  const pairs = extras.members.flatMap(({ name, value }, at) => [
    `${extrasMember}.${at}.name=${encode(name)}`,
    `${extrasMember}.${at}.value=${encode(value)}`,
  ]);
  return [...(body === '' ? [] : [body]), ...pairs].join('&');
}

/** Members of an answer of another server that its contract does not have, with their texts. */
import type { ExtraMember } from '../contract/extras.ts';
import { printable } from '../contract/lexical.ts';
import { dotted } from '../contract/path.ts';
import type { UnknownMembers } from '../contract/read.ts';

/** Returns what a node of a format holds: a text, or texts by what follows its name. Undefined for what has no text. */
export type TextsOf<N> = (node: N, name: string) => string | readonly ExtraMember[] | undefined;

/** Returns undefined where one of them cannot be written as text. */
export function membersOf<N>(
  unknown: readonly UnknownMembers<N>[],
  textsOf: TextsOf<N>,
): readonly ExtraMember[] | undefined {
  const members: ExtraMember[] = [];
  for (const { path, nodes } of unknown)
    for (const [name, same] of nodes)
      for (const node of same) {
        const texts = textsOf(node, name);
        if (texts === undefined) return undefined;
        const place = dotted([...path, name]);
        if (typeof texts === 'string') members.push(member(place, texts));
        else members.push(...texts.map((each) => member(place + each.name, each.value)));
      }
  return members;
}

function member(name: string, value: string): ExtraMember {
  return { name: escaped(name), value: escaped(value) };
}

/** JSON has characters that XML cannot carry; they are written as in JSON. */
function escaped(text: string): string {
  if (printable(text)) return text;
  return Array.from(text, (each) =>
    printable(each) ? each : `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ).join('');
}

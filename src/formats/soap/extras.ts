/** Members of answers that the contract does not have: their texts, and the header block that carries them to callers. */
import { type Extras, extrasMember } from '../../contract/extras.ts';
import { attributeMark } from '../../contract/member-names.ts';
import type { Element } from '../../lib/xml/element.ts';
import { escapeXml } from '../../lib/xml/print.ts';
import { serialize } from '../../lib/xml/serialize.ts';

const namespace = 'urn:triglyph:unknown-members';

/** The text of an attribute, or an element with its namespaces. */
export function textOf(element: Element, name: string): string {
  // No name of an element has the mark.
  return name.includes(attributeMark) ? element.text : serialize(element);
}

export function extrasBlock({ members }: Extras): string {
  const listed = members.map(
    ({ name, value }) =>
      `<u:member><u:name>${escapeXml(name)}</u:name><u:value>${escapeXml(value)}</u:value></u:member>`,
  );
  return `<u:${extrasMember} xmlns:u="${namespace}">${listed.join('')}</u:${extrasMember}>`;
}

/** Members of answers that the contract does not have: their texts, and the header block that carries them to callers. */
import { type Extras, extrasMember } from '../../contract/extras.ts';
import { attributeMark } from '../../contract/member-names.ts';
import type { Element } from '../../lib/xml/element.ts';
import { escapeXml } from '../../lib/xml/print.ts';
import { MixedContent, serialize } from '../../lib/xml/serialize.ts';

const namespace = 'urn:triglyph:unknown-members';

/** The text of an attribute, or an element with its namespaces. Undefined where text stands between elements. */
export function textOf(element: Element, name: string): string | undefined {
  // No name of an element has the mark.
  if (name.includes(attributeMark)) return element.text;
  try {
    return serialize(element);
  } catch (thrown) {
    if (thrown instanceof MixedContent) return undefined;
    throw thrown;
  }
}

export function extrasBlock({ members }: Extras): string {
  const listed = members.map(
    ({ name, value }) =>
      `<u:member><u:name>${escapeXml(name)}</u:name><u:value>${escapeXml(value)}</u:value></u:member>`,
  );
  return `<u:${extrasMember} xmlns:u="${namespace}">${listed.join('')}</u:${extrasMember}>`;
}

/** Header blocks of answers that no operation declares: members that the contract does not have, and notices of deprecation. */
import { attributeMark, type DeprecationNotice, type Extras, extrasMember } from '../../contract/index.ts';
import { type Element, escapeXml, serialize } from '../../xml/index.ts';

const extrasNamespace = 'urn:triglyph:unknown-members';

/** The text of an attribute, or an element with its namespaces. */
export function textOf(element: Element, name: string): string {
  // No name of an element has the mark.
  return name.includes(attributeMark) ? element.text : serialize(element);
}

/** The block with the members that the contract does not have. */
export function extrasBlock({ members }: Extras): string {
  const listed = members.map(
    ({ name, value }) =>
      `<u:member><u:name>${escapeXml(name)}</u:name><u:value>${escapeXml(value)}</u:value></u:member>`,
  );
  return `<u:${extrasMember} xmlns:u="${extrasNamespace}">${listed.join('')}</u:${extrasMember}>`;
}

const noticeNamespace = 'urn:triglyph:deprecation';

/** The block that says that what the caller uses is deprecated. */
export function noticeBlock({ deprecatedSince, sunset, links }: DeprecationNotice): string {
  const members = [
    element('deprecatedSince', print(deprecatedSince)),
    ...(sunset === undefined ? [] : [element('sunset', print(sunset))]),
    ...links.map((link) => element('link', link)),
  ];
  return `<d:deprecation xmlns:d="${noticeNamespace}">${members.join('')}</d:deprecation>`;
}

function element(name: string, text: string): string {
  return `<d:${name}>${escapeXml(text)}</d:${name}>`;
}

/** `2026-12-01T00:00:00Z`. */
function print(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

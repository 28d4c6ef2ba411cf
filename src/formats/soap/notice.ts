/** The header block of SOAP answers that says that what their caller uses is deprecated. */
import type { DeprecationNotice } from '../../contract/deprecation.ts';
import { escapeXml } from '../../lib/xml/print.ts';

const namespace = 'urn:triglyph:deprecation';

export function noticeBlock({ deprecatedSince, sunset, links }: DeprecationNotice): string {
  const members = [
    element('deprecatedSince', print(deprecatedSince)),
    ...(sunset === undefined ? [] : [element('sunset', print(sunset))]),
    ...links.map((link) => element('link', link)),
  ];
  return `<d:deprecation xmlns:d="${namespace}">${members.join('')}</d:deprecation>`;
}

function element(name: string, text: string): string {
  return `<d:${name}>${escapeXml(text)}</d:${name}>`;
}

/** `2026-12-01T00:00:00Z`. */
function print(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

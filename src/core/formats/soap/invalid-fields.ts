/** The element in the detail of a fault that names every invalid field, where there are several. */

import { type Element, escapeXml } from '../../xml/index.ts';
import { textOf } from '../refusal.ts';

const namespace = 'urn:triglyph:invalid-fields';

/** A place in a message as an XPath, and what is wrong there. */
interface InvalidField {
  readonly name: string;
  readonly message: string;
}

/** Empty for no fields. */
export function printInvalidFields(fields: readonly InvalidField[]): string {
  if (fields.length === 0) return '';
  const elements = fields.map(
    ({ name, message }) =>
      `<f:invalidField><f:name>${escapeXml(name)}</f:name><f:message>${escapeXml(message)}</f:message></f:invalidField>`,
  );
  return `<f:invalidFields xmlns:f="${namespace}">${elements.join('')}</f:invalidFields>`;
}

/** The fields that the detail of a fault names; none for the detail of another maker. */
export function readInvalidFields(detail: Element | undefined): readonly InvalidField[] {
  const list = detail?.children.find((each) => each.local === 'invalidFields' && each.namespace === namespace);
  return (list?.children ?? []).map(({ children }) => {
    const textIn = (name: string): string => textOf(children.find(({ local }) => local === name)?.text) ?? '';
    return { name: textIn('name'), message: textIn('message') };
  });
}

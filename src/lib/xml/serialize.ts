/** Prints parsed elements as XML text of their own: with the namespaces that they need, whatever their document declared. */
import type { Attribute, Element } from './element.ts';
import { isBlank, textOf } from './element.ts';
import { escapeXml, escapeXmlAttribute } from './print.ts';

export const xsiUri = 'http://www.w3.org/2001/XMLSchema-instance';
const xmlUri = 'http://www.w3.org/XML/1998/namespace';

/** An element holds text between other elements, whose place a parsed element does not have. */
export class MixedContent extends Error {
  override readonly name = 'MixedContent';
}

/** Prints an element with its namespace. Throws MixedContent. */
export function serialize(element: Element): string {
  return print(element, undefined);
}

/**
 * Prints an element without a namespace of its own, so that its content may stand in an element of any other. Throws
 * MixedContent.
 */
export function serializeContent(element: Element): string {
  return startOf(element, '') + contentOf(element, undefined);
}

/** `around`: the default namespace; undefined where it is not known. */
function print(element: Element, around: string | undefined): string {
  const { namespace } = element;
  const declared = namespace === around ? '' : ` xmlns="${escapeXmlAttribute(namespace)}"`;
  return startOf(element, declared) + contentOf(element, namespace);
}

function startOf({ local, attributes }: Element, declared: string): string {
  return `<${local}${declared}${attributes.map(printAttribute).join('')}`;
}

function contentOf(element: Element, around: string | undefined): string {
  const { local, children } = element;
  const text = textOf(element);
  if (children.length > 0 && !isBlank(text)) throw new MixedContent(local);
  const content = children.length > 0 ? children.map((each) => print(each, around)).join('') : escapeXml(text);
  return content === '' ? '/>' : `>${content}</${local}>`;
}

/** Each attribute of a namespace declares a prefix of its own. */
function printAttribute({ namespace, local, value, valueNamespace }: Attribute, at: number): string {
  const written = escapeXmlAttribute(value);
  if (namespace === '') return ` ${local}="${written}"`;
  if (namespace === xmlUri) return ` xml:${local}="${written}"`;
  const prefix = `a${at}`;
  const declared = ` xmlns:${prefix}="${escapeXmlAttribute(namespace)}"`;
  if (valueNamespace === undefined) return `${declared} ${prefix}:${local}="${written}"`;
  const type = escapeXmlAttribute(value.slice(value.indexOf(':') + 1));
  return `${declared} xmlns:t${at}="${escapeXmlAttribute(valueNamespace)}" ${prefix}:${local}="t${at}:${type}"`;
}

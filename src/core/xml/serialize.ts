/** Prints parsed elements as XML text of their own: with the namespaces that they need, whatever their document declared. */
import { type Attribute, type Element, resolvePrefix, type Scope, textOf } from './element.ts';
import { escapeXml, escapeXmlAttribute } from './print.ts';

export const xsiUri = 'http://www.w3.org/2001/XMLSchema-instance';
const xmlUri = 'http://www.w3.org/XML/1998/namespace';

/** Prints an element with its namespace. */
export function serialize(element: Element): string {
  return print(element, undefined);
}

/** Prints an element without a namespace of its own, so that its content may stand in an element of any other. */
export function serializeContent(element: Element): string {
  return startOf(element, '') + contentOf(element, undefined);
}

/** `around`: the default namespace; undefined where it is not known. */
function print(element: Element, around: string | undefined): string {
  const { namespace } = element;
  const declared = namespace === around ? '' : ` xmlns="${escapeXmlAttribute(namespace)}"`;
  return startOf(element, declared) + contentOf(element, namespace);
}

function startOf(element: Element, declared: string): string {
  const { local, attributes, scope } = element;
  const kept = prefixesIn(element);
  const declarations = [...kept].map(([prefix, uri]) => ` xmlns:${prefix}="${escapeXmlAttribute(uri)}"`).join('');
  const own = (name: string): string => (kept.has(name) ? own(`${name}_`) : name);
  const written = attributes.map((each, at) => printAttribute(each, own(`a${at}`), own(`t${at}`), scope));
  return `<${local}${declared}${declarations}${written.join('')}`;
}

const prefixPattern = /(?<![\w.:-])([A-Za-z_][\w.-]*):(?=[A-Za-z_])/g;

/** The declared prefixes that its text and its attributes may mean: no schema says which of these are names. */
function prefixesIn({ text, attributes, scope }: Element): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  for (const value of [text, ...attributes.filter((each) => !isType(each)).map((each) => each.value)])
    if (value.includes(':'))
      for (const [, prefix = ''] of value.matchAll(prefixPattern)) {
        const uri = resolvePrefix(scope, prefix);
        if (uri !== undefined && uri !== xmlUri && prefix !== 'xmlns') kept.set(prefix, uri);
      }
  return kept;
}

function contentOf(element: Element, around: string | undefined): string {
  const { local, children, mixed = children } = element;
  const content =
    children.length > 0
      ? mixed.map((part) => (typeof part === 'string' ? escapeXml(part) : print(part, around))).join('')
      : escapeXml(textOf(element));
  return content === '' ? '/>' : `>${content}</${local}>`;
}

function isType({ namespace, local }: Attribute): boolean {
  return namespace === xsiUri && local === 'type';
}

/** Each attribute of a namespace declares a prefix of its own. `typePrefix`: for the name in an `xsi:type`. */
function printAttribute(attribute: Attribute, prefix: string, typePrefix: string, scope: Scope | undefined): string {
  const { namespace, local, value } = attribute;
  const written = escapeXmlAttribute(value);
  if (namespace === '') return ` ${local}="${written}"`;
  if (namespace === xmlUri) return ` xml:${local}="${written}"`;
  const declared = ` xmlns:${prefix}="${escapeXmlAttribute(namespace)}"`;
  const colon = value.indexOf(':');
  const uri = isType(attribute) && colon !== -1 ? resolvePrefix(scope, value.slice(0, colon).trim()) : undefined;
  if (uri === undefined) return `${declared} ${prefix}:${local}="${written}"`;
  const type = escapeXmlAttribute(value.slice(colon + 1));
  return `${declared} xmlns:${typePrefix}="${escapeXmlAttribute(uri)}" ${prefix}:${local}="${typePrefix}:${type}"`;
}

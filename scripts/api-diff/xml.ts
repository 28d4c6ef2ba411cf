/** Breaking changes between two WSDL or XSD documents: in types, elements, operations and ports. */
import { XMLParser } from 'fast-xml-parser';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
}

/** The declarations of a document by their paths of names. */
type Declarations = ReadonlyMap<string, Element>;

export function xmlChanges(before: string, after: string): readonly string[] {
  const [old, next] = [declarationsOf(parse(before)), declarationsOf(parse(after))];
  const removed = [...old].flatMap(([key, element]) => {
    const now = next.get(key);
    if (now !== undefined) return attributeChanges(key, element, now);
    // Removing a limit accepts more than before.
    return isLimit(element) ? [] : [`${key} was removed`];
  });
  const added = [...next].filter(([key, element]) => !old.has(key) && addsDemand(element, key, old));
  return [...removed, ...added.map(([key]) => `${key} was added and is not optional`), ...orderChanges(old, next)];
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
});

function parse(text: string): Element {
  const asElement = (node: Record<string, unknown>): Element | undefined => {
    const name = Object.keys(node).find((key) => key !== ':@');
    if (name === undefined || name.startsWith('?') || name.startsWith('#')) return undefined;
    const attributes = (node[':@'] ?? {}) as Record<string, string>;
    return { name, attributes, children: elements(node[name]) };
  };
  const elements = (nodes: unknown): readonly Element[] =>
    (nodes as Record<string, unknown>[]).flatMap((node) => asElement(node) ?? []);
  return { name: '', attributes: {}, children: elements(parser.parse(text)) };
}

/** Elements with a name or a value, by their path of names. */
function declarationsOf(root: Element): Declarations {
  const found = new Map<string, Element>();
  const visit = (element: Element, path: string): void => {
    const { name, targetNamespace, value, location } = element.attributes;
    const own = name ?? targetNamespace ?? (element.name === 'address' ? location : undefined);
    const isFacet = value !== undefined;
    const label = isFacet && element.name === 'enumeration' ? `enumeration ${value}` : element.name;
    const here = own !== undefined ? `${path}/${element.name} ${own}` : `${path}/${label}`;
    if (
      own !== undefined ||
      isFacet ||
      element.name === 'restriction' ||
      ['input', 'output', 'fault', 'body'].includes(element.name)
    )
      found.set(here, element);
    for (const child of element.children) visit(child, own !== undefined || isFacet ? here : path);
  };
  for (const child of root.children) visit(child, '');
  return found;
}

function attributeChanges(key: string, old: Element, next: Element): readonly string[] {
  const changes: string[] = [];
  for (const attribute of ['type', 'base', 'element', 'message', 'binding', 'soapAction', 'ref', 'form'])
    if (old.attributes[attribute] !== next.attributes[attribute])
      changes.push(`${key}: ${attribute} ${old.attributes[attribute]} became ${next.attributes[attribute]}`);
  if (minOccurs(next) > minOccurs(old)) changes.push(`${key} became required`);
  if (maxOccurs(next) < maxOccurs(old)) changes.push(`${key}: maxOccurs ${maxOccurs(old)} became ${maxOccurs(next)}`);
  if (old.attributes.nillable === 'true' && next.attributes.nillable !== 'true')
    changes.push(`${key} is no longer nillable`);
  if (old.attributes.value !== undefined && narrows(old, next))
    changes.push(`${key} ${old.attributes.value} became ${next.attributes.value}`);
  return changes;
}

function narrows(old: Element, next: Element): boolean {
  const [was, is] = [old.attributes.value, next.attributes.value];
  if (was === is) return false;
  if (old.name.startsWith('max')) return Number(is) < Number(was);
  if (old.name.startsWith('min')) return Number(is) > Number(was);
  return true;
}

/** New optional elements, types and enumeration values break nothing; a required element or a new restriction does. */
function addsDemand(element: Element, key: string, old: Declarations): boolean {
  const parent = key.slice(0, key.lastIndexOf('/'));
  const isMember = element.name === 'element' && parent.includes('complexType') && old.has(parent);
  if (isMember) return minOccurs(element) > 0;
  return old.has(parent) && (isLimit(element) || element.name === 'restriction');
}

/** The order of elements in an xsd:sequence is significant. */
function orderChanges(old: Declarations, next: Declarations): readonly string[] {
  return [...old].flatMap(([key, element]) => {
    const now = next.get(key);
    if (element.name !== 'complexType' || now === undefined) return [];
    const [was, is] = [memberNames(element), memberNames(now)];
    const common = (names: readonly string[], others: readonly string[]) =>
      names.filter((name) => others.includes(name));
    return common(was, is).join() === common(is, was).join() ? [] : [`${key}: the order of its elements changed`];
  });
}

function memberNames(element: Element): readonly string[] {
  return element.children.flatMap((child) =>
    child.name === 'element' && child.attributes.name !== undefined ? [child.attributes.name] : memberNames(child),
  );
}

const isLimit = ({ name, attributes }: Element): boolean => attributes.value !== undefined && name !== 'enumeration';
const minOccurs = ({ attributes }: Element): number => Number(attributes.minOccurs ?? 1);
const maxOccurs = ({ attributes }: Element): number =>
  attributes.maxOccurs === 'unbounded' ? Infinity : Number(attributes.maxOccurs ?? 1);

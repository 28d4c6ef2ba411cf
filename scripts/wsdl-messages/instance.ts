/** Instances of a schema: elements with what their values mean, their text, and the comparison with a text. */
import { SaxesParser } from 'saxes';
import { escapeXml, escapeXmlAttribute } from '../../src/core/xml/print.ts';

export const xsiUri = 'http://www.w3.org/2001/XMLSchema-instance';

export interface Name {
  readonly uri: string;
  readonly local: string;
}

/** What a text means. Two texts of a number, a time or bytes may be one value. */
export type Meaning = 'text' | 'words' | 'number' | 'boolean' | 'dateTime' | 'bytes';

/** A text with its meaning, or a qualified name, whose prefix may be any. */
export type Value = { readonly text: string; readonly meaning: Meaning } | { readonly name: Name };

export interface Attribute extends Name {
  readonly value: Value;
}

export interface Instance extends Name {
  readonly attributes: readonly Attribute[];
  /** Elements, and texts between them; one value in an element without elements. */
  readonly content: readonly (Instance | Value)[];
  readonly isNil?: true;
}

export function isInstance(part: Instance | Value): part is Instance {
  return 'content' in part;
}

/** Prints instances as the content of a Body. `declared`: the declarations that all of them need. */
export function print(instances: readonly Instance[]): { readonly text: string; readonly declared: string } {
  const prefixes = new Map<string, string>([[xsiUri, 'xsi']]);
  const prefixOf = (uri: string): string => {
    const known = prefixes.get(uri) ?? `n${prefixes.size}`;
    prefixes.set(uri, known);
    return known;
  };
  const nameOf = ({ uri, local }: Name): string => (uri === '' ? local : `${prefixOf(uri)}:${local}`);
  const attributeName = ({ uri, local }: Name): string =>
    uri === 'http://www.w3.org/XML/1998/namespace' ? `xml:${local}` : nameOf({ uri, local });
  const textOf = (value: Value): string => ('name' in value ? nameOf(value.name) : value.text);
  const element = (instance: Instance): string => {
    const name = nameOf(instance);
    const attributes = instance.attributes.map(
      (each) => ` ${attributeName(each)}="${escapeXmlAttribute(textOf(each.value))}"`,
    );
    const nil = instance.isNil ? ' xsi:nil="true"' : '';
    const content = instance.content.map((part) => (isInstance(part) ? element(part) : escapeXml(textOf(part))));
    return `<${name}${attributes.join('')}${nil}>${content.join('')}</${name}>`;
  };
  const text = instances.map(element).join('');
  const declared = [...prefixes].map(([uri, prefix]) => ` xmlns:${prefix}="${escapeXmlAttribute(uri)}"`).join('');
  return { text, declared };
}

interface Found {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, Written>;
  readonly content: (Found | Written)[];
}

/** A text, and what it is as a qualified name. */
interface Written {
  text: string;
  readonly asName: string | undefined;
}

const keyOf = ({ uri, local }: Name): string => `{${uri}}${local}`;

/** Parses with saxes alone: what the Body of an envelope holds. */
export function contentOfBody(envelope: string): readonly Found[] {
  const parser = new SaxesParser({ xmlns: true });
  const root: Found = { name: '', attributes: new Map(), content: [] };
  const open: Found[] = [root];
  const written = (text: string): Written => {
    const [, prefix = '', local = ''] = /^\s*(?:([^\s:]+):)?([^\s:]+)\s*$/.exec(text) ?? [];
    const uri = parser.resolve(prefix) ?? (prefix === '' ? '' : undefined);
    return { text, asName: local === '' || uri === undefined ? undefined : keyOf({ uri, local }) };
  };
  parser.on('error', (fault) => {
    throw fault;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const own = Object.values(attributes)
      .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
      .map((each) => [keyOf(each), written(each.value)] as const);
    const found: Found = { name: keyOf({ uri, local }), attributes: new Map(own), content: [] };
    open.at(-1)!.content.push(found);
    open.push(found);
  });
  const onText = (text: string) => {
    const { content } = open.at(-1)!;
    const last = content.at(-1);
    const before = last !== undefined && !('name' in last) ? (content.pop() as Written).text : '';
    content.push(written(before + text));
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', () => open.pop());
  parser.write(envelope).close();
  const elements = ({ content }: Found): readonly Found[] => content.filter((part) => 'name' in part);
  const body = elements(elements(root)[0]!).find(({ name }) => name.endsWith('}Body'));
  return body === undefined ? [] : elements(body);
}

const nilKey = keyOf({ uri: xsiUri, local: 'nil' });
const isNil = ({ attributes }: Found): boolean => /^(?:1|true)$/.test(attributes.get(nilKey)?.text ?? '');

/** Says the first difference, after its kind; undefined for none. An element that is nil is as one that is absent, unless it is one of several. */
export function firstDifference(expected: readonly Instance[], found: readonly Found[]): string | undefined {
  return differenceOfContent('', expected, found);
}

function differenceOf(path: string, expected: Instance, found: Found): string | undefined {
  const at = `${path}/${expected.local}`;
  if (found.name !== keyOf(expected)) return `name: ${at}: ${keyOf(expected)} is ${found.name}`;
  if (expected.isNil !== true && isNil(found) && expected.content.length > 0) return `nil: ${at} became nil`;
  const wanted = new Map(expected.attributes.map((each) => [keyOf(each), each.value]));
  for (const [name, value] of wanted) {
    const own = found.attributes.get(name);
    if (own === undefined)
      return `attribute ${name.includes('XMLSchema-instance') ? 'xsi:type' : 'lost'}: ${at}/@${name}`;
    if (!isSame(value, own)) return `attribute value: ${at}/@${name}: ${shown(value)} became ${own.text}`;
  }
  for (const name of found.attributes.keys())
    if (!wanted.has(name) && !name.includes('XMLSchema-instance')) return `attribute added: ${at}/@${name}`;
  return differenceOfContent(at, expected.content, found.content);
}

function differenceOfContent(
  at: string,
  expected: readonly (Instance | Value)[],
  found: readonly (Found | Written)[],
): string | undefined {
  const elements = expected.filter(isInstance);
  if (elements.length === 0 && found.every((part) => !('name' in part))) {
    const [value = { text: '', meaning: 'text' as const }] = expected as readonly Value[];
    const own = (found[0] as Written | undefined) ?? { text: '', asName: undefined };
    return isSame(value, own)
      ? undefined
      : `text${'name' in value ? ' QName' : ''}: ${at}: ${shown(value)} became ${own.text}`;
  }
  const isMixed = expected.some((part) => !isInstance(part) && 'text' in part && part.text.trim() !== '');
  if (isMixed) return differenceInOrder(at, expected, found);
  if (found.some((part) => !('name' in part) && part.text.trim() !== '')) return `text added: ${at}`;
  const others = found.filter((part) => 'name' in part);
  const wanted = elements.filter((each, index) => each.isNil !== true || isOneOfSeveral(elements, each, index));
  const repeated = new Set(wanted.filter(({ isNil }) => isNil).map(keyOf));
  const names = new Set(wanted.map(keyOf));
  const there = others.filter(
    (each) => (!isNil(each) || repeated.has(each.name)) && (!isBare(each) || names.has(each.name)),
  );
  return differenceInOrder(at, wanted, there);
}

/** JSON has no other way to say that there are no items. */
function isBare({ attributes, content }: Found): boolean {
  return content.length === 0 && [...attributes.keys()].every((name) => name.startsWith(`{${xsiUri}}`));
}

function isOneOfSeveral(all: readonly Instance[], one: Instance, index: number): boolean {
  return all.some((other, at) => at !== index && keyOf(other) === keyOf(one));
}

function differenceInOrder(
  at: string,
  expected: readonly (Instance | Value)[],
  found: readonly (Found | Written)[],
): string | undefined {
  const names = (parts: readonly (Found | Written)[]) => parts.map((part) => ('name' in part ? part.name : '#text'));
  const wanted = expected.map((part) => (isInstance(part) ? keyOf(part) : '#text'));
  const actual = names(found);
  if (wanted.join(' ') !== actual.join(' ')) {
    const isSameSet = wanted.toSorted().join(' ') === actual.toSorted().join(' ');
    const lost = wanted.find(
      (name) => wanted.filter((each) => each === name).length > actual.filter((each) => each === name).length,
    );
    const added = actual.find(
      (name) => actual.filter((each) => each === name).length > wanted.filter((each) => each === name).length,
    );
    return isSameSet
      ? `order: ${at}: ${wanted.join(' ')} became ${actual.join(' ')}`
      : lost !== undefined
        ? `element lost: ${at}/${lost}`
        : `element added: ${at}/${added}`;
  }
  for (const [index, part] of expected.entries()) {
    const other = found[index]!;
    const difference = isInstance(part)
      ? differenceOf(at, part, other as Found)
      : isSame(part, other as Written)
        ? undefined
        : `text: ${at}: ${shown(part)} became ${(other as Written).text}`;
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function shown(value: Value): string {
  return 'name' in value ? keyOf(value.name) : value.text;
}

function isSame(value: Value, { text, asName }: Written): boolean {
  if ('name' in value) return asName === keyOf(value.name);
  const own = value.text;
  switch (value.meaning) {
    case 'text':
      return own === text;
    case 'words':
      return own.split(/\s+/).join(' ').trim() === text.split(/\s+/).join(' ').trim();
    case 'number':
      return own.trim() === text.trim() || Number(own) === Number(text);
    case 'boolean':
      return /^\s*(?:1|true)\s*$/.test(own) === /^\s*(?:1|true)\s*$/.test(text) && text.trim() !== '';
    case 'dateTime':
      return Date.parse(own) === Date.parse(text);
    case 'bytes':
      return own.replace(/\s+/g, '') === text.replace(/\s+/g, '');
    default:
      return value.meaning satisfies never;
  }
}

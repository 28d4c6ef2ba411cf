/**
 * The fast XML parser, for plain documents as programs write them. It never refuses a document: for one that is not plain, not
 * well-formed or past a limit it returns undefined, and the strict parser decides.
 */

import { BoundedMap } from '../lib/index.ts';
import { type Attribute, type Element, isBlank, resolvePrefix, type Scope } from './element.ts';
import type { Limits } from './limits.ts';

/** What is not ASCII, references, and carriage returns. */
const notPlain = /[^\t\n\x20-%'-~]/;

const declaration = /<\?xml version="1\.0"(?: encoding="[A-Za-z][\w-]*")?\?>/y;

interface MutableElement extends Element {
  readonly children: MutableElement[];
  readonly scope: Scope | undefined;
  text: string;
}

/** An element without its end tag yet, and the elements around it. */
interface OpenElement {
  readonly element: MutableElement;
  readonly tag: Tag;
  readonly around: OpenElement | undefined;
  readonly depth: number;
}

/** The root of a plain document; undefined for any other text. */
export function readPlain(text: string, limits: Limits): Element | undefined {
  if (!mayBePlain(text)) return undefined;
  let root: MutableElement | undefined;
  let open: OpenElement | undefined;
  const { nameLengthMax, attributesMax, allAttributesMax, depthMax, elementsMax } = limits;
  let elements = 0;
  let attributes = 0;
  declaration.lastIndex = 0;
  let at = declaration.test(text) ? declaration.lastIndex : 0;
  for (;;) {
    const sign = text.indexOf('<', at);
    const piece = text.slice(at, sign === -1 ? text.length : sign);
    if (open === undefined) {
      if (!isBlank(piece)) return undefined;
      if (sign === -1) return root;
    } else {
      open.element.text += piece;
      if (open.element.text.length > limits.textLengthMax) return undefined;
    }
    const end = text.indexOf('>', sign);
    if (sign === -1 || end === -1) return undefined;
    // Nearly every end tag is written as its start tag is, and needs no parsing.
    if (open !== undefined && isEndOf(open.tag.name, text, sign, end)) {
      if (isMixed(open.element)) return undefined;
      at = end + 1;
      open = open.around;
      continue;
    }
    const tag = tagOf(text.slice(sign + 1, end), attributesMax);
    if (tag === undefined) return undefined;
    at = end + 1;
    if (tag.kind === 'end') {
      if (open?.tag.name !== tag.name || isMixed(open.element)) return undefined;
      open = open.around;
      continue;
    }
    elements += 1;
    const depth: number = (open?.depth ?? 0) + 1;
    attributes += tag.attributeCount;
    if (elements > elementsMax || depth > depthMax || tag.longest > nameLengthMax) return undefined;
    if (tag.attributeCount > attributesMax || attributes > allAttributesMax) return undefined;
    const element = start(tag, open);
    if (element === undefined || (open === undefined && root !== undefined)) return undefined;
    if (open === undefined) root = element;
    else open.element.children.push(element);
    if (tag.kind === 'start') open = { element, tag, around: open, depth };
  }
}

/** Comments, CDATA and DOCTYPEs are not plain either; a search for them costs less than alternatives in the expression. */
function mayBePlain(text: string): boolean {
  return !notPlain.test(text) && !text.includes('<!') && !text.includes(']]>');
}

function isEndOf(name: string, text: string, sign: number, end: number): boolean {
  return text[sign + 1] === '/' && end === sign + 2 + name.length && text.startsWith(name, sign + 2);
}

/** The strict parser says where texts between elements are. */
function isMixed({ children, text }: Element): boolean {
  return children.length > 0 && !isBlank(text);
}

/** The URI of a prefix; undefined for an undeclared prefix. */
function resolve(prefix: string, scope: Scope | undefined): string | undefined {
  return resolvePrefix(scope, prefix) ?? (prefix === '' ? '' : undefined);
}

const none: readonly Attribute[] = Object.freeze([]);

function attributesOf(tag: Tag, scope: Scope | undefined): readonly Attribute[] | undefined {
  if (tag.attributes.length === 0) return none;
  const resolved: Attribute[] = [];
  for (const { prefix, local, value } of tag.attributes) {
    // The default namespace does not apply to attributes.
    const namespace = prefix === '' ? '' : resolve(prefix, scope);
    if (namespace === undefined) return undefined;
    if (resolved.some((other) => other.local === local && other.namespace === namespace)) return undefined;
    resolved.push({ namespace, local, value });
  }
  return resolved;
}

function start(tag: Tag, around: OpenElement | undefined): MutableElement | undefined {
  const outer = around?.element.scope;
  const scope = tag.declared === undefined ? outer : { declared: tag.declared, around: outer };
  const namespace = resolve(tag.prefix, scope);
  const attributes = attributesOf(tag, scope);
  if (namespace === undefined || attributes === undefined) return undefined;
  return { namespace, local: tag.local, attributes, children: [], text: '', scope };
}

interface Tag {
  readonly kind: 'start' | 'end' | 'empty';
  /** With its prefix, as an end tag has to repeat it. */
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  /** Prefix to URI; the default namespace has the empty prefix. Absent without a declaration. */
  readonly declared: ReadonlyMap<string, string> | undefined;
  /** Without namespace declarations. */
  readonly attributes: readonly Written[];
  /** How many attributes there are, declarations included. */
  readonly attributeCount: number;
  /** Length of the longest name in it. */
  readonly longest: number;
}

interface Written {
  readonly prefix: string;
  readonly local: string;
  readonly value: string;
}

/** The text between angle brackets: the slash of an end tag, a name, attributes in double quotes, the slash of an empty tag. */
const tagPattern = /^(\/?)([A-Za-z_][\w.:-]*)((?:[\t\n ]+[A-Za-z_][\w.:-]*="[^"<\t\n]*")*)[\t\n ]*(\/?)$/;
const eachAttribute = /([\w.:-]+)="([^"]*)"/g;
const qualified = /^(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)$/;

/** Prefixes and URIs that XML reserves. */
const reserved = /^xml|www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns)/i;

/** `text`: the text between angle brackets. Returns undefined for a tag that is not plain, or has more attributes. */
function tagOf(text: string, attributesMax: number): Tag | undefined {
  const known = cached.get(text);
  if (known !== undefined) return known;
  const tag = parse(text, attributesMax);
  if (tag !== undefined && mayBeCached(text, tag)) cached.set(text, tag);
  return tag;
}

function parse(text: string, attributesMax: number): Tag | undefined {
  const [, closing, name = '', rest = '', slash] = tagPattern.exec(text) ?? [];
  const [, prefix = '', local = ''] = qualified.exec(name) ?? [];
  if (local === '' || reserved.test(prefix)) return undefined;
  if (closing === '/' && (rest !== '' || slash === '/')) return undefined;
  const kind = closing === '/' ? 'end' : slash === '/' ? 'empty' : 'start';
  if (rest === '') return { kind, name, prefix, local, ...withoutAttributes, longest: name.length };
  const declared = new Map<string, string>();
  const attributes: Written[] = [];
  const seen = new Set<string>();
  let longest = name.length;
  for (const [, key = '', value = ''] of rest.matchAll(eachAttribute)) {
    const [, own = '', last = ''] = qualified.exec(key) ?? [];
    if (last === '' || seen.has(key) || seen.size === attributesMax) return undefined;
    seen.add(key);
    longest = Math.max(longest, key.length);
    if (key !== 'xmlns' && own !== 'xmlns') {
      if (reserved.test(own)) return undefined;
      attributes.push({ prefix: own, local: last, value });
      continue;
    }
    const declaredPrefix = own === 'xmlns' ? last : '';
    if (value === '' || value.trim() !== value || reserved.test(declaredPrefix) || reserved.test(value))
      return undefined;
    declared.set(declaredPrefix, value);
  }
  return Object.freeze<Tag>({
    kind,
    name,
    prefix,
    local,
    declared: declared.size === 0 ? undefined : declared,
    attributes,
    attributeCount: seen.size,
    longest,
  });
}

const withoutAttributes = Object.freeze({ declared: undefined, attributes: [], attributeCount: 0 });

const cachedLengthMax = 500;
const cached = new BoundedMap<string, Tag>(1_000);

/** An attribute without a prefix may be a field, whose values seldom repeat. If another one has a card number, its tag is not cached. */
function mayBeCached(text: string, { attributes }: Tag): boolean {
  return text.length <= cachedLengthMax && !/\d{8}/.test(text) && attributes.every(({ prefix }) => prefix !== '');
}

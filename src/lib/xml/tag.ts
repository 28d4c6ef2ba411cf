/** Parses tags of plain documents, each distinct tag once: callers repeat the same few. */
import { BoundedMap } from '../bounded-map.ts';

export interface Tag {
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
export function tagOf(text: string, attributesMax: number): Tag | undefined {
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

/** Tags of plain documents, taken apart: callers write the same few again and again, so each is taken apart once. */

export interface Tag {
  readonly kind: 'start' | 'end' | 'empty';
  /** With its prefix, as an end tag has to repeat it. */
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  /** Prefix to URI; the default namespace stands under the empty prefix. Absent where nothing is declared. */
  readonly declared: ReadonlyMap<string, string> | undefined;
  /** Those that declare nothing. */
  readonly attributes: readonly Written[];
  /** How many attributes there are, declarations included. */
  readonly written: number;
  /** Length of the longest name in it. */
  readonly longest: number;
}

interface Written {
  readonly prefix: string;
  readonly local: string;
  readonly value: string;
}

/** What stands between the angle brackets: an end tag's slash, a name, attributes in double quotes, an empty tag's slash. */
const shape = /^(\/?)([A-Za-z_][\w.:-]*)((?:[\t\n ]+[A-Za-z_][\w.:-]*="[^"<\t\n]*")*)[\t\n ]*(\/?)$/;
const eachAttribute = /([\w.:-]+)="([^"]*)"/g;
const qualified = /^(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)$/;

/** Prefixes and addresses that XML keeps for itself. */
const reserved = /^xml|www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns)/i;

const parse = (text: string): Tag | undefined => {
  const [, closing, name = '', rest = '', slash] = shape.exec(text) ?? [];
  const [, prefix = '', local = ''] = qualified.exec(name) ?? [];
  if (local === '' || reserved.test(prefix)) return undefined;
  if (closing === '/' && (rest !== '' || slash === '/')) return undefined;
  const declared = new Map<string, string>();
  const attributes: Written[] = [];
  const seen = new Set<string>();
  let longest = name.length;
  for (const [, key = '', value = ''] of rest.matchAll(eachAttribute)) {
    const [, own = '', last = ''] = qualified.exec(key) ?? [];
    if (last === '' || seen.has(key)) return undefined;
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
    kind: closing === '/' ? 'end' : slash === '/' ? 'empty' : 'start',
    name,
    prefix,
    local,
    declared: declared.size === 0 ? undefined : declared,
    attributes,
    written: seen.size,
    longest,
  });
};

const keptMax = 1_000;
const keptLengthMax = 500;
const kept = new Map<string, Tag>();

/** Values stand between tags; should one ever stand in an attribute, a card number is not kept. */
const mayBeKept = (text: string): boolean => text.length <= keptLengthMax && !/\d{8}/.test(text);

/** `text`: what stands between the angle brackets. Undefined for a tag that is not plain. */
export const tagOf = (text: string): Tag | undefined => {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const tag = parse(text);
  if (tag === undefined || !mayBeKept(text)) return tag;
  if (kept.size >= keptMax) kept.clear();
  kept.set(text, tag);
  return tag;
};

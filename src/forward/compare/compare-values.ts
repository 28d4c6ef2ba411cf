/**
 * Compares canonical values of one schema: what a wire format says in several ways is one value already, so that the order of
 * members, forms of numbers, time zones, and absent against nil do not count.
 */
import {
  anyText,
  type ListSchema,
  type MapSchema,
  type MaskSecrets,
  type ObjectSchema,
  type ScalarSchema,
  type Schema,
  variantOf,
} from '../../core/contract/index.ts';
import { BoundedMap, isMembers, type Members } from '../../core/lib/index.ts';
import { joinPath, type Rules, shapeOf } from './rules.ts';

/** `order`: the same items in another order. */
export type DifferenceKind = 'value' | 'missing' | 'added' | 'order' | 'outcome';

export interface Difference {
  readonly kind: DifferenceKind;
  /** The path of the member in all answers: `details[].card.expiryMonth`; `*` stands for the keys of a map. */
  readonly path: string;
  /** The path in this answer, with the numbers of items from 0 and the keys of maps: `details[3].card.expiryMonth`. */
  readonly at: string;
  /** Absent where the member is. Moments are texts. */
  readonly left?: unknown;
  readonly right?: unknown;
}

/** Which reference of one side is which of the other. One for all answers that are compared. */
export class IdPairs {
  readonly #rightOf = new BoundedMap<string, string>(pairsMax);
  readonly #leftOf = new BoundedMap<string, string>(pairsMax);

  /** Returns false where one of them belongs to another one. */
  pair(left: unknown, right: unknown): boolean {
    const [own, other] = [String(left), String(right)];
    if (!this.#rightOf.has(own) && !this.#leftOf.has(other)) {
      this.#rightOf.set(own, other);
      this.#leftOf.set(other, own);
    }
    return this.#rightOf.get(own) === other && this.#leftOf.get(other) === own;
  }

  /** Returns a value of JSON with the references of the right side in place of those of the left one. */
  toRight(value: unknown): unknown {
    if (typeof value === 'string') return this.#rightOf.get(value) ?? value;
    if (Array.isArray(value)) return value.map((each) => this.toRight(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.toRight(each)]));
  }

  /** The pairs: the reference of the left side, and that of the right one. */
  list(): readonly (readonly [left: string, right: string])[] {
    return [...this.#rightOf];
  }
}

const pairsMax = 100_000;
const secondMs = 1_000;
/** Items of two lists are compared each with each only while there are so few pairs of them, and so few values in the pairs of an answer. */
const itemPairsMax = 10_000;
const pairedValuesMax = 500_000;

/** Finds all differences of two values; either may be absent. `mask`: masks the values of differences, and not what is compared. */
export function compareValues(
  schema: Schema,
  left: unknown,
  right: unknown,
  rules: Rules,
  ids: IdPairs,
  mask?: MaskSecrets,
): readonly Difference[] {
  const found: Difference[] = [];
  new Comparison(rules, ids, found, mask).compare(schema, left, right, { path: '', at: '' });
  return found;
}

interface Place {
  readonly path: string;
  readonly at: string;
}

class Comparison {
  readonly #rules: Rules;
  readonly #ids: IdPairs;
  readonly #found: Difference[];
  readonly #mask: MaskSecrets | undefined;
  #pairedValues = 0;

  constructor(rules: Rules, ids: IdPairs, found: Difference[], mask?: MaskSecrets) {
    this.#mask = mask;
    this.#rules = rules;
    this.#ids = ids;
    this.#found = found;
  }

  compare(schema: Schema, left: unknown, right: unknown, place: Place): void {
    // Whether items are the same, the first difference says.
    if (this.#ids === anyIds && this.#found.length > 0) return;
    const rule = this.#rules.scalar(place.path);
    if (rule?.kind === 'ignore' || (left === right && (left === undefined || left === null))) return;
    if (left === undefined) this.#add('added', schema, undefined, right, place);
    else if (right === undefined) this.#add('missing', schema, left, undefined, place);
    else this.#comparePresent(schema, left, right, place);
  }

  /** A recording may have values of other kinds than the contract. */
  #comparePresent(schema: Schema, left: unknown, right: unknown, place: Place): void {
    switch (schema.kind) {
      case 'list':
        if (Array.isArray(left) && Array.isArray(right)) {
          if (schema.joined) this.#compareSets(schema, left, right, place);
          else this.#compareLists(schema, left, right, place);
          return;
        }
        break;
      case 'object':
      case 'map':
        if (isMembers(left) && isMembers(right)) {
          const [one, other] =
            schema.kind === 'map' ? [schema, schema] : [variantOf(schema, left), variantOf(schema, right)];
          if (one !== other) break;
          this.#compareMembers(one, left, right, place);
          return;
        }
        break;
      default:
        if (typeof left !== 'object' && typeof right !== 'object' && this.#isSame(schema, left, right, place.path))
          return;
    }
    this.#add('value', schema, left, right, place);
  }

  #compareMembers(schema: MapSchema | ObjectSchema, left: Members, right: Members, { path, at }: Place): void {
    const names =
      schema.kind === 'object' ? Object.keys(schema.fields) : new Set([...Object.keys(left), ...Object.keys(right)]);
    for (const name of names) {
      const part = schema.kind === 'object' ? schema.fields[name]!.schema : (schema.item ?? anyText);
      const place = { path: joinPath(path, schema.kind === 'object' ? name : '*'), at: joinPath(at, name) };
      this.compare(part, memberOf(left, name), memberOf(right, name), place);
    }
  }

  #compareSets(schema: Schema, left: readonly unknown[], right: readonly unknown[], place: Place): void {
    const setOf = (items: readonly unknown[]): string =>
      items
        .map((each) => JSON.stringify(each))
        .toSorted()
        .join();
    if (setOf(left) !== setOf(right)) this.#add('value', schema, left, right, place);
  }

  #compareLists(schema: ListSchema, left: readonly unknown[], right: readonly unknown[], place: Place): void {
    const key = this.#rules.key(place.path);
    const path = `${place.path}[]`;
    // Each level of lists in lists would compare all inner ones once more.
    const isPlain = this.#ids === anyIds || !this.#mayPair(left, right);
    if (key === undefined && !isPlain && this.#isReordered(schema.item, left, right, path)) {
      this.#add('order', schema, left, right, place);
      return;
    }
    const pairs =
      key !== undefined
        ? pairsByKey(left, right, key)
        : isPlain || left.length === right.length
          ? pairsByPlace(left, right)
          : this.#align(schema.item, left, right, path);
    for (const [own, other, at] of pairs) this.compare(schema.item, own, other, { path, at: `${place.at}[${at}]` });
  }

  /** A server must not make up lists whose comparison takes seconds. */
  #mayPair(left: readonly unknown[], right: readonly unknown[]): boolean {
    if (left.length * right.length > itemPairsMax) return false;
    this.#pairedValues += left.length * valuesIn(right) + right.length * valuesIn(left);
    return this.#pairedValues <= pairedValuesMax;
  }

  /** Pairs the items of lists of different lengths so that as many as possible are the same (longest common subsequence). */
  #align(item: Schema, left: readonly unknown[], right: readonly unknown[], path: string): readonly ItemPair[] {
    const same = left.map((own) => right.map((other) => this.#isSameItem(item, own, other, path)));
    const width = right.length + 1;
    const lengths = new Uint16Array((left.length + 1) * width);
    for (let i = left.length - 1; i >= 0; i -= 1)
      for (let j = right.length - 1; j >= 0; j -= 1)
        lengths[i * width + j] = same[i]![j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    const pairs: ItemPair[] = [];
    for (let i = 0, j = 0; i < left.length || j < right.length; ) {
      if (i < left.length && j < right.length && same[i]![j]) pairs.push([left[i++], right[j++], i - 1]);
      else if (j >= right.length || (i < left.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!))
        pairs.push([left[i++], undefined, i - 1]);
      else pairs.push([undefined, right[j++], j - 1]);
    }
    return pairs;
  }

  /** Whether two lists have the same items in different orders. */
  #isReordered(item: Schema, left: readonly unknown[], right: readonly unknown[], path: string): boolean {
    if (left.length !== right.length) return false;
    if (left.every((own, at) => this.#isSameItem(item, own, right[at], path))) return false;
    const others = [...right];
    return left.every((own) => {
      const at = others.findIndex((other) => this.#isSameItem(item, own, other, path));
      return at >= 0 && others.splice(at, 1).length > 0;
    });
  }

  #isSameItem(item: Schema, left: unknown, right: unknown, path: string): boolean {
    const found: Difference[] = [];
    new Comparison(this.#rules, anyIds, found).compare(item, left, right, { path, at: path });
    return found.length === 0;
  }

  #isSame(schema: ScalarSchema, left: unknown, right: unknown, path: string): boolean {
    const rule = this.#rules.scalar(path);
    if (rule?.kind !== 'mapId' && isEqual(schema, left, right)) return true;
    switch (rule?.kind) {
      case undefined:
        return false;
      case 'ignore':
        return true;
      case 'sameShape':
        return shapeOf(left) === shapeOf(right);
      case 'mapId':
        return this.#ids.pair(left, right);
      case 'within':
        return Math.abs(amountOf(schema, left) - amountOf(schema, right)) <= rule.amount;
      default:
        return rule satisfies never;
    }
  }

  #add(kind: DifferenceKind, schema: Schema, left: unknown, right: unknown, place: Place): void {
    const shown = (given: unknown): unknown => {
      const value = this.#mask === undefined ? given : this.#mask(schema, given);
      return schema.kind === 'dateTime' && typeof value === 'number' ? new Date(value).toISOString() : value;
    };
    this.#found.push({
      kind,
      ...place,
      ...(left !== undefined && { left: shown(left) }),
      ...(right !== undefined && { right: shown(right) }),
    });
  }
}

/** The third is the place in the list that has the item; in the left one where both have it. */
type ItemPair = readonly [left: unknown, right: unknown, at: number];

/** Pairs whatever it is asked for: items that only differ in generated references are the same item. */
const anyIds = new (class extends IdPairs {
  override pair(): boolean {
    return true;
  }
})();

/** The number of a value and of all values in it. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

/** Maps may have keys such as `constructor`, which every object inherits. */
function memberOf(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function pairsByPlace(left: readonly unknown[], right: readonly unknown[]): readonly ItemPair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [left[at], right[at], at]);
}

/** Items without the key, and those of equal keys, are paired in their order. */
function pairsByKey(left: readonly unknown[], right: readonly unknown[], key: string): readonly ItemPair[] {
  const keyOf = (item: unknown): string => JSON.stringify(isMembers(item) ? item[key] : undefined) ?? '';
  const indexed = right.map((item, at) => [item, at] as const);
  const waiting = Map.groupBy(indexed, ([item]) => keyOf(item));
  const pairs = left.map((item, at): ItemPair => [item, waiting.get(keyOf(item))?.shift()?.[0], at]);
  const rest = [...waiting.values()].flat().map(([item, at]): ItemPair => [undefined, item, at]);
  return [...pairs, ...rest];
}

function isEqual(schema: ScalarSchema, left: unknown, right: unknown): boolean {
  if (schema.kind !== 'dateTime' || typeof left !== 'number' || typeof right !== 'number')
    return normalOf(schema, left) === normalOf(schema, right);
  const [earlier, later] = [Math.min(left, right), Math.max(left, right)];
  // Some formats print no fraction of a second.
  return earlier === later || (earlier % secondMs === 0 && later - earlier < secondMs);
}

function normalOf(schema: ScalarSchema, value: unknown): unknown {
  return schema.kind === 'string' && schema.numeric && typeof value === 'string'
    ? value.replace(/^0+(?=\d)/, '')
    : value;
}

/** Milliseconds of a moment, also of one in a text; NaN for what is neither that nor a number. */
function amountOf(schema: ScalarSchema, value: unknown): number {
  if (typeof value === 'number') return value;
  const number = schema.kind === 'date' ? Number.NaN : Number(value);
  return Number.isNaN(number) ? Date.parse(String(value)) : number;
}

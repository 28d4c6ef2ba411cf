/** What does not count as a difference between two answers, by the paths of members. */
import { fieldOf, partsIn, type Schema } from '../../core/contract/index.ts';

/**
 * Rules as a file states them. A path is that of `Difference`: `details[].creationDate`, with `*` for the keys of a map. The name
 * of an operation and a colon before it confine it to this operation, and `**.` stands for any members before it.
 */
export interface RuleTexts {
  /** Members that are not compared. */
  readonly ignore?: readonly string[];
  /** Texts and numbers that are generated: as long as each other, with digits and letters in the same places. */
  readonly sameShape?: readonly string[];
  /** Generated references: one on the left is always the same one on the right, wherever it stands. */
  readonly mapId?: readonly string[];
  /** How far moments may be apart (`5 s`, `200 ms`, `2 min`), or numbers (`0.01`). */
  readonly within?: Readonly<Record<string, string>>;
  /** Lists whose items are told apart by one of their members; their order does not count. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Differences that are known, each with the reason why they may stay. They are counted apart. */
  readonly accepted?: readonly AcceptedText[];
}

/** A difference that is known. */
export interface AcceptedText {
  readonly path: string;
  readonly reason: string;
}

/** What a rule says of a scalar. */
type ScalarRule =
  | { readonly kind: 'ignore' | 'sameShape' | 'mapId' }
  /** Milliseconds, for moments. */
  | { readonly kind: 'within'; readonly amount: number };

/** The rules of one operation. */
export interface Rules {
  scalar(path: string): ScalarRule | undefined;
  /** The member that tells the items of a list apart. */
  key(path: string): string | undefined;
  /** Why a difference may stay. */
  accepted(path: string): string | undefined;
}

/** A rule, or why there is none. */
export class RuleError extends Error {}

const units: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const names = ['ignore', 'sameShape', 'mapId', 'within', 'keys', 'accepted'];

/** Returns the rules of each operation, by its name. Throws `RuleError` for a text that is no list of rules. */
export function compileRules(texts: RuleTexts): (operation: string) => Rules {
  const unknown = Object.keys(texts).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new RuleError(`${unknown} is no kind of rule: ${names.join(', ')}`);
  const scalars = new Paths<ScalarRule>();
  for (const kind of ['ignore', 'sameShape', 'mapId'] as const)
    for (const path of listOf(texts, kind)) scalars.add(textOf(path, kind), { kind });
  for (const [path, amount] of Object.entries(texts.within ?? {}))
    scalars.add(path, { kind: 'within', amount: amountOf(path, amount) });
  const keys = new Paths<string>();
  for (const [path, member] of Object.entries(texts.keys ?? {})) keys.add(path, textOf(member, 'keys'));
  const accepted = new Paths<string>();
  for (const { path, reason } of listOf(texts, 'accepted') as readonly AcceptedText[]) {
    if (typeof reason !== 'string' || reason.trim() === '') throw new RuleError(`accepted: ${path} has no reason`);
    accepted.add(textOf(path, 'accepted'), reason);
  }
  return (operation) => ({
    scalar: (path) => scalars.find(operation, path),
    key: (path) => keys.find(operation, path),
    accepted: (path) => accepted.find(operation, path),
  });
}

/** Returns the paths of rules that no operation has, by which a spelling mistake is found. `outputs`: by names of operations. */
export function unusedPaths(texts: RuleTexts, outputs: ReadonlyMap<string, Schema>): readonly string[] {
  const named = [
    ...['ignore' as const, 'sameShape' as const, 'mapId' as const].flatMap((kind) => texts[kind] ?? []),
    ...Object.keys(texts.within ?? {}),
    ...Object.keys(texts.keys ?? {}),
  ];
  return named.filter((text) => {
    const { operation, path, isEnd } = parsePath(text);
    const steps = path.split('.').flatMap((each) => [...each.matchAll(/\[\]|[^[\]]+/g)].map(([step]) => step));
    return ![...outputs].some(([name, schema]) => {
      if (operation !== '' && operation !== name) return false;
      return (isEnd ? partsIn(schema) : [{ schema }]).some((part) => hasPath(part.schema, steps));
    });
  });
}

/** Whether a member is at the path. A step is the name of a member, `[]` for any item, and `*` for any entry of a map. */
function hasPath(schema: Schema, [step, ...below]: readonly string[]): boolean {
  if (step === undefined) return true;
  if (schema.kind === 'list' && !schema.joined) return step === '[]' && hasPath(schema.item, below);
  if (schema.kind === 'map')
    return step === '*' && (schema.item === undefined ? below.length === 0 : hasPath(schema.item, below));
  const field = schema.kind === 'object' ? fieldOf(schema, step) : undefined;
  return field !== undefined && hasPath(field.schema, below);
}

/** `operation:**.end` */
function parsePath(text: string): { readonly operation: string; readonly path: string; readonly isEnd: boolean } {
  const [, operation = '', written = ''] = /^(?:(\w[\w.-]*):)?(.*)$/s.exec(text) ?? [];
  const isEnd = written.startsWith('**.');
  const path = isEnd ? written.slice(3) : written;
  if (path === '') throw new RuleError(`${text} is no path: details[].creationDate, say`);
  return { operation, path, isEnd };
}

/** Values by the path of a rule: that of one operation comes before that of all, and a whole path before its end. */
class Paths<V> {
  readonly #whole = new Map<string, V>();
  readonly #ends: (readonly [operation: string, end: string, value: V])[] = [];

  add(text: string, value: V): void {
    const { operation, path, isEnd } = parsePath(text);
    if (isEnd) this.#ends.push([operation, path, value]);
    else this.#whole.set(`${operation}:${path}`, value);
  }

  find(operation: string, path: string): V | undefined {
    const whole = this.#whole.get(`${operation}:${path}`) ?? this.#whole.get(`:${path}`);
    if (whole !== undefined || this.#ends.length === 0) return whole;
    return this.#ends.find(
      ([name, end]) => (name === '' || name === operation) && (path === end || path.endsWith(`.${end}`)),
    )?.[2];
  }
}

/** `details` and `[].card` are `details[].card`. */
export function joinPath(before: string, after: string): string {
  if (before === '' || after === '') return before + after;
  return after.startsWith('[') ? before + after : `${before}.${after}`;
}

/** Digits, capital and small letters by their kind, and every other character as it is. */
export function shapeOf(value: unknown): string {
  return String(value)
    .replace(/\p{Lu}/gu, 'A')
    .replace(/\p{Ll}/gu, 'a')
    .replace(/\d/g, '9');
}

function amountOf(path: string, text: unknown): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/.exec(String(text)) ?? [];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (number === undefined || factor === undefined)
    throw new RuleError(`within: ${path} is ${String(text)}, which is no time or number: 5 s, 200 ms, 0.01`);
  return Number(number) * factor;
}

function listOf<K extends keyof RuleTexts>(texts: RuleTexts, kind: K): readonly unknown[] {
  const list: unknown = texts[kind] ?? [];
  if (!Array.isArray(list)) throw new RuleError(`${kind} is no list`);
  return list;
}

function textOf(value: unknown, kind: string): string {
  if (typeof value !== 'string' || value === '') throw new RuleError(`${kind} has what is no text: ${String(value)}`);
  return value;
}

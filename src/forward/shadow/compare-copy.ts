/** Compares the answer to a copy with the answer that the caller got, and bounds what is told of it. */
import { isDeepStrictEqual } from 'node:util';
import { type Extras, maskSensitive, type Operation, type Schema } from '../../core/contract/index.ts';
import { type ComparedAnswer, compareAnswers } from '../compare/compare-answers.ts';
import { type Difference, IdPairs } from '../compare/compare-values.ts';
import type { Rules } from '../compare/rules.ts';

/** `current`: the upstream. `shadow`: the server next to it. */
export type Side = 'current' | 'shadow';

/** An answer, with the names of its members that the contract lacks. */
export type NamedAnswer = ComparedAnswer & { readonly extras: readonly string[] };

/** Kinds of differences of one answer. A server can make up any number. */
const differencesMax = 100;
/** Of a shown value, as JSON. */
const shownLengthMax = 2_000;
/** Names that the contract lacks in one object. With more they are keys, as in a list under ids. */
const namesMax = 16;

export function namesIn(extras: Extras | undefined): readonly string[] {
  return extras?.members.map(({ name }) => name) ?? [];
}

/**
 * Returns the differences between the answers of the current server (left) and of the shadow, one of each path and kind, and 100 at most.
 * Secrets of the contract are masked. `ids`: undefined where no rule pairs references.
 */
export function compareCopy(
  operation: Operation,
  left: NamedAnswer,
  right: NamedAnswer,
  rules: Rules,
  ids: IdPairs | undefined,
): readonly Difference[] {
  // Most answers are equal: this costs far less than a comparison by the contract, which pairs the references of equal answers, too.
  if (ids === undefined && isDeepStrictEqual(left, right)) return [];
  const found = [
    ...compareAnswers(operation, left, right, rules, ids ?? new IdPairs(), maskSensitive),
    ...compareExtras(operation.output, left.extras, right.extras, rules),
  ];
  const distinct = new Map<string, Difference>();
  for (const each of found) {
    const name = `${each.kind} ${each.path}`;
    if (!distinct.has(name)) distinct.set(name, each);
    if (distinct.size === differencesMax) break;
  }
  return [...distinct.values()].map(shorten);
}

function shorten(difference: Difference): Difference {
  const { left, right, ...place } = difference;
  const shown = (value: unknown): unknown => {
    const text = JSON.stringify(value);
    return text === undefined || text.length <= shownLengthMax ? value : text.slice(0, shownLengthMax);
  };
  return {
    ...{ ...place, at: place.at.slice(0, shownLengthMax) },
    ...(left !== undefined && { left: shown(left) }),
    ...(right !== undefined && { right: shown(right) }),
  };
}

/** Members that the contract lacks, in the answer of one server only. */
function compareExtras(
  output: Schema,
  left: readonly string[],
  right: readonly string[],
  rules: Rules,
): readonly Difference[] {
  const pathOf = pathsOfExtras(output, [...left, ...right]);
  const only = (names: readonly string[], others: readonly string[], kind: 'missing' | 'added'): Difference[] => {
    const known = new Set(others);
    const found = new Map<string, Difference>();
    for (const at of names) {
      const path = known.has(at) ? undefined : pathOf(at);
      if (path !== undefined && !found.has(path) && rules.scalar(path)?.kind !== 'ignore')
        found.set(path, { kind, path, at });
      if (found.size === differencesMax) break;
    }
    return [...found.values()];
  };
  return [...only(left, right, 'missing'), ...only(right, left, 'added')];
}

/** Returns the paths of members that the contract lacks: `[]` stands for the numbers of items, `*` for the keys of maps. */
function pathsOfExtras(output: Schema, names: readonly string[]): (name: string) => string {
  const parents = new Map<string, Set<string>>();
  const split = (name: string): readonly [parent: string, own: string] => {
    const steps = stepsOf(output, name.split('.'));
    const own = steps.pop() ?? '';
    return [steps.join('.'), own];
  };
  for (const name of names) {
    const [parent, own] = split(name);
    const known = parents.get(parent);
    if (known === undefined) parents.set(parent, new Set([own]));
    else if (known.size <= namesMax) known.add(own);
  }
  return (name) => {
    const [parent, own] = split(name);
    const step = (parents.get(parent)?.size ?? 0) > namesMax ? '*' : own;
    return (parent === '' ? step : `${parent}.${step}`).replace(/\.\[\]/g, '[]');
  };
}

/** The steps of a name, with keys of maps of the contract replaced. */
function stepsOf(output: Schema, names: readonly string[]): string[] {
  let schema: Schema | undefined = output;
  return names.map((name) => {
    if (schema?.kind === 'map') {
      schema = schema.item;
      return '*';
    }
    if (/^\d+$/.test(name)) {
      schema = schema?.kind === 'list' ? schema.item : undefined;
      return '[]';
    }
    schema = schema?.kind === 'object' && Object.hasOwn(schema.fields, name) ? schema.fields[name]?.schema : undefined;
    return name;
  });
}

/** Values of an answer that are none of the contract. They are kept with their places, as members that it does not have. */
import {
  type Issue,
  IssueCollector,
  keyOf,
  type Path,
  type Schema,
  type UnknownMembers,
} from '../../contract/index.ts';
import { valueAt } from '../../lib/index.ts';
import { jsonPath } from './names.ts';
import { plainValue } from './places.ts';

/** An answer without the values that do not fit, and these values. */
interface Fitting {
  readonly value: unknown;
  readonly misfits: readonly UnknownMembers[];
}

/**
 * Takes the values of all issues out of a canonical value. A list with one that does not fit is taken out as a whole, since the places
 * of its items mean something. `tree`: the answer as JSON.
 */
export function withoutMisfits(value: unknown, issues: readonly Issue[], tree: unknown, output: Schema): Fitting {
  // Reading ends with so many issues, and what is behind the last one was not read.
  const paths =
    issues.length >= IssueCollector.issuesMax ? [[]] : issues.map(({ path }) => placeOf(path, tree, output));
  if (paths.some((path) => path.length === 0)) {
    const all = plainValue(tree) as Readonly<Record<string, unknown>>;
    return { value: Object.freeze({}), misfits: [misfit([], Object.entries(all))] };
  }
  const outermost = paths.filter(
    (path, at) =>
      !paths.some(
        (other, index) => other !== path && begins(path, other) && (other.length < path.length || index < at),
      ),
  );
  return {
    value: outermost.reduce(without, value),
    misfits: outermost.map((path) => {
      const name = String(jsonPath(path, output).at(-1));
      return misfit(path.slice(0, -1), [[name, nodeAt(tree, jsonPath(path, output))]]);
    }),
  };
}

/** Whether a path is another one, or within it. */
export function begins(path: Path, other: Path): boolean {
  return other.every((step, at) => keyOf(step) === keyOf(path[at] ?? ''));
}

function misfit(path: Path, members: readonly (readonly [string, unknown])[]): UnknownMembers {
  return { path, nodes: new Map(members.map(([name, node]) => [name, [node]])) };
}

/** The nearest place that can be left out, and that the answer has. */
function placeOf(path: Path, tree: unknown, output: Schema): Path {
  const item = path.findIndex((step) => typeof step !== 'string');
  const place = item === -1 ? path : path.slice(0, item);
  const length = place.findIndex((_, at) => nodeAt(tree, jsonPath(place.slice(0, at + 1), output)) === undefined);
  return length === -1 ? place : place.slice(0, length);
}

function nodeAt(tree: unknown, path: Path): unknown {
  return valueAt(plainValue(tree), path.map(keyOf));
}

/** Objects that have no other member go, too. */
function without(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return undefined;
  const copy: Record<string, unknown> = { ...value };
  const inner = rest.length === 0 ? undefined : without(copy[keyOf(step)], rest);
  if (inner === undefined) delete copy[keyOf(step)];
  else copy[keyOf(step)] = inner;
  return Object.freeze(copy);
}

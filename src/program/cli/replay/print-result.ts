/** Prints what a replay has found, as text or JSON, and as the report of a migration takes it. */

import type { Input } from '../../../core/contract/index.ts';
import type { DifferenceGroup } from '../../../forward/index.ts';
import type { saveComparison } from '../../../operators/index.ts';
import type { Counted } from './state.ts';

interface ReplayResult extends Counted {
  /** Requests without an answer, by what failed. */
  readonly failures: ReadonlyMap<string, number>;
}

/** One line of JSON. */
export function jsonOf({ tally, skipped, failures, unknownMembers, uncertain }: ReplayResult): string {
  const { compared, different, forgotten } = tally;
  const counts = (map: ReadonlyMap<string, number>) => Object.fromEntries(map);
  return JSON.stringify({
    ...{ compared, different, forgotten, failures: counts(failures), skipped: counts(skipped) },
    ...{ unknownMembers: [...unknownMembers], uncertain: [...uncertain] },
    differences: tally.list().map(({ callers, firstAt, lastAt, ...group }) => {
      const times = { firstAt: new Date(firstAt).toISOString(), lastAt: new Date(lastAt).toISOString() };
      return { ...group, ...times, callers: [...callers] };
    }),
  });
}

/** Returns the lines of the result. */
export function textOf({ tally, skipped, failures, unknownMembers, uncertain }: ReplayResult): readonly string[] {
  const { compared, different, forgotten } = tally;
  return [
    `${compared} answers compared, ${different} different`,
    ...[...skipped].map(([reason, count]) => `${count} not sent: ${reason}`),
    ...[...failures].map(([reason, count]) => `${count} without an answer: ${reason}`),
    ...(uncertain.size > 0
      ? [`${uncertain.size} without a known answer may have had their effect: ${[...uncertain].join(', ')}`]
      : []),
    ...[...unknownMembers].map((member) => `the contract lacks ${member}`),
    ...(forgotten > 0 ? [`${forgotten} kinds of differences are not listed`] : []),
    ...tally.list().flatMap(groupText),
  ];
}

function groupText(group: DifferenceGroup): readonly string[] {
  const { operation, path, kind, count, firstAt, callers, example, accepted } = group;
  const { left, right, at, reference } = example;
  const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 200));
  const who = `${callers.size} ${callers.size === 1 ? 'caller' : 'callers'} since ${new Date(firstAt).toISOString()}`;
  return [
    '',
    `${operation} ${path} (${kind}): ${count === 1 ? 'once' : `${count} times`}, ${who}${accepted === undefined ? '' : `; accepted: ${accepted}`}`,
    `  ${reference} ${at}: ${shown(left)} recorded, ${shown(right)} now`,
  ];
}

/** Without values of requests and answers. Members that the contract lacks are differences, too. */
export function savedOf(result: ReplayResult): Omit<Input<typeof saveComparison>, 'name'> {
  const { tally, skipped, failures, unknownMembers } = result;
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((one, other) => one + other, 0);
  const groups = tally.list().map(({ operation, path, kind, count, callers, firstAt, lastAt, accepted }) => ({
    ...{ operation, path: path.slice(0, pathMax), kind, count, callers: callers.size, firstAt, lastAt },
    ...(accepted !== undefined && { accepted: accepted.slice(0, pathMax) }),
  }));
  const now = Date.now();
  const unknown = [...unknownMembers].slice(0, unknownMax).map((member) => {
    const [operation = '', ...path] = member.split(' ');
    const times = { count: 1, callers: 0, firstAt: now, lastAt: now };
    return { operation, path: path.join(' ').slice(0, pathMax), kind: 'not in the contract', ...times };
  });
  return {
    ...{ compared: tally.compared, different: tally.different, unanswered: sum(failures), unsent: sum(skipped) },
    differences: [...groups, ...unknown].slice(0, rowsMax),
  };
}

const pathMax = 1_000;
const unknownMax = 100;
const rowsMax = 1_000;

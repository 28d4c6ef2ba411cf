/** Prints what a replay has found, as text or JSON. */
import type { DifferenceGroup } from '../../compare/compare-answers.ts';
import { escapeUnprintable } from '../../lib/escape-unprintable.ts';
import type { Counted } from './state.ts';

export interface ReplayResult extends Counted {
  /** Requests without an answer, by what failed. */
  readonly failures: ReadonlyMap<string, number>;
}

/** One line of JSON. */
export function jsonOf({ tally, skipped, failures, unknownMembers }: ReplayResult): string {
  const { compared, different, forgotten } = tally;
  const counts = (map: ReadonlyMap<string, number>) => Object.fromEntries(map);
  return JSON.stringify({
    ...{ compared, different, forgotten, failures: counts(failures), skipped: counts(skipped) },
    unknownMembers: [...unknownMembers],
    differences: tally.list().map(({ callers, firstAt, lastAt, ...group }) => {
      const times = { firstAt: new Date(firstAt).toISOString(), lastAt: new Date(lastAt).toISOString() };
      return { ...group, ...times, callers: [...callers] };
    }),
  });
}

/** A server that is compared chooses names and values: a terminal gets none of their control characters. */
export function textOf({ tally, skipped, failures, unknownMembers }: ReplayResult): readonly string[] {
  const { compared, different, forgotten } = tally;
  return [
    `${compared} answers compared, ${different} different`,
    ...[...skipped].map(([reason, count]) => `${count} not sent: ${reason}`),
    ...[...failures].map(([reason, count]) => `${count} without an answer: ${reason}`),
    ...[...unknownMembers].map((member) => `the contract lacks ${member}`),
    ...(forgotten > 0 ? [`${forgotten} kinds of differences are not listed`] : []),
    ...tally.list().flatMap(groupText),
  ].map(escapeUnprintable);
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

/** `triglyph deprecations list`: prints the deprecations of the configuration file and of the store. */
import { describeBrownOut } from '../../callers/brown-out.ts';
import { describeCalls } from '../../callers/deprecation.ts';
import { type DeprecationState, stateAt } from '../../callers/deprecation-state.ts';
import type { InvalidDeprecation, KnownDeprecation } from '../../callers/known-deprecations.ts';
import { clock } from '../../lib/clock.ts';
import { formatTable } from '../callers/columns.ts';
import { formatMinute, print, printAll } from '../output.ts';
import { configFileName } from '../project.ts';
import { withAdmin } from './set.ts';

export async function listDeprecations({ json }: { readonly json?: boolean }): Promise<void> {
  await withAdmin(async (admin) => {
    const { valid, invalid } = await admin.list();
    const now = clock.now();
    if (json)
      return print(
        JSON.stringify([...valid.map((each) => describe(each, now)), ...invalid.map((each) => describeInvalid(each))]),
      );
    if (valid.length + invalid.length === 0) return print('No call is deprecated.');
    printAll([
      ...formatTable(valid, {
        ID: ({ id }) => id,
        SOURCE: (each) => sourceOf(each),
        CALLS: ({ rule }) => describeCalls(rule),
        SINCE: ({ rule }) => rule.deprecatedSince,
        SUNSET: ({ rule: { sunset, refuseAfterSunset } }) => `${sunset ?? '-'}${refuseAfterSunset ? ' refused' : ''}`,
        NOW: ({ rule }) => formatState(stateAt(rule, now)),
        'BROWN-OUTS': ({ rule: { brownOuts = [] } }) => brownOuts.map(describeBrownOut).join(', ') || '-',
        EXEMPT: ({ rule: { except = [] } }) => except.join(' ') || '-',
      }),
      ...invalid.map(({ id, changedBy, faults }) => `${id} of ${changedBy} does not hold: ${faults.join(' ')}`),
    ]);
  });
}

function describe({ id, rule, stored, exemptions }: KnownDeprecation, now: number) {
  const { state, until } = stateAt(rule, now);
  return {
    id,
    source: sourceOf({ stored }),
    state,
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    rule,
    ...(stored !== undefined && {
      changedAt: new Date(stored.changedAt).toISOString(),
      changedBy: stored.changedBy,
    }),
    exemptions: exemptions.map(({ credential, exemptedAt, exemptedBy }) => ({
      credential,
      exemptedAt: new Date(exemptedAt).toISOString(),
      exemptedBy,
    })),
  };
}

function describeInvalid({ id, rule, changedAt, changedBy, faults }: InvalidDeprecation) {
  return {
    id,
    source: 'store',
    state: 'invalid',
    rule,
    changedAt: new Date(changedAt).toISOString(),
    changedBy,
    faults,
  };
}

function sourceOf({ stored }: Pick<KnownDeprecation, 'stored'>): string {
  return stored === undefined ? (configFileName() ?? 'configuration') : 'store';
}

function formatState({ state, until }: DeprecationState): string {
  return until === undefined ? state : `${state} until ${formatMinute(until)}`;
}

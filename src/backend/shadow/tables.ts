/** The tables of shadows: shares that operators have set, and the differences that were found. */
import { column, table } from '../../stores/index.ts';

const { tenant, text, integer, moment, json, dataKey, nullable } = column;

/** Which requests a shadow gets and answers. Empty texts stand for all operations and all callers. */
export const shadowShares = table('shadow_share', {
  columns: {
    upstream: tenant,
    operation: text,
    caller: text,
    // Percent; null where another row says it.
    copied: nullable(integer),
    answered: nullable(integer),
    changedAt: moment,
    changedBy: text,
  },
  key: ['upstream', 'operation', 'caller'],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** Differences by kind. The example is sealed, and its secrets are masked: it may hold personal data. */
export const shadowDifferences = table('shadow_difference', {
  columns: {
    upstream: tenant,
    differenceId: text,
    operation: text,
    kind: text,
    path: text,
    found: integer,
    firstAt: moment,
    lastAt: moment,
    // The ids of the first callers.
    callers: json,
    ...dataKey,
    sealedExample: text,
    // Why it may stay; null for one that is not accepted.
    acceptedReason: nullable(text),
    acceptedAt: nullable(moment),
    acceptedBy: nullable(text),
  },
  key: ['upstream', 'differenceId'],
  sealedRecord: (id) => `shadow difference ${id}`,
  indexes: { byAge: { on: ['lastAt'] } },
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'the task of shadows, after CALLER_DAYS_MAX' },
});

/** What gateways count of the shadows that callers are switched to. */
const shadowSwitches = table('shadow_switch', {
  columns: { upstream: tenant, counts: json },
  key: ['upstream'],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

const shadowRevision = table('shadow_revision', {
  // One row, which each change counts up and locks.
  columns: { id: integer, revision: integer },
  key: ['id'],
  shared: 'processes',
  rows: [[1, 0]],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

export const shadowTables = Object.freeze([shadowShares, shadowDifferences, shadowSwitches, shadowRevision]);

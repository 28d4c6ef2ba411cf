/** Destroys what is stored for longer than its time, in small steps beside traffic. */

import { type Clock, memoize } from '../core/lib/index.ts';
import { deletionStep, type Row, readCommitted, statement } from './sql/engine.ts';
import { endLease, holdLease, type Lease, stepLeaseMs } from './sql/leases.ts';
import { placeholders } from './sql/row-values.ts';
import { StepPace } from './sql/step-pace.ts';
import type { Store } from './store.ts';
import type { Table } from './table.ts';
import type { Transaction } from './transaction.ts';

/** How long one kind of data is stored. */
export interface RetentionRule {
  /** What is destroyed, as the audit log says it: `disabledDetail`. */
  readonly subject: string;
  /** Undefined for ever. */
  readonly ms: number | undefined;
  /** Destroys at most `max` rows from before the moment, the oldest first. Returns their number. */
  destroy(tx: Transaction, before: number, max: number): Promise<number>;
}

export interface DestroyedRows {
  readonly subject: string;
  /** Milliseconds since the epoch. */
  readonly before: number;
  readonly rows: number;
}

export interface RetentionParts {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly rules: readonly RetentionRule[];
  /** Names the process among those that share the store. */
  readonly owner: string;
  /** Waits between two steps. */
  readonly pause: (ms: number) => Promise<void>;
  readonly isStopped: () => boolean;
}

const rowsMax = 200;

/** Returns what was destroyed. Ends early where another process does the same, or the process stops. */
export async function applyRetention(parts: RetentionParts): Promise<readonly DestroyedRows[]> {
  const { store, clock, rules, owner, pause, isStopped } = parts;
  const lease: Lease = { name: 'retention', owner, ms: stepLeaseMs };
  const destroyed: DestroyedRows[] = [];
  for (const { subject, ms, destroy } of rules) {
    if (ms === undefined) continue;
    const before = clock.now() - ms;
    const pace = new StepPace(rowsMax);
    let rows = 0;
    for (let more = true; more && !isStopped(); ) {
      const startedAt = performance.now();
      const max = pace.rows;
      const done = await store.write(
        async (tx) => ((await holdLease(tx, lease)) ? await destroy(tx, before, max) : undefined),
        deletionStep,
      );
      if (done === undefined) return destroyed;
      rows += done;
      more = done === max;
      if (more) await pause(pace.after(performance.now() - startedAt));
    }
    if (rows > 0) destroyed.push({ subject, before, rows });
  }
  await store.write((tx) => endLease(tx, lease), readCommitted);
  return destroyed;
}

/**
 * The rules of tables, as they declare them. `msOf`: how long rows of a table are stored; undefined for ever. Rows that reference a
 * destroyed one are destroyed with it.
 */
export function retentionRules(
  tables: readonly Table[],
  msOf: (table: Table) => number | undefined,
): readonly RetentionRule[] {
  return tables.flatMap((table) => {
    const { retention } = table;
    if (retention === undefined) return [];
    return [
      { subject: retention.subject, ms: msOf(table), destroy: createDestruction(table, retention.after, tables) },
    ];
  });
}

function createDestruction(
  { name, key, columns }: Table,
  after: string,
  tables: readonly Table[],
): RetentionRule['destroy'] {
  const keyText = key.join(', ');
  const isSet = columns.some((column) => column.name === after && column.isNullable) ? `${after} is not null and ` : '';
  const oldest = `select ${keyText} from ${name} where ${isSet}${after} < $1 order by ${after} limit $2`;
  const references = tables.flatMap((each) =>
    each.references
      .filter(({ table, onDelete }) => table.name === name && onDelete === undefined)
      .map((reference) => ({ name: each.name, columns: reference.columns })),
  );
  if (references.length === 0) {
    const destroy = statement(`destroy-old-${name}`, `delete from ${name} where (${keyText}) in (${oldest})`);
    return (tx, before, max) => tx.execute(destroy, [before, max]);
  }
  const find = statement<Row>(`find-old-${name}`, oldest);
  const destroyAll = [...references, { name, columns: key }].map((each) =>
    memoize((count: number) =>
      statement(
        `destroy-${each.name}-of-${count}-${name}`,
        `delete from ${each.name} where (${each.columns.join(', ')}) in (values ${placeholders(
          count,
          key.map(() => ''),
        )})`,
      ),
    ),
  );
  return async (tx, before, max) => {
    const rows = await tx.query(find, [before, max]);
    if (rows.length === 0) return 0;
    const keys = rows.flatMap((row) => key.map((column) => row[column] ?? null));
    let destroyed = 0;
    for (const destroy of destroyAll) destroyed = await tx.execute(destroy(rows.length), keys);
    return destroyed;
  };
}

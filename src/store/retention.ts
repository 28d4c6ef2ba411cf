/** Destroys what is stored for longer than its time, in small steps beside traffic. */
import type { Clock } from '../lib/clock-and-ids.ts';
import { deletionStep, readCommitted } from './sql/engine.ts';
import { endLease, holdLease, type Lease, stepLeaseMs } from './sql/leases.ts';
import { StepPace } from './sql/step-pace.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';

/** How long one kind of data is stored. Services declare those of their own data. */
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

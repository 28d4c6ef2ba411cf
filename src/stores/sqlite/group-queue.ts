/** The queue of the writing connection: runs the transactions that wait in groups, each with one commit. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { isBusy, isRolledBack } from './failure.ts';
import { Group, type GroupEnd } from './group.ts';

/** Without an attempt for so long, the other process may have written in between: the wait begins anew. */
const attemptMsMax = 1_000;
/** So many members run before other events, such as reads. */
const membersPerTurn = 4;
/** Bounds how long the first member waits for its commit, and how many answers and next requests follow it in one turn of the loop. */
const membersMax = 64;

/** The admission of a transaction to a group, or the error of SQLite that refuses it. */
type Admission = { readonly group: Group; readonly member: number } | { readonly refused: unknown };

interface Waiting {
  readonly alone: boolean;
  readonly admit: (admission: Admission) => void;
}

interface QueueParts {
  readonly writer: Connection;
  readonly lockMsMax: number;
  /** Throws where a commit would not reach the disk. Called before each group, and after its commit. */
  readonly check: () => void;
  /** Called with the cause where a commit has an unknown outcome. */
  readonly onUnknown: (cause: unknown) => void;
}

export class GroupQueue {
  readonly #parts: QueueParts;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #lockedSince: number | undefined;
  #lastAttemptAt = 0;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** Waits for a place in a group; `alone` for a group of its own. The caller must then call `group.run`. */
  join({ alone }: { readonly alone: boolean }): Promise<Admission> {
    const { promise, resolve } = Promise.withResolvers<Admission>();
    this.#waiting.push({ alone, admit: resolve });
    this.#running ??= this.#runGroups();
    return promise;
  }

  /** Resolves when no transaction waits or runs. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) {
      await this.#running;
      // Transactions of a group that was rolled back come again.
      await setImmediate();
    }
  }

  async #runGroups(): Promise<void> {
    // Requests that arrived together are in the first group together. A commit blocks the thread until the disk has it:
    // other events run before the next group.
    do {
      await setImmediate();
      await this.#runGroup();
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  async #runGroup(): Promise<void> {
    const refused = await this.#begin();
    if (refused !== undefined) {
      for (const { admit } of this.#waiting.splice(0)) admit({ refused: refused.cause });
      return;
    }
    const group = new Group(this.#parts.writer);
    await this.#admitMembers(group);
    group.end(this.#commit(group));
  }

  /** Waits for another process without blocking the event loop, as SQLite's own waiting would. */
  async #begin(): Promise<{ readonly cause: unknown } | undefined> {
    const { writer, lockMsMax, check } = this.#parts;
    for (;;) {
      const now = performance.now();
      if (now - this.#lastAttemptAt > attemptMsMax) this.#lockedSince = undefined;
      this.#lastAttemptAt = now;
      try {
        check();
        writer.run('begin immediate');
        this.#lockedSince = undefined;
        return undefined;
      } catch (cause) {
        if (!isBusy(cause)) return { cause };
        this.#lockedSince ??= now;
        if (now - this.#lockedSince >= lockMsMax) return { cause };
      }
      await setTimeout(1 + 4 * Math.random());
    }
  }

  async #admitMembers(group: Group): Promise<void> {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || (next.alone && group.size > 0)) return;
      this.#waiting.shift();
      await group.admit((member) => next.admit({ group, member }));
      if (next.alone || group.lost !== undefined || group.size === membersMax) return;
      if (group.size % membersPerTurn === 0) await setImmediate();
    }
  }

  #commit(group: Group): GroupEnd {
    const { writer, check, onUnknown } = this.#parts;
    if (group.lost !== undefined) {
      // A member whose savepoint cannot be rolled back leaves the transaction open.
      rollBack(writer);
      return { kind: 'rolledBack', cause: group.lost.cause };
    }
    try {
      writer.run('commit');
      check();
      return { kind: 'committed' };
    } catch (cause) {
      // A commit that is only refused leaves its transaction open.
      if (rollBack(writer) || isRolledBack(cause)) return { kind: 'rolledBack', cause };
      onUnknown(cause);
      return { kind: 'unknown', cause };
    }
  }
}

/** Returns whether there was a transaction to roll back. */
function rollBack(writer: Connection): boolean {
  if (!writer.inTransaction) return false;
  try {
    writer.run('rollback');
  } catch {
    // The transaction has ended all the same.
  }
  return true;
}

/** Groups of transactions, as the embedded store has them: one after the other, with one commit that answers all of them. */
import { CommitUnknown } from '../../src/stores/errors.ts';
import type { TransactionSession } from '../../src/stores/sql/engine.ts';
import { currentAttempt } from './attempt.ts';
import type { SimTransaction } from './sim-database.ts';
import { down, limitMs, pollMs, refuse, type SessionEngine, SimulatedSession, writerMsMax } from './sim-session.ts';

/** What a seeded defect breaks. */
export type GroupDefect =
  /** A member is answered before the commit of its group. */
  | 'early answer'
  /** What a failing member wrote stays in the group. */
  | 'failed member stays'
  /** The members of a group that another one has rolled back count as committed. */
  | 'lost group';

type Outcome<T> = { readonly value: T } | { readonly thrown: unknown };

interface Group {
  readonly members: SimTransaction[];
  readonly ended: PromiseWithResolvers<'committed' | 'rolledBack' | 'unknown'>;
  memberLeft: PromiseWithResolvers<void>;
  /** The member whose failure has rolled back the group, as a full disk does. */
  lostBy: SimTransaction | undefined;
}

interface Waiting {
  readonly alone: boolean;
  readonly attempt: ReturnType<typeof currentAttempt.getStore>;
  readonly admit: (group: Group | undefined) => void;
}

/** The queue of one process. Only one process at a time has a group. */
export class SimGroupQueue {
  readonly #engine: SessionEngine;
  readonly #defect: GroupDefect | undefined;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(engine: SessionEngine, defect?: GroupDefect) {
    this.#engine = engine;
    this.#defect = defect;
  }

  async write<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    for (let alone = false; ; alone = true) {
      const group = await this.#join(alone);
      if (group === undefined) throw down('another process is writing');
      const { transaction, outcome } = await this.#runMember(group, work);
      const end = this.#defect === 'early answer' ? 'committed' : await group.ended.promise;
      const isAnswered = end === 'committed' || (end === 'rolledBack' && this.#defect === 'lost group');
      if (isAnswered || (end === 'rolledBack' && group.lostBy === transaction)) {
        if ('thrown' in outcome) throw outcome.thrown;
        return outcome.value;
      }
      if (end === 'unknown') {
        if ('thrown' in outcome) throw down('the commit failed');
        throw new CommitUnknown('simulated: the disk failed during the commit');
      }
      if (alone || group.members.length === 1) throw down('the commit failed');
    }
  }

  #join(alone: boolean): Promise<Group | undefined> {
    return new Promise((admit) => {
      this.#waiting.push({ alone, attempt: currentAttempt.getStore(), admit });
      if (this.#isRunning) return;
      this.#isRunning = true;
      void this.#runGroups();
    });
  }

  async #runMember<T>(
    group: Group,
    work: (session: TransactionSession) => Promise<T>,
  ): Promise<{ readonly transaction: SimTransaction; readonly outcome: Outcome<T> }> {
    const { database, port } = this.#engine;
    const attempt = currentAttempt.getStore();
    const transaction = database.begin(port.owner, attempt, port.scheduler.now, group.members);
    const session = new SimulatedSession(this.#engine, transaction);
    const worked = await work(session).then(
      (value) => ({ value }),
      (thrown: unknown) => ({ thrown }),
    );
    const outcome = session.failure ?? worked;
    if ('thrown' in outcome) {
      if (this.#defect !== 'failed member stays') database.rollbackTo(transaction, 0);
      if (session.failure !== undefined && String(session.failure.thrown).includes('timeout'))
        group.lostBy = transaction;
    }
    group.members.push(transaction);
    group.memberLeft.resolve();
    return { transaction, outcome };
  }

  async #runGroups(): Promise<void> {
    const { scheduler, owner } = this.#engine.port;
    await scheduler.turn(owner, 'gathers a group');
    while (this.#waiting.length > 0) await this.#runGroup();
    this.#isRunning = false;
  }

  async #runGroup(): Promise<void> {
    const { scheduler, owner } = this.#engine.port;
    const lock = await this.#begin();
    if (lock === undefined) {
      for (const { attempt, admit } of this.#waiting.splice(0)) {
        if (attempt !== undefined) attempt.disturbed = true;
        admit(undefined);
      }
      return;
    }
    const group: Group = {
      members: [],
      ended: Promise.withResolvers(),
      memberLeft: Promise.withResolvers(),
      lostBy: undefined,
    };
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.alone && group.members.length > 0) break;
      this.#waiting.shift();
      group.memberLeft = Promise.withResolvers();
      next.admit(group);
      await group.memberLeft.promise;
      // A dead process admits no further one.
      await scheduler.turn(owner, 'a member has left the group', 0);
      if (next.alone || group.lostBy !== undefined) break;
    }
    const end = group.lostBy === undefined ? await this.#commit(group, lock) : 'rolledBack';
    for (const each of [lock, ...group.members]) if (!each.committing) this.#engine.database.end(each);
    group.ended.resolve(end);
  }

  /** Returns a transaction that keeps other processes from writing. */
  async #begin(): Promise<SimTransaction | undefined> {
    const { database, port } = this.#engine;
    const { scheduler, owner } = port;
    const deadline = scheduler.now + writerMsMax;
    while (database.open.size > 0) {
      if (scheduler.now >= deadline) return undefined;
      await scheduler.turn(owner, 'waits to write', pollMs);
    }
    const lock = database.begin(owner, undefined, scheduler.now);
    try {
      await port.call({ point: 'begin', kind: 'statement', limitMs, apply: () => {}, fail: refuse });
      return lock;
    } catch {
      database.end(lock);
      return undefined;
    }
  }

  async #commit({ members }: Group, lock: SimTransaction): Promise<'committed' | 'rolledBack' | 'unknown'> {
    const { database, port } = this.#engine;
    const setCommitting = (committing: boolean) => {
      for (const each of [lock, ...members]) each.committing = committing;
    };
    return await port.call<'committed' | 'rolledBack' | 'unknown'>({
      point: 'commit',
      kind: 'commit',
      limitMs,
      sent: () => setCommitting(true),
      apply: () => {
        setCommitting(false);
        const isCommitted = database.commitGroup(members);
        for (const each of [lock, ...members]) database.end(each);
        return isCommitted ? 'committed' : 'rolledBack';
      },
      fail: (failure) => {
        const isUndone = failure === 'error' || failure === 'conflict';
        for (const { attempt } of members) {
          if (attempt === undefined) continue;
          attempt.disturbed = true;
          if (!isUndone) attempt.commitUnknown = true;
        }
        return isUndone ? 'rolledBack' : 'unknown';
      },
    });
  }
}

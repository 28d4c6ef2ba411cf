/**
 * The database that all simulated processes share: real SQL on SQLite in memory, with concurrent transactions.
 *
 * SQLite has one transaction at a time, so a simulated transaction is the list of its statements. They run again, in one
 * savepoint, where another transaction ran since. The commit succeeds only where each statement still has its first result:
 * then the transaction is serializable.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Row, Statement, Value } from '../../src/stores/sql/engine.ts';
import type { Attempt } from './attempt.ts';
import type { Owner } from './scheduler.ts';

type Result = readonly Row[] | number;

export interface Entry {
  readonly statement: Statement;
  readonly parameters: readonly Value[];
  /** Its result is the number of rows written. */
  readonly counts: boolean;
  readonly writes: boolean;
  readonly result: string;
  /** It was after a savepoint that was rolled back. */
  rolledBack: boolean;
}

export interface SimTransaction {
  readonly owner: Owner;
  readonly attempt: Attempt | undefined;
  readonly entries: Entry[];
  /** Rows that other transactions wait for. */
  readonly locks: Set<string>;
  /** Virtual milliseconds. */
  usedAt: number;
  /** Its commit is on its way, so the death of its process does not end it. */
  committing: boolean;
  over: boolean;
  /** The earlier members of its group, whose writes it sees. */
  readonly after: readonly SimTransaction[];
}

export type OnCommit = (transaction: SimTransaction) => void;

interface Prepared {
  readonly statement: StatementSync;
  readonly order: readonly number[];
}

export class SimDatabase {
  /** Milliseconds since the epoch: the database's own clock. */
  now: () => number = () => 0;
  /** Called for each commit, in order. */
  committed: OnCommit = () => {};
  /** False for the seeded defects of a database that does not isolate transactions. */
  validates = true;
  readonly open = new Set<SimTransaction>();
  readonly #database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  readonly #prepared = new Map<string, Prepared>();
  /** The one whose statements the open savepoint of SQLite holds. */
  #loaded: SimTransaction | undefined;
  /** Whether every statement of the loaded one had its result there, and none again. */
  #isFirstRun = false;

  constructor() {
    this.#database.function('now_ms', { deterministic: false }, () => this.now());
  }

  /** Runs statements of the tests outside any transaction. */
  exec(text: string): void {
    this.#unload();
    this.#database.exec(text);
  }

  /** From now on `reset` returns to this state. SQLite keeps only the pages that a run changes. */
  keepState(): void {
    this.#unload();
    this.#database.exec('begin');
  }

  reset(): void {
    this.open.clear();
    this.validates = true;
    this.#unload();
    this.#prepare('rollback').statement.run();
    this.#prepare('begin').statement.run();
  }

  /** `exec` for one statement that many runs repeat. */
  restore(text: string): void {
    this.#unload();
    this.#prepare(text).statement.run();
  }

  /** The primary is lost: its transactions end, also those whose commits are on their way. */
  endAll(): void {
    for (const transaction of this.open) {
      transaction.committing = false;
      this.end(transaction);
    }
  }

  /** Reads what is committed. */
  rows(text: string): readonly Row[] {
    this.#unload();
    return this.#prepare(text).statement.all() as readonly Row[];
  }

  read(statement: Statement, parameters: readonly Value[]): readonly Row[] {
    this.#unload();
    return this.#run(statement, parameters, false) as readonly Row[];
  }

  begin(owner: Owner, attempt: Attempt | undefined, at: number, after: readonly SimTransaction[] = []): SimTransaction {
    const transaction = {
      owner,
      attempt,
      entries: [],
      locks: new Set<string>(),
      usedAt: at,
      committing: false,
      over: false,
      after: [...after],
    };
    this.open.add(transaction);
    return transaction;
  }

  /** `counts`: whether it returns the number of rows written; otherwise rows, also those of a writing statement. */
  run(transaction: SimTransaction, statement: Statement, parameters: readonly Value[], counts: boolean): Result {
    if (transaction.over) throw new Error('the transaction is over');
    this.#load(transaction);
    const result = this.#run(statement, parameters, counts);
    const writes = !/^\s*select\b/i.test(statement.text);
    transaction.entries.push({
      statement,
      parameters,
      counts,
      writes,
      result: JSON.stringify(result),
      rolledBack: false,
    });
    return result;
  }

  /** Rolls back what came after the first `count` statements. */
  rollbackTo(transaction: SimTransaction, count: number): void {
    this.#unload();
    for (const entry of transaction.entries.slice(count)) entry.rolledBack = true;
  }

  /** Whether every statement still has its first result. */
  isValid(transaction: SimTransaction): boolean {
    this.#unload();
    this.#open();
    try {
      return this.#replay(transaction);
    } finally {
      this.#close(false);
    }
  }

  /** Returns false, with nothing written, where it is over or conflicts with another one. */
  commit(transaction: SimTransaction): boolean {
    return this.commitGroup([transaction]);
  }

  /** Commits all, or nothing. */
  commitGroup(transactions: readonly SimTransaction[]): boolean {
    if (transactions.some(({ over }) => over)) return false;
    const isValid = this.#commitLoaded(transactions) || this.#commitAgain(transactions);
    for (const transaction of transactions) {
      this.end(transaction);
      if (isValid) this.committed(transaction);
    }
    return isValid;
  }

  /** Where nothing ran since its first statement, each would have the same result again. */
  #commitLoaded([transaction, ...others]: readonly SimTransaction[]): boolean {
    if (transaction === undefined || others.length > 0) return false;
    if (this.#loaded !== transaction || !this.#isFirstRun || transaction.after.length > 0) return false;
    this.#loaded = undefined;
    this.#close(true);
    return true;
  }

  #commitAgain(transactions: readonly SimTransaction[]): boolean {
    this.#unload();
    this.#open();
    const isValid = transactions.every((transaction) => this.#replay(transaction) || !this.validates);
    this.#close(isValid);
    return isValid;
  }

  /** Rolls it back unless it was committed. */
  end(transaction: SimTransaction): void {
    if (this.#loaded === transaction) this.#unload();
    transaction.over = true;
    this.open.delete(transaction);
  }

  /** The process is dead, and its connections are closed. */
  abandon(owner: Owner): void {
    for (const transaction of this.open)
      if (transaction.owner === owner && !transaction.committing) this.end(transaction);
  }

  #load(transaction: SimTransaction): void {
    if (this.#loaded === transaction) return;
    this.#unload();
    this.#open();
    this.#loaded = transaction;
    this.#isFirstRun = transaction.entries.length === 0;
    for (const { entries } of [...transaction.after, transaction])
      for (const { statement, parameters, counts, writes, rolledBack } of entries)
        if (writes && !rolledBack) this.#run(statement, parameters, counts);
  }

  #unload(): void {
    if (this.#loaded !== undefined) this.#close(false);
    this.#loaded = undefined;
  }

  #open(): void {
    this.#prepare('savepoint simulated').statement.run();
  }

  #close(isKept: boolean): void {
    if (!isKept) this.#prepare('rollback to simulated').statement.run();
    this.#prepare('release simulated').statement.run();
  }

  #replay(transaction: SimTransaction): boolean {
    let rolledBackWrites = false;
    for (const { statement, parameters, counts, writes, result, rolledBack } of transaction.entries) {
      if (rolledBack && writes) rolledBackWrites = true;
      // A read that saw a write which was rolled back cannot be repeated.
      if (rolledBack && rolledBackWrites) continue;
      try {
        if (JSON.stringify(this.#run(statement, parameters, counts)) !== result && this.validates) return false;
      } catch {
        if (this.validates) return false;
      }
    }
    return true;
  }

  #run({ text }: Statement, parameters: readonly Value[], counts: boolean): Result {
    const { statement, order } = this.#prepare(text);
    const values = order.map((index) => parameters[index] ?? null);
    return counts ? Number(statement.run(...values).changes) : (statement.all(...values) as readonly Row[]);
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const order: number[] = [];
    const positional = text.replaceAll('collate_bytes()', '').replace(/\$(\d+)/g, (_, number) => {
      order.push(Number(number) - 1);
      return '?';
    });
    const made = { statement: this.#database.prepare(positional), order };
    this.#prepared.set(text, made);
    return made;
  }
}

/** The interface of database engines: statements with `$1` parameters, run alone or in transactions. */

import { channel } from 'node:diagnostics_channel';

/** A value in a SQL statement or a row. */
export type Value = string | number | null;
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

/** One SQL text for both engines. PostgreSQL prepares it under its name. `R` is the type of its rows. */
export interface Statement<R extends Row = Row> {
  readonly name: string;
  readonly text: string;
  /** The longest wait for a lock of another transaction, where shorter than the engine's; then throws `LockTimeout`. */
  readonly waitMsMax?: number;
  /** It finds few rows by a key. Outside of transactions, those of one turn of the event loop share a connection, and one write to it. */
  readonly isQuick?: boolean;
  /** Never set: it gives the compiler the type. */
  readonly row?: R;
}

/**
 * Each engine replaces three functions in the text. `now_ms()` is the clock of the database, in milliseconds since the epoch.
 * On SQLite it does not follow the system's clock where that jumps.
 * `skip_locked()` after a selection skips rows that another transaction has locked. `collate_bytes()` after a text compares its bytes.
 */
export function statement<R extends Row = Row>(
  name: string,
  text: string,
  options: Pick<Statement, 'waitMsMax' | 'isQuick'> = {},
): Statement<R> {
  const created: Statement<R> = Object.freeze({ name, text, ...options });
  if (statementsCreated.hasSubscribers) statementsCreated.publish(created);
  return created;
}

/** Whether it reads only. One that writes may return rows, too. */
export function isSelect({ text }: Statement): boolean {
  return /^\s*select\b/i.test(text);
}

/** Each statement of the program as it is created, for a test that compares all with the declared tables. */
const statementsCreated = channel('triglyph:statement');

export interface Session {
  query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]>;
  /** Returns the number of rows written. */
  execute(statement: Statement, parameters: readonly Value[]): Promise<number>;
}

/** A session within a transaction. */
export interface TransactionSession extends Session {
  /**
   * Like `execute`, for a statement whose number of rows nothing needs. It may return before the statement has run, so that
   * the statement travels with the next one or the commit. A failure then fails the transaction. With `unwritten`, so does a
   * statement that writes no row: no later one returns, nothing is committed, and the transaction throws this error.
   */
  executeDeferred(statement: Statement, parameters: readonly Value[], unwritten?: () => Error): Promise<void>;
  /** Rolls back `work` where it throws; the transaction around it continues. One savepoint at a time. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

export interface TransactionOptions {
  /**
   * Without the time limits of requests; for work that no caller waits for, such as migrations and imports. It
   * waits for locks, and is retried after conflicts for minutes.
   */
  readonly noTimeout?: boolean;
  /**
   * `readCommitted`: each statement sees what was committed when it started, and only locks of rows isolate the transaction.
   * Such a transaction never conflicts. An engine with one writer ignores it.
   */
  readonly isolation?: 'serializable' | 'readCommitted';
  /**
   * Moves the write-ahead log into the file after the commit. Of many transactions, one would otherwise move the pages of all
   * while requests wait. An engine whose server does this ignores it.
   */
  readonly checkpoint?: boolean;
}

/** A transaction that only its locks of rows isolate. */
export const readCommitted: TransactionOptions = Object.freeze({ isolation: 'readCommitted' });

/** A step of a long deletion beside traffic. */
export const deletionStep: TransactionOptions = Object.freeze({ ...readCommitted, checkpoint: true });

/** The SQL that an engine speaks where the two differ. */
export type Dialect = 'sqlite' | 'postgres';

/** Every method throws `StoreUnavailable` when the database cannot answer now; then nothing was written. */
export interface Engine {
  readonly dialect: Dialect;
  /** Each statement sees what is committed when it starts, so a later one may see more. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a serializable transaction, which is rolled back when `work` throws. Resolves when the commit is fsynced;
   * throws `CommitUnknown` where the outcome of the commit is unknown. An engine may run `work` again after a conflict or a
   * failed commit, so `work` must have no other effects. Transactions do not nest: an inner one would wait for the outer one.
   */
  write<T>(work: (session: TransactionSession) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Changes as soon as another process has committed; commits of this engine do not change it. Absent where many processes
   * share the database, so that its data must not be cached. Throws `StoreUnavailable`.
   */
  foreignCommits?(): number;
  /**
   * Overwrites what the database still holds of deleted rows beside its tables. Returns false where a reader was in the way.
   * Absent where the operator's clean-up does it, as on PostgreSQL.
   */
  scrub?(): Promise<boolean>;
  /** Gives free pages back to the file system, in steps beside traffic. Absent where the database has a vacuum of its own. */
  shrink?(options?: ShrinkOptions): Promise<void>;
  /** The pool of connections, for metrics; absent where there is none. */
  readonly connections?: PoolConnections;
  /** Waits for the transactions that have begun. */
  close(): Promise<void>;
}

export interface ShrinkOptions {
  /** Whether some pages stay for new rows; true by default. */
  readonly keepsSpare?: boolean;
  /** Waits between two steps. */
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly isStopped?: () => boolean;
}

export interface PoolConnections {
  state(): { readonly busy: number; readonly idle: number; readonly waiting: number; readonly max: number };
  /** Called for each wait for a connection while all are in use, whether or not one became free. */
  onWait: (seconds: number) => void;
}

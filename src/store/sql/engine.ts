/** What the repositories need of a database: statements with `$1` parameters, run alone or in units of work. */

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** One SQL text for both engines, named so that an engine can keep it prepared. `R` is the row that it gives. */
export interface Statement<R extends Row = Row> {
  readonly name: string;
  readonly text: string;
  /** How long it waits for what another unit holds, where that is less than the engine's rule; then it throws `LockTimeout`. */
  readonly waitMsMax?: number;
  /** Only for the compiler. */
  readonly row?: R;
}

/**
 * In its text `now_ms()` is the database's own clock, in milliseconds since the epoch, and `skip_locked()` after a selection
 * passes over rows that another unit is at; each engine says them its way.
 */
export const statement = <R extends Row = Row>(
  name: string,
  text: string,
  options: { readonly waitMsMax?: number } = {},
): Statement<R> => Object.freeze({ name, text, ...options });

export interface Session {
  query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]>;
  /** How many rows were written. */
  execute(statement: Statement, parameters: readonly Value[]): Promise<number>;
}

/** A session within a unit of work. */
export interface TransactionSession extends Session {
  /** Work that is undone where it throws, while the unit around it goes on (a savepoint). One at a time. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

export interface TransactionOptions {
  /** For work on the whole database, such as migrations: without the limits of time that requests have. */
  readonly noTimeout?: boolean;
}

/** Every method throws `StoreUnavailable` when the database cannot answer now; nothing was done then. */
export interface Engine {
  /** Each statement sees what is committed when it starts; a second one may see more. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * A unit of work: its statements take effect together, as if no other unit ran beside it, or not at all when `work`
   * throws. Resolves when the commit is fsynced; throws `CommitUnknown` where the database went away during the commit. An
   * engine may run `work` again after a conflict, so it has no other effects; a unit inside a unit would wait for itself.
   */
  write<T>(work: (session: TransactionSession) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Differs from what it was as soon as another process has committed; commits of this engine leave it alone. Absent where
   * many processes share the database, so that nobody may remember what it held. Throws `StoreUnavailable`.
   */
  foreignCommits?(): number;
  /** Waits for the units that were begun. */
  close(): Promise<void>;
}

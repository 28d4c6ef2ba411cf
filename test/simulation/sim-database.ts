/**
 * The database that all simulated processes share: real SQL on SQLite in memory, with units that overlap.
 *
 * SQLite has one transaction at a time, so a unit is the list of its statements. They are run again, in one transaction,
 * whenever the unit has another one to add, and at its commit, which holds only where each still gives what it gave: then
 * the unit is as if nothing had run beside it.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Row, Statement, Value } from '../../src/store/sql/engine.ts';
import type { Attempt } from './attempt.ts';
import type { Owner } from './scheduler.ts';

type Result = readonly Row[] | number;

export interface Entry {
  readonly statement: Statement;
  readonly parameters: readonly Value[];
  readonly writes: boolean;
  readonly result: string;
  /** It was within an attempt that was undone. */
  undone: boolean;
}

export interface SimUnit {
  readonly owner: Owner;
  readonly attempt: Attempt | undefined;
  readonly entries: Entry[];
  /** Rows that others wait for. */
  readonly locks: Set<string>;
  /** Virtual milliseconds. */
  usedAt: number;
  /** Its commit is on its way, so the death of its process does not end it. */
  committing: boolean;
  over: boolean;
}

export type Committed = (unit: SimUnit) => void;

interface Prepared {
  readonly statement: StatementSync;
  readonly order: readonly number[];
}

export class SimDatabase {
  /** Milliseconds since the epoch: the database's own clock. */
  now: () => number = () => 0;
  /** Told of each commit, in their order. */
  committed: Committed = () => {};
  /** Only a control leaves it out. */
  validates = true;
  readonly open = new Set<SimUnit>();
  readonly #database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  readonly #prepared = new Map<string, Prepared>();
  /** Whose statements the running transaction holds. */
  #loaded: SimUnit | undefined;

  constructor() {
    this.#database.function('now_ms', { deterministic: false }, () => this.now());
  }

  /** Statements of the tests' own, outside of any unit. */
  exec(text: string): void {
    this.#unload();
    this.#database.exec(text);
  }

  /** The same for one statement that comes again in every run. */
  restore(text: string): void {
    this.#unload();
    this.#prepare(text).statement.run();
  }

  /** What is committed. */
  rows(text: string): readonly Row[] {
    this.#unload();
    return this.#prepare(text).statement.all() as readonly Row[];
  }

  read(statement: Statement, parameters: readonly Value[]): readonly Row[] {
    this.#unload();
    return this.#run(statement, parameters, false) as readonly Row[];
  }

  begin(owner: Owner, attempt: Attempt | undefined, at: number): SimUnit {
    const unit = { owner, attempt, entries: [], locks: new Set<string>(), usedAt: at, committing: false, over: false };
    this.open.add(unit);
    return unit;
  }

  run(unit: SimUnit, statement: Statement, parameters: readonly Value[], writes: boolean): Result {
    if (unit.over) throw new Error('the unit of work is over');
    this.#load(unit);
    const result = this.#run(statement, parameters, writes);
    unit.entries.push({ statement, parameters, writes, result: JSON.stringify(result), undone: false });
    return result;
  }

  /** Undoes what came after the first `kept` statements. */
  undo(unit: SimUnit, kept: number): void {
    this.#unload();
    for (const entry of unit.entries.slice(kept)) entry.undone = true;
  }

  /** Whether everything the unit has seen still holds. */
  holds(unit: SimUnit): boolean {
    this.#unload();
    this.#prepare('begin').statement.run();
    try {
      return this.#replay(unit);
    } finally {
      this.#prepare('rollback').statement.run();
    }
  }

  /** Keeps the unit whole; false, with nothing done, where it is over or others were in the way. */
  commit(unit: SimUnit): boolean {
    if (unit.over) return false;
    this.#unload();
    this.#prepare('begin').statement.run();
    const holds = this.#replay(unit) || !this.validates;
    this.#prepare(holds ? 'commit' : 'rollback').statement.run();
    this.end(unit);
    if (holds) this.committed(unit);
    return holds;
  }

  /** Rolls back what is not committed. */
  end(unit: SimUnit): void {
    if (this.#loaded === unit) this.#unload();
    unit.over = true;
    this.open.delete(unit);
  }

  /** The process is gone, and its connections with it. */
  abandon(owner: Owner): void {
    for (const unit of this.open) if (unit.owner === owner && !unit.committing) this.end(unit);
  }

  #load(unit: SimUnit): void {
    if (this.#loaded === unit) return;
    this.#unload();
    this.#prepare('begin').statement.run();
    this.#loaded = unit;
    for (const { statement, parameters, writes, undone } of unit.entries)
      if (writes && !undone) this.#run(statement, parameters, true);
  }

  #unload(): void {
    if (this.#loaded !== undefined) this.#prepare('rollback').statement.run();
    this.#loaded = undefined;
  }

  #replay(unit: SimUnit): boolean {
    let undoneWrites = false;
    for (const { statement, parameters, writes, result, undone } of unit.entries) {
      if (undone && writes) undoneWrites = true;
      // What was read after a write that is undone cannot be read again.
      if (undone && undoneWrites) continue;
      try {
        if (JSON.stringify(this.#run(statement, parameters, writes)) !== result && this.validates) return false;
      } catch {
        if (this.validates) return false;
      }
    }
    return true;
  }

  #run({ text }: Statement, parameters: readonly Value[], writes: boolean): Result {
    const { statement, order } = this.#prepare(text);
    const values = order.map((index) => parameters[index] ?? null);
    return writes ? Number(statement.run(...values).changes) : (statement.all(...values) as readonly Row[]);
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const order: number[] = [];
    const positional = text.replace(/\$(\d+)/g, (_, number) => {
      order.push(Number(number) - 1);
      return '?';
    });
    const made = { statement: this.#database.prepare(positional), order };
    this.#prepared.set(text, made);
    return made;
  }
}

/** How far a replay is, in a file: one that was interrupted goes on where it was. */
import { hash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isMembers } from '../../../core/lib/index.ts';
import type { DifferenceTally, IdPairs, TallySnapshot } from '../../../forward/index.ts';
import { CommandError } from '../command-error.ts';

/** A request by its place: the file, whether compressed meanwhile or not, and the number of its line. */
interface Position {
  readonly file: string;
  readonly line: number;
}

/** What the file holds. */
interface Stored {
  readonly format: typeof format;
  /** Of what is replayed against which server: a state belongs to one. */
  readonly subject: string;
  readonly run: string;
  /** All requests up to here are done, but for `open`. */
  readonly done: Position | undefined;
  /** Requests after `done` that are done, too. */
  readonly ahead: readonly string[];
  /** Requests without an answer that had no effect: they are sent again. */
  readonly open: readonly string[];
  /** Writes that were sent, and whose answers are not known. */
  readonly uncertain: readonly string[];
  readonly tally: TallySnapshot;
  readonly ids: readonly (readonly [string, string])[];
  readonly skipped: readonly (readonly [string, number])[];
  readonly unknownMembers: readonly string[];
}

const format = 'triglyph-replay-3';
/** Requests without an answer: a server that answers none ends the replay long before. */
const openMax = 100_000;
const saveEveryMs = 1_000;

/** What is counted, and goes on after an interruption. */
export interface Counted {
  readonly tally: DifferenceTally;
  readonly ids: IdPairs;
  readonly skipped: Map<string, number>;
  readonly unknownMembers: Set<string>;
  /** Writes that may have had their effect, and whose answers are not known: `orders.jsonl:12`, with the number of the line. */
  readonly uncertain: Set<string>;
}

/** How a request ended: `unsent` may be sent again without having its effect twice. */
export type Ending = 'answered' | 'unsent' | 'unknown';

/** Which requests are done. Without a file it remembers them for this run only. */
export class ReplayState {
  /** Names the run in keys of requests that write: those of a resumed run are the same. */
  readonly run: string;
  readonly #file: string | undefined;
  readonly #subject: string;
  readonly #counted: Counted;
  /** What runs before have done. */
  readonly #before: Pick<Stored, 'done'> & Readonly<Record<'ahead' | 'open' | 'uncertain', ReadonlySet<string>>>;
  readonly #begun: { readonly position: Position; isOver: boolean }[] = [];
  readonly #open: Set<string>;
  #done: Position | undefined;
  #savedAt = performance.now();

  /** `subject`: everything that the result depends on. Throws CommandError for a file of something else. */
  constructor(file: string | undefined, subject: readonly unknown[], counted: Counted) {
    this.#file = file;
    this.#subject = hash('sha256', JSON.stringify(subject));
    this.#counted = counted;
    const stored = file === undefined || !existsSync(file) ? undefined : read(file);
    if (stored !== undefined && stored.subject !== this.#subject)
      throw new CommandError([
        `${file} is the state of a replay with other recordings, options or rules: remove it to begin anew`,
      ]);
    this.run = stored?.run ?? randomUUID();
    const [ahead, open, uncertain] = [new Set(stored?.ahead), new Set(stored?.open), new Set(stored?.uncertain)];
    this.#before = { done: stored?.done, ahead, open, uncertain };
    this.#open = new Set(stored?.open);
    this.#done = stored?.done;
    if (stored === undefined) return;
    counted.tally.restore(stored.tally);
    for (const [left, right] of stored.ids) counted.ids.pair(left, right);
    for (const [name, times] of stored.skipped) counted.skipped.set(name, times);
    for (const member of stored.unknownMembers) counted.unknownMembers.add(member);
    for (const name of stored.uncertain) counted.uncertain.add(name);
  }

  /** Whether a run before has done this request. `sendsUncertain`: whether writes are sent again that may have had their effect. */
  isDone(position: Position, sendsUncertain = false): boolean {
    const { done, ahead, open, uncertain } = this.#before;
    const name = nameOf(position);
    if (uncertain.has(name)) return !sendsUncertain;
    return !open.has(name) && (ahead.has(name) || (done !== undefined && !isAfter(position, done)));
  }

  /**
   * Requests begin in the order of the recording. Returns the function that ends this one. A write is in the file before it is sent, and
   * its answer before the next one is sent, so that a process which is killed leaves one uncertain write at most.
   */
  begin(position: Position, isWrite: boolean): (ending: Ending) => void {
    const entry = { position, isOver: false };
    const name = nameOf(position);
    const { uncertain } = this.#counted;
    this.#begun.push(entry);
    if (isWrite) {
      uncertain.add(name);
      this.save();
    }
    return (ending) => {
      entry.isOver = true;
      if (ending !== 'unknown') uncertain.delete(name);
      if (ending === 'answered' || uncertain.has(name)) this.#open.delete(name);
      else if (this.#open.size < openMax) this.#open.add(name);
      while (this.#begun[0]?.isOver) {
        const { position: over } = this.#begun.shift() ?? entry;
        if (this.#done === undefined || isAfter(over, this.#done)) this.#done = over;
      }
      if (isWrite || performance.now() - this.#savedAt >= saveEveryMs) this.save();
    };
  }

  /** Writes the file, whole or not at all. */
  save(): void {
    this.#savedAt = performance.now();
    if (this.#file === undefined) return;
    const { tally, ids, skipped, unknownMembers, uncertain } = this.#counted;
    const over = this.#begun.filter(({ isOver }) => isOver).map(({ position }) => nameOf(position));
    const stored: Stored = {
      ...{ format, subject: this.#subject, run: this.run, done: this.#done },
      ahead: [...this.#before.ahead, ...over],
      open: [...this.#open],
      uncertain: [...uncertain],
      tally: tally.snapshot(),
      ids: ids.list(),
      skipped: [...skipped],
      unknownMembers: [...unknownMembers],
    };
    writeFileSync(`${this.#file}.part`, JSON.stringify(stored), { mode: 0o600, flush: true });
    renameSync(`${this.#file}.part`, this.#file);
  }

  /** Nothing is left to be done. */
  remove(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }
}

/** A file is compressed when it is full, and keeps its lines. */
function nameOf({ file, line }: Position): string {
  return `${plainName(file)}:${line}`;
}

function isAfter(one: Position, other: Position): boolean {
  const [name, otherName] = [plainName(one.file), plainName(other.file)];
  return name === otherName ? one.line > other.line : name > otherName;
}

function plainName(file: string): string {
  return file.replace(/\.gz$/, '');
}

function read(file: string): Stored {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isMembers(stored) && stored.format === format) return stored as unknown as Stored;
  } catch {
    // It is refused below.
  }
  throw new CommandError([`${file} is no state of a replay, or it is damaged: remove it to begin anew`]);
}

/** Opens the embedded store: its private folder, the database file and the lock of the serving process. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../errors.ts';
import { Connection } from './connection.ts';
import { DataFiles } from './data-files.ts';
import { type Parts, SqliteEngine } from './engine.ts';
import { translated } from './failure.ts';
import { takeServingLock } from './serving-lock.ts';

/** The name of the database file in the data folder. */
export const databaseName = 'triglyph.db';
/** How long transactions wait for another process that writes. */
const waitMsMax = 5_000;

/** `fullfsync`: on macOS a plain fsync returns before the disk has the bytes. It has no effect elsewhere. */
export const durable =
  'pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = on; pragma checkpoint_fullfsync = on';
/** Steps of the clean-up shorten the file. Only the first page that is written takes it. */
const autoVacuum = 'pragma auto_vacuum = incremental';
/** What is deleted is overwritten with zeros. */
const secureDelete = 'pragma secure_delete = on';
/** A longer write-ahead log is truncated to this many bytes. */
const logLimit = 'pragma journal_size_limit = 67108864';
/** In kibibytes, since it is negative: 32 MiB hold the rows of a busy day. */
const readerCache = 'pragma cache_size = -32768';
/** 16 MiB: the pages that every write needs, such as the upper ones of each index, and those of a group. */
const writerCache = 'pragma cache_size = -16384';

interface SqliteOptions {
  readonly dataDir: string;
  /** For serving processes: throws while another one serves. Commands open the store without it. */
  readonly exclusive: boolean;
  /** Whether a missing store is created; true by default. */
  readonly create?: boolean;
}

/**
 * Throws `StoreUnavailable` when the file cannot be opened now, and an Error when another process serves. `now`: the clock of
 * the database.
 */
export function openSqlite(options: SqliteOptions, now?: () => number): SqliteEngine {
  return new SqliteEngine(openParts(options, now));
}

/** The parts of the engine, which tests replace. `now`: the clock of the database. */
export function openParts({ dataDir, exclusive, create = true }: SqliteOptions, now = createSteadyClock()): Parts {
  if (!create && !existsSync(join(dataDir, databaseName)))
    throw new Error(
      `${dataDir}: there is no store in this folder: name another one, or create one with \`triglyph migrate\``,
    );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = exclusive ? takeServingLock(dataDir) : () => {};
  try {
    const path = join(dataDir, databaseName);
    createPrivately(dataDir, path);
    const writer = new DatabaseSync(path, { timeout: waitMsMax, enableForeignKeyConstraints: true });
    // It would write to an existing store at each opening.
    if (statSync(path).size === 0) writer.exec(autoVacuum);
    writer.exec(`${durable}; ${secureDelete}; ${logLimit}; ${writerCache}`);
    // From here on the engine itself waits for other writers, without blocking the event loop.
    writer.exec('pragma busy_timeout = 0');
    const reader = new DatabaseSync(path, { timeout: waitMsMax, readOnly: true });
    reader.exec(readerCache);
    flushLog(path);
    return {
      writer: new Connection(writer, now),
      reader: new Connection(reader, now),
      files: new DataFiles(path),
      lockMsMax: waitMsMax,
      release,
    };
  } catch (thrown) {
    release();
    const reason = translated(thrown);
    throw reason instanceof StoreUnavailable
      ? new StoreUnavailable(`${dataDir}: ${reason.message}`, { cause: thrown })
      : thrown;
  }
}

/** A process that died during a commit may have left it in the log without an fsync: it is not shown before it is durable. */
function flushLog(path: string): void {
  const log = openSync(`${path}-wal`, 'r+');
  fsyncSync(log);
  closeSync(log);
}

/** Creates the file with mode 0600, not by the umask of the process. The log and its index take the mode of the file. */
function createPrivately(dataDir: string, path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw thrown;
  }
  // The folder holds the name of the file, so it is flushed as well. Windows cannot open a folder, and does not need it.
  if (process.platform === 'win32') return;
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Smaller corrections are followed: time servers make them. A wrong date is further off. */
const jumpMsMin = 5 * 60_000;

interface TimeSource {
  /** Milliseconds since the epoch. */
  readonly wall: () => number;
  /** Milliseconds since any moment; never set. */
  readonly monotonic: () => number;
}

const system: TimeSource = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * Returns the present time in whole milliseconds since the epoch. Where the system's clock is set by more than a correction,
 * time goes on as before: keys and events must not expire early. It follows that clock again when both agree.
 */
export function createSteadyClock({ wall, monotonic }: TimeSource = system): () => number {
  let lastTime = wall();
  let lastMonotonic = monotonic();
  return () => {
    const monotonicNow = monotonic();
    const expected = lastTime + (monotonicNow - lastMonotonic);
    const found = wall();
    lastTime = Math.abs(found - expected) < jumpMsMin ? found : expected;
    lastMonotonic = monotonicNow;
    return Math.floor(lastTime);
  };
}

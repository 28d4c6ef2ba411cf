/** Opens the embedded store: a folder that only its owner enters, the database in it, and the lock of who serves. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../errors.ts';
import type { Engine } from '../sql/engine.ts';
import { Connection } from './connection.ts';
import { SqliteEngine } from './engine.ts';
import { translated } from './failure.ts';
import { takeServingLock } from './serving-lock.ts';

const fileName = 'triglyph.db';
const waitMsMax = 5_000;

/** `fullfsync`: macOS answers a plain fsync before the disk has the bytes; elsewhere it means nothing. */
const durable =
  'pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = on; pragma checkpoint_fullfsync = on';
/** The log is cut back to this many bytes after it was longer. */
const bounded = 'pragma journal_size_limit = 67108864';
/** Kibibytes, as a negative number; holds the shoppers of a busy day. */
const roomy = 'pragma cache_size = -32768';

export interface SqliteOptions {
  readonly dataDir: string;
  /** For processes that serve: refused while another one does. Commands open beside a server. */
  readonly exclusive: boolean;
  /** Whether a missing store is created; true when left out. */
  readonly create?: boolean;
}

/** SQLite would make the file by the process's umask; its log and its index take the mode of the file. */
const createPrivately = (dataDir: string, path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw thrown;
  }
  // The name of the file is in the folder, which has to be flushed as well. Windows cannot open a folder, nor needs to.
  if (process.platform === 'win32') return;
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
};

/** Throws `StoreUnavailable` when the file cannot be opened now, and a plain error when another process serves. */
export const openSqlite = ({ dataDir, exclusive, create = true }: SqliteOptions): Engine => {
  if (!create && !existsSync(join(dataDir, fileName)))
    throw new Error(
      `${dataDir}: there is no store in this folder: name another one, or create one with \`triglyph migrate\``,
    );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = exclusive ? takeServingLock(dataDir) : () => {};
  try {
    const path = join(dataDir, fileName);
    createPrivately(dataDir, path);
    const writer = new DatabaseSync(path, { timeout: waitMsMax, enableForeignKeyConstraints: true });
    writer.exec(`${durable}; ${bounded}`);
    // From here on the engine waits for other writers itself, beside the event loop.
    writer.exec('pragma busy_timeout = 0');
    const reader = new DatabaseSync(path, { timeout: waitMsMax, readOnly: true });
    reader.exec(roomy);
    return new SqliteEngine({ writer: new Connection(writer), reader: new Connection(reader), release });
  } catch (thrown) {
    release();
    const reason = translated(thrown);
    throw reason instanceof StoreUnavailable
      ? new StoreUnavailable(`${dataDir}: ${reason.message}`, { cause: thrown })
      : thrown;
  }
};

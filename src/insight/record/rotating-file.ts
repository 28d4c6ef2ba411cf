/** Lines in files of a folder: a file is compressed when it is full or old, and the oldest ones are removed. */
import { closeSync, createReadStream, createWriteStream, mkdirSync, openSync } from 'node:fs';
import { readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../core/lib/index.ts';
import { LineWriter } from '../../http/index.ts';

interface RotatingFileOptions {
  readonly folder: string;
  /** Of all files of the folder, compressed ones included. */
  readonly bytesMax: number;
  /** Milliseconds. */
  readonly ageMax: number;
  readonly clock: Clock;
  /** Called for lines that are lost: the disk was slower than the requests, or failed. */
  onDropped(lines: number): void;
  onError(thrown: unknown): void;
}

/** A file is compressed when it has so many bytes, or one of 64 of what all may have. */
const fileBytesMax = 16 * 1024 * 1024;
const filesMin = 64;
const hourMs = 60 * 60 * 1000;
const closeMsMax = 2_000;
/** A full disk fails twice a second, and the log may be on it. */
const reportEveryMs = 60_000;
const writeBytes = { bytesMin: 16_384, bytesMax: 65_536 };
/** Of this program; other files of the folder are left alone. A process that was killed leaves a part of a compressed file. */
const ownName = /^\d{4}-\d\d-\d\dT[\d-]+Z-\d+\.jsonl(\.gz(\.part)?)?$/;

interface OpenFile {
  readonly path: string;
  readonly fd: number;
  readonly writer: LineWriter;
  readonly since: number;
  bytes: number;
}

export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #file: OpenFile | undefined;
  #tidying: Promise<void> = Promise.resolve();
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** Creates the folder. Throws where it cannot be written. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#tidying = this.#tidy();
  }

  /** Never throws. `line`: without its line break. */
  write(line: string): void {
    try {
      const { bytesMax, clock } = this.#options;
      const now = clock.now();
      const file = this.#file;
      const isFull = file !== undefined && file.bytes >= Math.min(fileBytesMax, bytesMax / filesMin);
      if (file !== undefined && (isFull || now - file.since >= hourMs)) this.#end(file);
      this.#file ??= this.#open(now);
      this.#file.bytes += line.length + 1;
      this.#file.writer.write(`${line}\n`);
    } catch (thrown) {
      this.#options.onDropped(1);
      this.#report(thrown);
    }
  }

  /** Writes what is buffered. */
  async close(): Promise<void> {
    if (this.#file !== undefined) this.#end(this.#file);
    await this.#tidying;
  }

  #open(since: number): OpenFile {
    const { folder, onDropped } = this.#options;
    // Two files of one process never begin in the same millisecond, unless the limit is a few lines.
    const path = join(folder, `${new Date(since).toISOString().replace(/[:.]/g, '-')}-${process.pid}.jsonl`);
    const fd = openSync(path, 'a', 0o600);
    const describeGap = (lines: number): string => `{"missing":${lines}}\n`;
    return {
      path,
      fd,
      writer: new LineWriter({ fd, ...writeBytes, onDropped, onError: this.#report, describeGap }),
      since,
      bytes: 0,
    };
  }

  #end(file: OpenFile): void {
    this.#file = undefined;
    this.#tidying = this.#tidying
      .then(async () => {
        await file.writer.close(closeMsMax);
        closeSync(file.fd);
        try {
          await compress(file.path);
        } finally {
          await this.#tidy();
        }
      })
      .catch(this.#report);
  }

  readonly #report = (thrown: unknown): void => {
    const now = this.#options.clock.now();
    if (now - this.#reportedAt < reportEveryMs) return;
    this.#reportedAt = now;
    this.#options.onError(thrown);
  };

  /** Removes the oldest files: those that are too old, and those beyond the bytes that all may have. */
  async #tidy(): Promise<void> {
    const { folder, bytesMax, ageMax, clock } = this.#options;
    const names = (await readdir(folder))
      .filter((name) => ownName.test(name))
      .sort()
      .reverse();
    let bytes = 0;
    for (const name of names) {
      const path = join(folder, name);
      if (path === this.#file?.path) continue;
      // Another process of the folder may have compressed or removed it.
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) continue;
      bytes += found.size;
      if (bytes > bytesMax || clock.now() - found.mtimeMs > ageMax) await rm(path, { force: true });
    }
  }
}

/** Leaves the file as it was where the disk is full. */
async function compress(path: string): Promise<void> {
  const target = `${path}.gz`;
  const part = `${target}.part`;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(part, { mode: 0o600 }));
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
  await rename(part, target);
  await unlink(path);
}

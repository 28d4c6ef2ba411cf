/** Holds large values in temporary files: encrypted under a key in memory, and without a name in the folder. */
import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { forget, remember, type SpooledValue, tokenOf } from './tokens.ts';

interface SpoolOptions {
  /** For the temporary files. */
  readonly folder: string;
  /** Of all files of the process. */
  readonly bytesMax: number;
  /** Called when a value finds no space: below the limit, or on the disk. */
  readonly onFull?: (reason: 'limit' | 'disk') => void;
}

/** The files have reached their limit, or the disk is full. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

/** Counts the temporary files of a process. */
export class SpoolSpace {
  readonly #options: SpoolOptions;
  #bytes = 0;
  #files = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Bytes in all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Files with at least one byte. */
  get files(): number {
    return this.#files;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** `isFirst`: of their file. Throws `SpoolFull`. */
  take(bytes: number, isFirst: boolean): void {
    if (this.#bytes + bytes > this.#options.bytesMax) {
      this.#options.onFull?.('limit');
      throw new SpoolFull('SPOOL_BYTES_MAX');
    }
    this.#bytes += bytes;
    if (isFirst) this.#files += 1;
  }

  /** Frees the bytes of a file. */
  free(bytes: number): void {
    this.#bytes -= bytes;
    if (bytes > 0) this.#files -= 1;
  }

  /** Returns the error of a disk that takes no more. */
  diskFull(cause: unknown): SpoolFull {
    this.#options.onFull?.('disk');
    return new SpoolFull(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

const none: readonly never[] = Object.freeze([]);

/** The temporary files of one request. */
export class Spool {
  readonly #space: SpoolSpace;
  #files: readonly SpoolFile[] = none;

  constructor(space: SpoolSpace) {
    this.#space = space;
  }

  /** Whether a value of the request or of its answer is in a file. */
  get isUsed(): boolean {
    return this.#files.some(({ isUsed }) => isUsed);
  }

  /** Returns the file for the values of one message, which is created with the first of them. */
  file(): SpoolFile {
    const file = new SpoolFile(this.#space);
    this.#files = [...this.#files, file];
    return file;
  }

  /** Removes the files, and forgets their tokens. */
  async close(): Promise<void> {
    await Promise.all(this.#files.map((each) => each.close()));
  }
}

const cipher = 'aes-256-ctr';
/** A multiple of 3, so that base64 of the pieces has no padding between them. */
const readBytes = 196_608;

/** One file, with values behind each other. One writer writes at a time. */
export class SpoolFile {
  readonly #space: SpoolSpace;
  readonly #key = randomBytes(32);
  readonly #values: SpooledValue[] = [];
  #handle: Promise<FileHandle> | undefined;
  #queue: Buffer[] = [];
  #writing: Promise<void> = Promise.resolve();
  #bytes = 0;
  #written = 0;
  #isClosed = false;

  constructor(space: SpoolSpace) {
    this.#space = space;
  }

  get isUsed(): boolean {
    return this.#bytes > 0;
  }

  /** Begins a value. */
  begin(isDecoded: boolean): SpoolWriter {
    const iv = randomBytes(16);
    const start = this.#bytes;
    const encrypted = createCipheriv(cipher, this.#key, iv);
    const hash = createHash('sha256');
    const token = tokenOf(randomBytes(16));
    let length = 0;
    return {
      token,
      write: (bytes) => {
        if (this.#isClosed || bytes.length === 0) return;
        this.#space.take(bytes.length, this.#bytes === 0);
        this.#bytes += bytes.length;
        length += bytes.length;
        hash.update(bytes);
        this.#queue.push(encrypted.update(bytes));
      },
      finish: () => {
        const read = () => this.#read(start, length, iv);
        const value = Object.freeze({ token, length, isDecoded, sha256: hash.digest('base64url'), read });
        this.#values.push(value);
        if (!this.#isClosed) remember(value);
      },
    };
  }

  /** Writes what was added; undefined where that is nothing. Rejects with `SpoolFull` where the disk takes no more. */
  flush(): Promise<void> | undefined {
    if (this.#queue.length === 0) return undefined;
    const queue = this.#queue;
    this.#queue = [];
    this.#writing = this.#writing.then(() => this.#write(queue));
    return this.#writing;
  }

  /** Writes what was added, and waits for all that was written before. */
  async finish(): Promise<void> {
    await this.flush();
    await this.#writing;
  }

  /** Frees the space at once. Reads that are under way fail. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#space.free(this.#bytes);
    for (const each of this.#values) forget(each);
    await (await this.#handle?.catch(() => undefined))?.close().catch(() => {});
  }

  async #write(queue: readonly Buffer[]): Promise<void> {
    if (this.#isClosed) throw new SpoolFull('the temporary file is closed');
    try {
      this.#handle ??= openWithoutName(this.#space.folder);
      const handle = await this.#handle;
      for (const bytes of queue)
        for (let at = 0; at < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, this.#written);
          at += bytesWritten;
          this.#written += bytesWritten;
        }
    } catch (cause) {
      throw this.#isClosed ? new SpoolFull('the temporary file is closed', { cause }) : this.#space.diskFull(cause);
    }
  }

  async *#read(start: number, length: number, iv: Buffer): AsyncGenerator<Buffer, void, undefined> {
    const decrypted = createDecipheriv(cipher, this.#key, iv);
    for (let at = 0; at < length; ) {
      const handle = await this.#handle;
      if (handle === undefined || this.#isClosed) throw new Error('the temporary file is closed');
      const piece = Buffer.allocUnsafeSlow(Math.min(readBytes, length - at));
      let filled = 0;
      while (filled < piece.length) {
        const { bytesRead } = await handle.read(piece, filled, piece.length - filled, start + at + filled);
        if (bytesRead === 0) throw new Error('the temporary file is too short');
        filled += bytesRead;
      }
      at += filled;
      yield decrypted.update(piece);
    }
  }
}

/** Adds the bytes of one value. */
export interface SpoolWriter {
  readonly token: string;
  /** Throws `SpoolFull`. */
  write(bytes: Buffer): void;
  /** The value is complete, and texts may hold its token. */
  finish(): void;
}

/** O_TMPFILE of Linux, which Node does not name. */
const unnamed = 0o20000000 | constants.O_DIRECTORY;

/** The system removes the file when it is closed, also after a crash. */
async function openWithoutName(folder: string): Promise<FileHandle> {
  if (process.platform === 'linux')
    try {
      return await open(folder, constants.O_RDWR | unnamed, 0o600);
    } catch {
      // Some file systems cannot: a name is there for a moment, and the file is empty until then.
    }
  const path = join(folder, `triglyph-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

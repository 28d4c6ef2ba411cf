/** Writes lines to a file in the background. Lines that cannot be written are dropped and counted; nothing waits for them. */

import { Buffer } from 'node:buffer';
import { write, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { atMost } from '../core/lib/index.ts';

interface LineWriterOptions {
  readonly fd: number;
  /** Lines are collected up to this number of bytes, or for half a second. */
  readonly bytesMin: number;
  /** The longest write, unless one line alone is longer. */
  readonly bytesMax: number;
  /** Called for each write that fails. Its lines are written again half a second later. */
  onError(thrown: Error): void;
  /** Called for lines that found the buffer full, or that were left at the end. */
  onDropped(lines: number): void;
  /** The line that stands for dropped ones as soon as the buffer has space. */
  describeGap(lines: number): string;
}

/** Longer than what a process logs in a few seconds. */
const bufferBytesMax = 1 << 20;
const flushEveryMs = 500;
/** How soon a reader that was too slow is tried again. */
const retryMs = 50;

/** Whole lines, which are written at once. They are bytes from the start: strings would live through collections of garbage. */
interface Chunk {
  readonly space: Buffer;
  length: number;
  lines: number;
}

export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #timer: NodeJS.Timeout;
  /** The lines that wait, the oldest first. Lines are added to the last of these. */
  readonly #chunks: Chunk[] = [];
  /** Of all that waits. */
  #bytes = 0;
  /** Under way to the file: what the system has not taken of it. */
  #current: { readonly chunk: Chunk; readonly bytes: Uint8Array } | undefined;
  /** A written chunk, to be filled again. */
  #spare: Chunk | undefined;
  #isWriting = false;
  /** Lines dropped since the last one that the buffer took. */
  #gap = 0;
  /** The last write failed: the next one is not made for each line, but by the timer. */
  #isFailing = false;
  #written = Promise.withResolvers<void>();

  constructor(options: LineWriterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#flush(), flushEveryMs);
    this.#timer.unref();
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > bufferBytesMax) {
      this.#gap += 1;
      this.#options.onDropped(1);
      return;
    }
    if (this.#gap > 0) {
      const gap = this.#options.describeGap(this.#gap);
      this.#gap = 0;
      this.#push(gap, Buffer.byteLength(gap));
    }
    this.#push(line, bytes);
    if (this.#bytes >= this.#options.bytesMin && !this.#isFailing) this.#flush();
  }

  /** Writes what is buffered. Drops what is not written after `msMax`. */
  async close(msMax: number): Promise<void> {
    clearInterval(this.#timer);
    const deadline = performance.now() + msMax;
    for (let leftMs = msMax; this.#hasLines && leftMs > 0; leftMs = deadline - performance.now()) {
      this.#flush();
      await atMost(leftMs, this.#written.promise);
      if (this.#isFailing) await setTimeout(Math.min(retryMs, leftMs));
    }
    // The end of the process would wait for the write, and nothing may ever read.
    if (this.#isWriting) process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
    this.#drop();
  }

  /** Writes what is buffered, in one attempt, for a process that ends now. */
  closeSync(): void {
    clearInterval(this.#timer);
    try {
      while (!this.#isWriting && this.#hasLines) this.#advance(writeSync(this.#options.fd, this.#take().bytes));
    } catch {
      // The process has no time for another attempt.
    }
    this.#drop();
  }

  get #hasLines(): boolean {
    return this.#current !== undefined || this.#chunks.length > 0;
  }

  #push(line: string, bytes: number): void {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.length + bytes > chunk.space.length) {
      chunk = this.#newChunk(bytes);
      this.#chunks.push(chunk);
    }
    chunk.length += chunk.space.write(line, chunk.length);
    chunk.lines += 1;
    this.#bytes += bytes;
  }

  #newChunk(bytes: number): Chunk {
    const { bytesMax } = this.#options;
    const spare = this.#spare;
    if (spare === undefined || bytes > bytesMax)
      return { space: Buffer.allocUnsafeSlow(Math.max(bytes, bytesMax)), length: 0, lines: 0 };
    this.#spare = undefined;
    spare.length = 0;
    spare.lines = 0;
    return spare;
  }

  #flush(): void {
    if (this.#isWriting || !this.#hasLines) return;
    this.#isWriting = true;
    write(this.#options.fd, this.#take().bytes, (error, written) => {
      this.#isWriting = false;
      if (error === null) {
        this.#advance(written);
        if (this.#current !== undefined || this.#bytes >= this.#options.bytesMin) this.#flush();
      } else this.#failed(error);
      this.#written.resolve();
      this.#written = Promise.withResolvers();
    });
  }

  #advance(written: number): void {
    this.#isFailing = false;
    const { chunk, bytes } = this.#current!;
    if (written < bytes.length) {
      this.#current = { chunk, bytes: bytes.subarray(written) };
      return;
    }
    this.#current = undefined;
    if (chunk.space.length === this.#options.bytesMax) this.#spare = chunk;
  }

  /** Keeps the lines: a line that is half written must not be followed by another one. */
  #failed(error: NodeJS.ErrnoException): void {
    this.#isFailing = true;
    // The reader is slow.
    if (error.code === 'EAGAIN') globalThis.setTimeout(() => this.#flush(), retryMs).unref();
    else this.#options.onError(error);
  }

  /** Returns the bytes of the next write. Later lines begin a chunk of their own. */
  #take(): { readonly bytes: Uint8Array } {
    if (this.#current === undefined) {
      const chunk = this.#chunks.shift()!;
      this.#bytes -= chunk.length;
      this.#current = { chunk, bytes: chunk.space.subarray(0, chunk.length) };
    }
    return this.#current;
  }

  #drop(): void {
    const lines = this.#chunks.reduce((sum, each) => sum + each.lines, this.#current?.chunk.lines ?? 0);
    this.#chunks.length = 0;
    this.#bytes = 0;
    this.#current = undefined;
    if (lines > 0) this.#options.onDropped(lines);
  }
}

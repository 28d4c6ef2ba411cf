/** Inflates compressed bodies (RFC 9110, section 8.4.1) within bounds. */
import { Buffer } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflate, createInflateRaw, type Gunzip, type InflateRaw } from 'node:zlib';

export type ContentCoding = 'gzip' | 'deflate';

/** The coding of a Content-Encoding header; undefined for an identity, and `unknown` for others and for several codings. */
export function codingOf(header: string | undefined): ContentCoding | 'unknown' | undefined {
  if (header === undefined) return undefined;
  switch (header.trim().toLowerCase()) {
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'deflate':
      return 'deflate';
    default:
      return 'unknown';
  }
}

export interface InflateLimits {
  readonly bytesMax: number;
  /** The ratio of the inflated to the compressed size. Messages of real callers stay below 30. */
  readonly ratioMax: number;
}

export const inflateRatioMax = 100;

/** Why a body was not inflated. */
type InflateFault = 'malformed' | 'tooLarge' | 'ratio';

export class NotInflated extends Error {
  override readonly name = 'NotInflated';
  readonly fault: InflateFault;

  constructor(fault: InflateFault, cause?: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}

/** Stops soon behind a limit. Throws `NotInflated`. */
export async function inflate(
  bytes: Buffer,
  coding: ContentCoding,
  { bytesMax, ratioMax }: InflateLimits,
): Promise<Buffer> {
  const ratioBytes = bytes.length * ratioMax;
  const pieces: Buffer[] = [];
  let length = 0;
  const stream = new InflatingStream(coding, (piece) => {
    length += piece.length;
    if (length > Math.min(bytesMax, ratioBytes)) throw new NotInflated(bytesMax <= ratioBytes ? 'tooLarge' : 'ratio');
    pieces.push(piece);
    return undefined;
  });
  await stream.write(bytes);
  await stream.end();
  return Buffer.concat(pieces, length);
}

/** Takes the pieces of an inflated body. The next one waits for the promise. */
type TakeInflated = (piece: Buffer) => Promise<void> | undefined;

/** Inflates a body while it arrives, piece by piece. Both functions reject with `NotInflated`, or with what `take` has thrown. */
export class InflatingStream {
  readonly #coding: ContentCoding;
  readonly #take: TakeInflated;
  /** Bytes by which the kind of deflate is not known yet. */
  #start: Buffer = Buffer.alloc(0);
  #stream: Gunzip | InflateRaw | undefined;
  #inflated: Promise<void> = Promise.resolve();

  constructor(coding: ContentCoding, take: TakeInflated) {
    this.#coding = coding;
    this.#take = take;
  }

  /** Resolves when the next piece may come. */
  async write(piece: Buffer): Promise<void> {
    if (this.#stream === undefined) {
      this.#start = Buffer.concat([this.#start, piece]);
      if (this.#start.length < headerBytes) return;
    }
    const bytes = this.#stream === undefined ? this.#start : piece;
    const stream = this.#open();
    if (stream.write(bytes)) return;
    const drained = new Promise<void>((resolve) => void stream.once('drain', resolve));
    await Promise.race([drained, this.#inflated]);
  }

  /** Resolves when all was taken. */
  async end(): Promise<void> {
    if (this.#stream !== undefined) this.#stream.end();
    else if (this.#start.length > 0) {
      const start = this.#start;
      this.#open().end(start);
    }
    await this.#inflated;
  }

  #open(): Gunzip | InflateRaw {
    if (this.#stream !== undefined) return this.#stream;
    const stream = streamOf(this.#start, this.#coding);
    this.#start = Buffer.alloc(0);
    this.#stream = stream;
    this.#inflated = this.#takeAll(stream);
    // `write` and `end` reject with it.
    this.#inflated.catch(() => {});
    return stream;
  }

  async #takeAll(stream: Gunzip | InflateRaw): Promise<void> {
    let refusal: { readonly thrown: unknown } | undefined;
    try {
      await pipeline(stream, async (inflated: AsyncIterable<Buffer>) => {
        for await (const piece of inflated)
          try {
            await this.#take(piece);
          } catch (thrown) {
            refusal = { thrown };
            throw thrown;
          }
      });
    } catch (cause) {
      throw refusal === undefined ? new NotInflated('malformed', cause) : refusal.thrown;
    }
  }
}

function streamOf(start: Buffer, coding: ContentCoding): Gunzip | InflateRaw {
  // What follows a gzip member is another one, and zlib refuses anything else.
  if (coding === 'gzip') return createGunzip();
  // Some programs send deflate without the zlib header that the coding prescribes.
  const create = hasZlibHeader(start) ? createInflate : createInflateRaw;
  return create({ rejectGarbageAfterEnd: true });
}

/** Of zlib. */
const headerBytes = 2;

/** RFC 1950, section 2.2: method 8, and a check that makes both bytes a multiple of 31. */
function hasZlibHeader([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

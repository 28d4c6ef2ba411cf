/** Inflates compressed bodies (RFC 9110, section 8.4.1) within bounds. */
import type { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, inflateRaw, inflate as inflateZlib, type ZlibOptions } from 'node:zlib';

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
export type InflateFault = 'malformed' | 'tooLarge' | 'ratio';

export class NotInflated extends Error {
  override readonly name = 'NotInflated';
  readonly fault: InflateFault;

  constructor(fault: InflateFault, cause: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}

/** zlib inflates piece by piece and stops at the first byte past a limit. Throws `NotInflated`. */
export async function inflate(
  bytes: Buffer,
  coding: ContentCoding,
  { bytesMax, ratioMax }: InflateLimits,
): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const ratioBytes = bytes.length * ratioMax;
  const options: ZlibOptions = {
    maxOutputLength: Math.min(bytesMax, ratioBytes),
    // What follows a gzip member is another one, and zlib refuses anything else. Behind deflate it would be ignored.
    rejectGarbageAfterEnd: coding === 'deflate',
  };
  try {
    return await inflaterOf(bytes, coding)(bytes, options);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw new NotInflated('malformed', cause);
    throw new NotInflated(bytesMax <= ratioBytes ? 'tooLarge' : 'ratio', cause);
  }
}

const gunzipAsync = promisify<Buffer, ZlibOptions, Buffer>(gunzip);
const zlibAsync = promisify<Buffer, ZlibOptions, Buffer>(inflateZlib);
const rawAsync = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

/** Some programs send deflate without the zlib header that the coding prescribes. */
function inflaterOf(bytes: Buffer, coding: ContentCoding) {
  if (coding === 'gzip') return gunzipAsync;
  return hasZlibHeader(bytes) ? zlibAsync : rawAsync;
}

/** RFC 1950, section 2.2: method 8, and a check that makes both bytes a multiple of 31. */
function hasZlibHeader([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

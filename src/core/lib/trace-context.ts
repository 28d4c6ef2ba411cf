/** W3C Trace Context: reads and creates the header `traceparent`. */
import { randomFillSync } from 'node:crypto';

/** Characters of a header of version 00. */
const length = 55;
/** Later versions may append members. */
const headerLengthMax = 256;

/** Returns the header as version 00 writes it; undefined for one that is missing or malformed. */
export function parseTraceparent(header: string | undefined): string | undefined {
  if (header === undefined || header.length < length || header.length > headerLengthMax) return undefined;
  if (!isWellFormed(header)) return undefined;
  const isCurrent = header.startsWith('00');
  if (header.length === length) return isCurrent ? header : `00${header.slice(2)}`;
  return isCurrent || header[length] !== '-' ? undefined : `00${header.slice(2, length)}`;
}

function isWellFormed(header: string): boolean {
  return (
    header[2] === '-' &&
    header[35] === '-' &&
    header[52] === '-' &&
    isHex(header, 0, 2) &&
    isHex(header, 3, 35) &&
    isHex(header, 36, 52) &&
    isHex(header, 53, 55) &&
    !header.startsWith('ff') &&
    !header.startsWith(noTrace, 3) &&
    !header.startsWith(noSpan, 36)
  );
}

const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);

/** A regular expression takes four times as long. */
function isHex(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    if (!isDigit && (code < 97 || code > 102)) return false;
  }
  return true;
}

/** Returns the identifier of a new trace: 32 hexadecimal digits. */
export function createTraceId(): string {
  return randomHex(16);
}

/** Returns the header of a trace that is not sampled. */
export function createTraceparent(traceId = createTraceId()): string {
  return `00-${traceId}-${randomHex(8)}-00`;
}

/** Returns the 32 hexadecimal digits that identify the trace. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** One call to the system's generator serves some 170 traces. */
const pool = Buffer.alloc(4_096);
let next = pool.length;

function randomHex(bytes: number): string {
  if (next + bytes > pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  next += bytes;
  return pool.toString('hex', next - bytes, next);
}

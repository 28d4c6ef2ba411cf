/** Splits a byte stream into lines. A line that is too long is skipped without buffering it. */
import { Buffer } from 'node:buffer';

export const lineBytesMax = 65_536;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without the line end; undefined where the line was too long. */
  readonly bytes: Buffer | undefined;
  /** Bytes of the stream up to the end of the line. */
  readonly bytesDone: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let bytesDone = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length <= lineBytesMax) parts.push(part);
    else parts = [];
  };
  const finish = (): Line => {
    const whole = length > lineBytesMax ? undefined : Buffer.concat(parts);
    const bytes = whole?.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    number += 1;
    parts = [];
    length = 0;
    return { number, bytes, bytesDone };
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      take(chunk.subarray(start, end));
      bytesDone += end + 1 - start;
      start = end + 1;
      yield finish();
    }
    take(chunk.subarray(start));
    bytesDone += chunk.length - start;
  }
  if (length > 0) yield finish();
}

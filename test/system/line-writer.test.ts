/** Tests that the log keeps its lines whole and in order, and drops and counts what a slow reader does not take. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { LineWriter } from '../../src/http/line-writer.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());
const pipe = join(folder.path, 'pipe');
/** Undefined while the pipe has no reader. */
let reader: number | undefined;
let fd: number;
let decoder: TextDecoder;
let exitListeners: readonly NodeJS.ExitListener[];
beforeEach(() => {
  exitListeners = process.listeners('exit');
  decoder = new TextDecoder();
  execFileSync('mkfifo', [pipe]);
  reader = openReader();
  fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
});
afterEach(() => {
  closeSync(fd);
  closeReader();
  rmSync(pipe);
  // A writer that waits no longer kills its process at the end, and this one is Jest's.
  for (const each of process.listeners('exit')) if (!exitListeners.includes(each)) process.off('exit', each);
});

const openReader = (): number => openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);

const closeReader = (): void => {
  if (reader !== undefined) closeSync(reader);
  reader = undefined;
};

/** Returns what the pipe holds. A write may end within a character. */
const read = (): string => {
  const bytes = Buffer.alloc(1 << 20);
  try {
    return decoder.decode(bytes.subarray(0, readSync(reader!, bytes)), { stream: true });
  } catch {
    return '';
  }
};

const open = () => {
  const counts = { dropped: 0, failed: 0 };
  const writer = new LineWriter({
    fd,
    bytesMin: 12_288,
    bytesMax: 16_384,
    onError: () => {
      counts.failed += 1;
    },
    onDropped: (lines) => {
      counts.dropped += lines;
    },
    describeGap: (lines) => `${lines} lines are missing\n`,
  });
  return { writer, counts };
};

const lineOf = (n: number): string => `${n} ${'é'.repeat(50)}\n`;

test('a reader that stops costs at most the buffer; then all lines are whole, in order, or said to be missing', async () => {
  const { writer, counts } = open();
  let written = 0;
  const writeSome = async (): Promise<void> => {
    for (let n = 0; n < 100; n += 1) writer.write(lineOf(written++));
    await new Promise((resolve) => setImmediate(resolve));
  };
  while (counts.dropped < 1_000) await writeSome();
  const dropped = counts.dropped;
  expect(counts.failed).toBe(0);
  let text = '';
  await until('room', async () => {
    text += read();
    await writeSome();
    return text.includes('missing');
  });
  const closed = writer.close(60_000);
  await until('the rest', () => {
    text += read();
    return text.endsWith(lineOf(written - 1));
  });
  await closed;
  let next = 0;
  let missing = 0;
  for (const line of text.trimEnd().split('\n')) {
    const gap = /^(\d+) lines are missing$/.exec(line)?.[1];
    if (gap === undefined) expect(`${line}\n`).toBe(lineOf(next++));
    else {
      next += Number(gap);
      missing += Number(gap);
    }
  }
  expect(missing).toBe(counts.dropped);
  expect(missing).toBeGreaterThanOrEqual(dropped);
});

test('the end waits only so long for a reader, and counts what is left', async () => {
  const { writer, counts } = open();
  for (let n = 0; n < 5_000; n += 1) writer.write(lineOf(n));
  await writer.close(100);
  const whole = read().split('\n').length - 1;
  // The last line in the pipe may be cut.
  expect(5_000 - counts.dropped).toBeLessThanOrEqual(whole + 200);
  expect(counts.dropped).toBeGreaterThan(0);
});

test('without a reader, every write fails and is counted, and the end does not wait', async () => {
  const { writer, counts } = open();
  closeReader();
  for (let n = 0; n < 300; n += 1) writer.write(lineOf(n));
  await until('a write that fails', () => counts.failed > 0);
  await writer.close(200);
  expect(counts.dropped).toBe(300);
});

test('a process that ends now writes all lines that failed writes have left', async () => {
  const { writer, counts } = open();
  closeReader();
  for (let n = 0; n < 150; n += 1) writer.write(lineOf(n));
  await until('a write that fails', () => counts.failed > 0);
  for (let n = 150; n < 400; n += 1) writer.write(lineOf(n));
  reader = openReader();
  writer.closeSync();
  expect(read()).toBe(Array.from({ length: 400 }, (_, n) => lineOf(n)).join(''));
  expect(counts.dropped).toBe(0);
});

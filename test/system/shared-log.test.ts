/** Tests that lines stay whole when several processes log to one pipe. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { tempFolder } from '../support/temp-folder.ts';
import { isFoundWithin } from '../support/until.ts';

/** Less than the log buffers, so that none is dropped while the reader is slow. */
const linesEach = 3_000;
const source = join(import.meta.dirname, '../../src/http/log.ts');

const folder = tempFolder();
afterAll(() => folder.discard());
let runs = 0;

/** Writes lines whose lengths divide no block size, yielding so that the log can flush. Both writers begin together. */
const writer = (isShared: boolean, meeting: string): string => `
  const { openLog } = await import(${JSON.stringify(source)});
  const { readdirSync, writeFileSync } = await import('node:fs');
  writeFileSync(${JSON.stringify(meeting)} + '/' + process.pid, '');
  while (readdirSync(${JSON.stringify(meeting)}).length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  const log = openLog('info', { isShared: ${isShared} });
  for (let at = 0; at < ${linesEach}; at += 1) {
    log.writeRequest('info', '"at":' + at + ',"filled":"' + 'x'.repeat(150 + (at * 37) % 240) + '"');
    if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await log.close(60_000);
`;

const isWhole = (line: string): boolean => {
  try {
    return typeof JSON.parse(line).at === 'number';
  } catch {
    return false;
  }
};

const twoWriters = async (isShared: boolean): Promise<{ readonly whole: number; readonly torn: number }> => {
  runs += 1;
  const meeting = join(folder.path, `run-${runs}`);
  mkdirSync(meeting);
  // dd reads slowly, so that the pipe is full during the writes. The shell creates a real pipe; Node would create a
  // socket, which splits fewer lines.
  const child = spawn(
    'sh',
    [
      '-c',
      '{ "$0" --input-type=module -e "$1" & "$0" --input-type=module -e "$1" & wait; } | dd bs=512 status=none',
      process.execPath,
      writer(isShared, meeting),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
  }
  const lines = text.trimEnd().split('\n');
  const whole = lines.filter(isWhole).length;
  return { whole, torn: lines.length - whole };
};

test('with isShared, all lines are whole', async () => {
  expect(await twoWriters(true)).toEqual({ whole: 2 * linesEach, torn: 0 });
});

test('without isShared, some lines are torn (control)', async () => {
  // On a busy machine the writers may alternate; in one of several runs they overlap.
  expect(await isFoundWithin(async () => (await twoWriters(false)).torn > 0)).toBe(true);
});

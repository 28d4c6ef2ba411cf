/** The files of a recording on a disk that is full, of a process that was killed, and while they are compressed: what is there can be read. */
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { filesOf, readRecording } from '../../src/forward/compare/recorded-request.ts';
import { RotatingFile } from '../../src/insight/record/rotating-file.ts';
import { mayMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const testMounting = mayMount ? test : test.skip;
const dayMs = 86_400_000;
const input = { merchantAccount: 'M', shopperReference: 'x'.repeat(1_000) };
const lineOf = (number: number): string =>
  JSON.stringify({
    ...{ at: '2026-11-24T12:00:00.000Z', service: 'Recurring', version: 25, operation: 'listRecurringDetails' },
    ...{ effect: 'reads', format: 'json', caller: 'c', tenant: 'T', reference: `R${number}` },
    ...{ outcome: 'ok', status: 200, ms: 1, input },
  });

let folder: TempFolder;
let disk: SmallDisk | undefined;
let dropped: number;
let errors: unknown[];
beforeEach(() => {
  folder = tempFolder();
  dropped = 0;
  errors = [];
});
afterEach(() => {
  disk?.discard();
  disk = undefined;
  folder.discard();
});

const open = (path: string): RotatingFile =>
  new RotatingFile({
    ...{ folder: path, bytesMax: 1 << 30, ageMax: 30 * dayMs, clock: Date },
    onDropped: (lines) => {
      dropped += lines;
    },
    onError: (thrown) => errors.push(thrown),
  });
const read = async (path: string): Promise<number> => {
  let count = 0;
  for (const file of await filesOf(path)) for await (const _ of readRecording(file)) count += 1;
  return count;
};

testMounting('a full disk drops what has no place, says so once a minute, and the rest is readable', async () => {
  disk = mountSmallDisk(join(folder.path, 'disk'), 8_192);
  const file = open(disk.path);
  file.write(lineOf(0));
  await until('the first line', () =>
    readdirSync(disk!.path).some((name) => statSync(join(disk!.path, name)).size > 0),
  );
  disk.fill();
  const written = 2_000;
  for (let number = 1; number < written; number += 1) file.write(lineOf(number));
  await until('a failure', () => errors.length > 0);
  // Two more attempts fail meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(errors).toEqual([expect.objectContaining({ code: 'ENOSPC' })]);
  expect(dropped).toBeGreaterThan(0);
  disk.free();
  await file.close();
  expect(readdirSync(disk.path).map((name) => name.replace(/^.*?\./, ''))).toEqual(['jsonl.gz']);
  expect((await read(disk.path)) + dropped).toBe(written);
});

testMounting(
  'a disk that is full at the end leaves no part of a compressed file, and what was written is readable',
  async () => {
    disk = mountSmallDisk(join(folder.path, 'disk'), 1_024);
    const file = open(disk.path);
    for (let number = 0; number < 100; number += 1) file.write(lineOf(number));
    await until('the lines', () =>
      readdirSync(disk!.path).some((name) => statSync(join(disk!.path, name)).size > 100_000),
    );
    disk.fill();
    await file.close();
    expect(
      readdirSync(disk.path)
        .filter((name) => name !== 'filling')
        .map((name) => name.replace(/^.*?\./, '')),
    ).toEqual(['jsonl']);
    expect((await read(disk.path)) + dropped).toBe(100);
    expect(errors).toHaveLength(1);
  },
);

test('a compressed file whose last line is cut off is read up to there, and one that is damaged is refused', async () => {
  const lines = `${lineOf(0)}\n${lineOf(1)}\n`;
  const whole = gzipSync(lines);
  const file = join(folder.path, 'r.jsonl.gz');
  writeFileSync(file, gzipSync(lines.slice(0, -20)));
  expect(await read(file)).toBe(1);
  writeFileSync(file, whole.subarray(0, whole.length - 4));
  await expect(read(file)).rejects.toThrow('damaged or cut off');
  writeFileSync(file, gzipSync(`${lines.slice(0, -20)}\n`));
  await expect(read(file)).rejects.toThrow('line 2 is no recorded request');
});

test('control: with space, nothing is dropped', async () => {
  const file = open(folder.path);
  for (let number = 0; number < 100; number += 1) file.write(lineOf(number));
  await file.close();
  expect([await read(folder.path), dropped, errors]).toEqual([100, 0, []]);
});

test('a file that a process has compressed, and not removed when it was killed, is read once', async () => {
  const file = join(folder.path, 'r.jsonl');
  writeFileSync(file, `${lineOf(0)}\n`);
  writeFileSync(`${file}.gz`, gzipSync(`${lineOf(0)}\n`));
  expect(await filesOf(folder.path)).toEqual([`${file}.gz`]);
  expect(await read(folder.path)).toBe(1);
});

test('a file that is compressed after it was listed is read, and one that is gone is not', async () => {
  const file = join(folder.path, 'r.jsonl');
  writeFileSync(file, '');
  const listed = await filesOf(folder.path);
  rmSync(file);
  await expect(read(file)).rejects.toThrow('ENOENT');
  writeFileSync(`${file}.gz`, gzipSync(`${lineOf(0)}\n`));
  let count = 0;
  for await (const _ of readRecording(listed[0]!)) count += 1;
  expect(count).toBe(1);
});

test('what a process that was killed has left is removed by its age, as other files are', async () => {
  const left = join(folder.path, '2026-01-01T00-00-00-000Z-7.jsonl.gz.part');
  writeFileSync(left, 'half');
  utimesSync(left, 1, 1);
  const other = join(folder.path, 'notes.part');
  writeFileSync(other, 'mine');
  utimesSync(other, 1, 1);
  await open(folder.path).close();
  expect(readdirSync(folder.path)).toEqual(['notes.part']);
});

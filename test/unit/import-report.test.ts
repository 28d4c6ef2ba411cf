/** Tests the report of refused rows: it resumes after an interruption and never overwrites an unreadable report. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Entry, openReport } from '../../src/backend/import/report.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'triglyph-report-'));
  path = join(folder, 'refused.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (row: number): Entry => ({
  line: row + 1,
  row,
  reasons: [{ field: 'a', code: '1', message: 'it is wrong' }],
});
const rowsOf = () =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as Entry).row);

test('holds the entries of committed batches only', () => {
  const report = openReport(path, 0);
  report.write([entry(1), entry(2)]);
  report.settle();
  report.write([entry(5)]);
  report.write([entry(6)]);
  expect(rowsOf()).toEqual([1, 2, 6]);
  report.close();
  expect(rowsOf()).toEqual([1, 2]);
});

test('leaves no empty file', () => {
  const report = openReport(path, 0);
  report.write([]);
  report.settle();
  report.close();
  expect(existsSync(path)).toBe(false);
});

test('continues an interrupted import, without the rows that are read again', () => {
  writeFileSync(path, [entry(1), entry(3), entry(7)].map((each) => `${JSON.stringify(each)}\n`).join(''));
  const report = openReport(path, 5);
  report.write([entry(8)]);
  report.settle();
  report.close();
  expect(rowsOf()).toEqual([1, 3, 8]);
});

test('starts empty for a new import, and where no row was refused before the interruption', () => {
  writeFileSync(path, `${JSON.stringify(entry(1))}\n`);
  openReport(path, 0).close();
  expect(existsSync(path)).toBe(false);
  const report = openReport(path, 5);
  report.write([entry(6)]);
  report.settle();
  report.close();
  expect(rowsOf()).toEqual([6]);
});

test('an earlier report that cannot be read is an error, with its cause', () => {
  mkdirSync(path);
  let thrown: unknown;
  try {
    openReport(path, 5);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  expect((thrown as Error).message).toContain(path);
  expect((thrown as Error).cause).toMatchObject({ code: 'EISDIR' });
});

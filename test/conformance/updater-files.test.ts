/** Files of checks and of answers: crashes, several writers, and answers that are partial, late, doubled, strange or broken. */

import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  collectAll,
  createBatchCycleHandler,
  createOverdueHandler,
} from '../../src/payments/recurring/account-updater/batch/cycle.ts';
import { type Folders, openFolders } from '../../src/payments/recurring/account-updater/batch/folders.ts';
import {
  createRequestFileHandler,
  writeRequestFile,
} from '../../src/payments/recurring/account-updater/batch/request-file.ts';
import { readResponses } from '../../src/payments/recurring/account-updater/batch/responses.ts';
import { createUpdaterEvents, type UpdaterEvent } from '../../src/payments/recurring/account-updater/events.ts';
import { batchCycle, batchFile, updaterCheck } from '../../src/payments/recurring/account-updater/job-kinds.ts';
import { CardChangeReader } from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import { perform } from '../support/background-jobs.ts';
import { type GatewayParts, openGateway, type TestGateway } from '../support/gateway.ts';
import { callsOf, fresh, named } from '../support/recurring-calls.ts';
import { tempFolder } from '../support/temp-folder.ts';

const closed = '4000009900000046';
const renewed = '4000009900000020';
const replaced = '4000009900000038';
const tenDaysMs = 10 * 24 * 60 * 60_000;

interface Row {
  readonly check: string;
  readonly merchantAccount: string;
  readonly number: string;
}

let folder: ReturnType<typeof tempFolder>;
let folders: Folders;
let gateway: TestGateway;
let parts: GatewayParts;
let events: UpdaterEvent[];
const watch = createUpdaterEvents();
beforeEach(async () => {
  folder = tempFolder();
  folders = openFolders(folder.path);
  gateway = await openGateway({ updater: () => ({ kind: 'batch' }) });
  parts = gateway.parts;
  events = [];
  watch.listen((event) => events.push(event));
});
afterEach(async () => {
  await gateway.close();
  folder.discard();
});

const { check, list, store } = callsOf(() => gateway);

const cycleHandler = () =>
  createRequestFileHandler(folder.path, {
    batchQueue: parts.batchQueue,
    jobs: parts.jobs,
    context: parts.context,
    events: watch,
  });
const never = () => false;
const read = () => readResponses(folders, parts, watch, never);

const rowsOf = (file: string): readonly Row[] =>
  readFileSync(join(folders.requests, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row));

/** Stores a card and has it checked; gives the shopper. */
const askAbout = async (number: string): Promise<string> => {
  const shopper = fresh();
  expect(await check('json', named(shopper, await store(shopper, number)))).toBe('Success');
  return shopper;
};

/** The rows of all checks that wait. */
const collected = async (rowsMax = 1_000): Promise<readonly Row[]> => {
  const files = await collectAll(parts.batchQueue, parts.context.clock, rowsMax);
  expect(await perform(parts, cycleHandler())).toBe(files.length);
  return files.flatMap(rowsOf);
};

const drop = (name: string, rows: readonly object[]): void =>
  writeFileSync(join(folders.answers, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

const answerTo = ({ check, merchantAccount }: Row, result = 'CloseAccount', also: object = {}) => ({
  check,
  merchantAccount,
  result,
  ...also,
});

const outcomes = async (shopperReference: string): Promise<readonly string[]> => {
  const known = await parts.store.read((tx) =>
    tx.repository(CardChangeReader).findHistory({ company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference }),
  );
  return known!.details.flatMap(({ changes }) => changes.map(({ outcome }) => outcome));
};

const counted = (kind: UpdaterEvent['kind']): number =>
  events.reduce((sum, event) => sum + (event.kind === kind ? ('checks' in event ? event.checks : 1) : 0), 0);

const report = (): readonly string[] =>
  readdirSync(folders.done)
    .filter((name) => name.endsWith('.refused.jsonl'))
    .flatMap((name) => readFileSync(join(folders.done, name), 'utf8').trimEnd().split('\n'));

describe('files of checks', () => {
  test('hold each check once, as many as there may be, those first that have waited longest', async () => {
    for (let n = 0; n < 7; n++) await askAbout(closed);
    const rows = await collected(3);
    expect(new Set(rows.map((each) => each.check)).size).toBe(7);
    expect(Object.keys(rows[0]!)).toEqual(['check', 'merchantAccount', 'number', 'expiryMonth', 'expiryYear']);
    const files = readdirSync(folders.requests);
    expect(files.map((file) => rowsOf(file).length).sort()).toEqual([1, 3, 3]);
    for (const file of files) expect(file).toMatch(/^checks-\d{8}T\d{6}Z-[0-9a-f]{8}\.jsonl$/);
    expect(await collectAll(parts.batchQueue, parts.context.clock, 3)).toEqual([]);
  });

  test('collected by several workers at once, no check is in two files', async () => {
    for (let n = 0; n < 20; n++) await askAbout(closed);
    await Promise.all([1, 2, 3, 4].map(() => collectAll(parts.batchQueue, parts.context.clock, 3)));
    await perform(parts, cycleHandler());
    const rows = readdirSync(folders.requests).flatMap(rowsOf);
    expect(rows).toHaveLength(20);
    expect(new Set(rows.map((each) => each.check)).size).toBe(20);
  });

  test('one that was claimed and not written is the same file when it is; what a dead writer left is gone', async () => {
    for (let n = 0; n < 5; n++) await askAbout(replaced);
    const [file] = await collectAll(parts.batchQueue, parts.context.clock, 10);
    const [job] = await parts.jobs.take(batchFile, { leaseOwner: 'dies', leaseMs: 1_000, max: 1 });
    expect(job).toMatchObject({ jobId: file });
    // It dies with half of it written aside.
    writeFileSync(join(folders.requests, `.${file}.dies`), '{"check":"half');
    expect(await perform(parts, cycleHandler())).toBe(0);
    await parts.pass(1_001);
    expect(await perform(parts, cycleHandler())).toBe(1);
    expect(readdirSync(folders.requests)).toEqual([file]);
    const bytes = readFileSync(join(folders.requests, file!));
    expect(rowsOf(file!)).toHaveLength(5);
    // It dies between the renaming and the end of the job: the same file again.
    const { batchQueue, context } = parts;
    await writeRequestFile(file!, 'again', folders, { batchQueue, context });
    expect(readFileSync(join(folders.requests, file!))).toEqual(bytes);
    // Where it was fetched by then, it comes a second time, as long as its checks wait.
    rmSync(join(folders.requests, file!));
    await writeRequestFile(file!, 'again', folders, { batchQueue, context });
    expect(readFileSync(join(folders.requests, file!))).toEqual(bytes);
    expect(readdirSync(folders.requests)).toEqual([file]);
  });

  test('a folder that cannot be written keeps the checks', async () => {
    await askAbout(closed);
    const [file] = await collectAll(parts.batchQueue, parts.context.clock, 10);
    rmSync(folders.requests, { recursive: true });
    writeFileSync(folders.requests, 'in the way');
    await expect(perform(parts, cycleHandler())).rejects.toThrow();
    rmSync(folders.requests);
    await parts.pass(60_000);
    expect(await perform(parts, cycleHandler())).toBe(1);
    expect(rowsOf(file!)).toHaveLength(1);
  });
});

describe('the round', () => {
  const round = (waitMsMax: number, rowsMax: number) =>
    perform(parts, createBatchCycleHandler(folder.path, { waitMsMax, rowsMax }, { ...parts, events: watch }));
  const waiting = async () => (await parts.batchQueue.findWaiting(100)).checks;

  test('lets checks wait for others, until one has waited long enough or they are a file', async () => {
    await parts.batchQueue.begin('batch');
    await askAbout(closed);
    await round(60_000, 3);
    expect(await waiting()).toBe(1);
    await parts.pass(60_001);
    await round(60_000, 3);
    expect(await waiting()).toBe(0);
    for (let n = 0; n < 3; n++) await askAbout(closed);
    expect(await waiting()).toBe(3);
    await parts.pass(3_000);
    await round(60_000, 3);
    expect(await waiting()).toBe(0);
  });

  test('is one, however many begin it', async () => {
    for (let n = 0; n < 3; n++) await parts.batchQueue.begin('batch');
    expect(await parts.jobs.take(batchCycle, { leaseOwner: 'one', leaseMs: 1_000, max: 10 })).toHaveLength(1);
    expect(await parts.jobs.take(batchCycle, { leaseOwner: 'two', leaseMs: 1_000, max: 10 })).toEqual([]);
  });
});

describe('answers', () => {
  test('partial: those that are not answered wait on, and "Success" is no answer', async () => {
    const shoppers = [await askAbout(closed), await askAbout(closed), await askAbout(closed)];
    const [one, two, three] = await collected();
    drop('first.jsonl', [answerTo(one!), answerTo(two!, 'Success')]);
    await read();
    const left = async () =>
      (await Promise.all(shoppers.map((shopper) => list('json', shopper)))).filter((details) => details.length > 0);
    expect(await left()).toHaveLength(2);
    drop('second.jsonl', [answerTo(two!), answerTo(three!)]);
    await read();
    expect(await left()).toEqual([]);
    expect(report()).toEqual([]);
    expect(readdirSync(folders.answers)).toEqual([]);
  });

  test('doubled: in the same file, in another one, and the same file again', async () => {
    const shopper = await askAbout(replaced);
    const [row] = await collected();
    const news = { newNumber: '4000009900000012', newExpiryMonth: '3', newExpiryYear: '2031' };
    drop('one.jsonl', [answerTo(row!, 'PANChanged', news), answerTo(row!, 'PANChanged', news)]);
    await read();
    const before = await list('json', shopper);
    drop('two.jsonl', [answerTo(row!)]);
    await read();
    const [done] = readdirSync(folders.done).filter((name) => name.endsWith('one.jsonl'));
    copyFileSync(join(folders.done, done!), join(folders.answers, 'one.jsonl'));
    await read();
    expect(await list('json', shopper)).toEqual(before);
    expect(await outcomes(shopper)).toEqual(['PANChanged']);
    expect({ answered: counted('answered'), unmatched: counted('unmatched') }).toEqual({ answered: 1, unmatched: 2 });
    expect(report()).toHaveLength(2);
  });

  test('late: after ten days a check has ended, with no effect', async () => {
    const shopper = await askAbout(closed);
    const [row] = await collected();
    const overdue = createOverdueHandler(parts.store, parts.context, watch);
    await parts.pass(tenDaysMs - 60_000);
    expect(await perform(parts, overdue)).toBe(0);
    await parts.pass(60_001);
    expect(await perform(parts, overdue)).toBe(1);
    expect(counted('overdue')).toBe(1);
    drop('late.jsonl', [answerTo(row!)]);
    await read();
    expect(await list('json', shopper)).toHaveLength(1);
    expect(counted('unmatched')).toBe(1);
  });

  test('by CSV, and in a column each', async () => {
    const shopper = await askAbout(renewed);
    const [row] = await collected();
    const columns = 'merchantAccount,check,result,newExpiryMonth,newExpiryYear';
    writeFileSync(
      join(folders.answers, 'answers.csv'),
      `${columns}\r\nDemoMerchant,${row!.check},CardExpiryChanged,03,2031\r\n`,
    );
    await read();
    expect((await list('json', shopper))[0]!.card).toMatchObject({ expiryMonth: '3', expiryYear: '2031' });
  });

  test('strange ones change nothing and are reported, and never what they held', async () => {
    const shopper = await askAbout(replaced);
    const [row] = await collected();
    const news = { newExpiryMonth: '3', newExpiryYear: '2031' };
    const other = '4000009900000012';
    drop('strange.jsonl', [
      answerTo({ ...row!, check: 'PSP9999999999999' }),
      answerTo({ ...row!, merchantAccount: 'OtherMerchant' }),
      answerTo({ ...row!, merchantAccount: 'DemoMerchantNL' }),
      answerTo({ ...row!, merchantAccount: 'Nowhere' }),
      answerTo(row!, 'Stolen'),
      answerTo(row!, 'PANChanged', { newNumber: '4111111111111112', ...news }),
      answerTo(row!, 'PANChanged', { newNumber: replaced, ...news }),
      answerTo(row!, 'PANChanged', { newNumber: other }),
      answerTo(row!, 'CloseAccount', news),
      answerTo(row!, 'CloseAccount', { [replaced]: replaced }),
      { check: row!.check },
    ]);
    await read();
    expect(await list('json', shopper)).toHaveLength(1);
    expect(await outcomes(shopper)).toEqual([]);
    expect(report().map((line) => JSON.parse(line).line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(report().join()).not.toMatch(/\d{9}/);
    expect({ unmatched: counted('unmatched'), malformed: counted('malformedRows') }).toEqual({
      unmatched: 3,
      malformed: 8,
    });
    // The control: the check has waited through all of it.
    drop('right.jsonl', [answerTo(row!, 'PANChanged', { newNumber: other, ...news })]);
    await read();
    expect(await outcomes(shopper)).toEqual(['PANChanged']);
  });

  test('one that is no file of rows is put away with the reason; the rows before it stand', async () => {
    const shoppers = [await askAbout(closed), await askAbout(closed)];
    const rows = await collected();
    const lines = rows.map(({ check, merchantAccount }) => `${merchantAccount},${check},CloseAccount`);
    const name = 'broken.csv';
    writeFileSync(join(folders.answers, name), `merchantAccount,check,result\n${lines[0]}\n"${lines[1]}\n`);
    await read();
    writeFileSync(join(folders.answers, 'nothing.csv'), '');
    await read();
    writeFileSync(join(folders.answers, 'columns.csv'), 'merchantAccount,check,,\n');
    await read();
    expect(counted('unreadable')).toBe(3);
    expect(report()).toHaveLength(3);
    expect(readdirSync(folders.answers)).toEqual([]);
    expect(shoppers).toHaveLength(2);
    // Mended, it is another file; what was settled by then is so once.
    drop(
      'mended.jsonl',
      rows.map((row) => answerTo(row)),
    );
    await read();
    for (const shopper of shoppers) expect(await outcomes(shopper)).toEqual(['CloseAccount']);
  });

  test('one that is still being written is not read', async () => {
    const shopper = await askAbout(closed);
    const [row] = await collected();
    drop('answers.jsonl.part', [answerTo(row!)]);
    drop('.answers.jsonl', [answerTo(row!)]);
    await read();
    expect(await list('json', shopper)).toHaveLength(1);
    renameSync(join(folders.answers, 'answers.jsonl.part'), join(folders.answers, 'answers.jsonl'));
    await read();
    expect(await list('json', shopper)).toEqual([]);
  });

  test('a long one is read in several rounds, and goes on where it was', async () => {
    for (let n = 0; n < 5; n++) await askAbout(closed);
    const rows = await collected();
    const noise = Array.from({ length: 500 }, (_, n) => answerTo({ ...rows[0]!, check: `NONE${n}` }));
    const all = [...noise, ...rows.map((row) => answerTo(row))];
    drop('long.jsonl', all);
    let rounds = 1;
    while (!(await readResponses(folders, parts, watch, () => true))) {
      rounds += 1;
      if (!existsSync(join(folders.answers, 'long.jsonl'))) break;
    }
    expect(rounds).toBeGreaterThan(2);
    expect({ answered: counted('answered'), unmatched: counted('unmatched') }).toEqual({ answered: 5, unmatched: 500 });
    expect(report()).toHaveLength(500);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'read', rows: 505, refused: expect.any(Number) }));
  });
});

describe('another updater', () => {
  test('goes on with what the one before was to tell', async () => {
    await askAbout(closed);
    await askAbout(closed);
    expect(await collected(1)).toHaveLength(2);
    await askAbout(closed);
    await parts.batchQueue.begin('http');
    const asked = await parts.jobs.take(updaterCheck, { leaseOwner: 'it', leaseMs: 1_000, max: 10 });
    expect(asked).toHaveLength(3);
    await parts.batchQueue.begin('batch');
    expect(await collected()).toHaveLength(3);
  });
});

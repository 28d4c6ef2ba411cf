/** What updaters outside tell, at once, later or by a file: every result in every format, and what becomes of the detail. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckHandler } from '../../src/payments/recurring/account-updater/account-updater.ts';
import { collectAll } from '../../src/payments/recurring/account-updater/batch/cycle.ts';
import { openFolders } from '../../src/payments/recurring/account-updater/batch/folders.ts';
import { createRequestFileHandler } from '../../src/payments/recurring/account-updater/batch/request-file.ts';
import { readResponses } from '../../src/payments/recurring/account-updater/batch/responses.ts';
import { createUpdaterEvents } from '../../src/payments/recurring/account-updater/events.ts';
import { createHttpUpdater } from '../../src/payments/recurring/account-updater/http/updater.ts';
import type { RecurringDetail } from '../../src/payments/recurring/details.ts';
import { perform } from '../support/background-jobs.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { callsOf, fresh, named, protocolNames } from '../support/recurring-calls.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { answerByCard, cardOutcomes, down, outcomeOf, startUpdater, type TestUpdater } from '../support/updater.ts';

const watch = createUpdaterEvents();
const folder = tempFolder();
const folders = openFolders(folder.path);
afterAll(() => folder.discard());

/** How an adapter comes to know what has become of cards, and what the caller hears at once. */
interface Adapter {
  readonly name: string;
  open(): Promise<TestGateway>;
  begin(): void;
  /** Until everything is known that will be. */
  goOn(gateway: TestGateway): Promise<void>;
  atOnce(result: string): string;
}

let outside: TestUpdater;
beforeAll(async () => {
  outside = await startUpdater();
});
afterAll(() => outside.close());

const openAsking = () =>
  openGateway({
    // A clock that goes: what is left alone after failures is not so for ever.
    updater: ({ vault }) =>
      createHttpUpdater(
        { url: outside.url, secret: 'hush', msMax: 5_000 },
        { vault, events: watch, clock: { now: Date.now } },
      ),
  });

const goOnAsking = async ({ parts }: TestGateway) => {
  const { updater } = parts;
  if (updater.kind !== 'http') throw new Error('the updater is not the http one');
  // As long as one that was down is left alone.
  if (outside.answer === down) await wait(1_100);
  outside.answer = answerByCard;
  await parts.pass(600_000);
  await perform(parts, createCheckHandler(parts.store, parts.context, updater));
};

const goOnByFile = async ({ parts }: TestGateway) => {
  const { batchQueue, jobs, context } = parts;
  const files = await collectAll(batchQueue, context.clock, 1_000);
  await perform(parts, createRequestFileHandler(folder.path, { batchQueue, jobs, context, events: watch }));
  for (const file of files) {
    const rows = readFileSync(join(folders.requests, file), 'utf8').trimEnd().split('\n');
    const answers = rows
      .map((row) => JSON.parse(row))
      .map(({ check, merchantAccount, number }) => ({ check, merchantAccount, ...outcomeOf(number) }));
    writeFileSync(join(folders.answers, file), answers.map((each) => `${JSON.stringify(each)}\n`).join(''));
  }
  expect(await readResponses(folders, parts, watch, () => false)).toBe(true);
};

const adapters: readonly Adapter[] = [
  { name: 'http', open: openAsking, begin: () => {}, goOn: goOnAsking, atOnce: (result) => result },
  {
    name: 'http that is down at first',
    open: openAsking,
    begin: () => {
      outside.answer = down;
    },
    goOn: goOnAsking,
    atOnce: () => 'Success',
  },
  {
    name: 'batch',
    open: () => openGateway({ updater: () => ({ kind: 'batch' }) }),
    begin: () => {},
    goOn: goOnByFile,
    atOnce: () => 'Success',
  },
];

const news = { newExpiryMonth: '3', newExpiryYear: '2031' };

/** What `listRecurringDetails` shows after a result. */
const becomes = (result: string, before: RecurringDetail, newAlias: string): readonly RecurringDetail[] => {
  const { card } = before;
  switch (result) {
    case 'CardExpiryChanged':
      return [{ ...before, additionalData: news, card: { ...card!, expiryYear: '2031' } }];
    case 'PANChanged':
      return [
        {
          ...before,
          additionalData: { newAlias, ...news },
          alias: newAlias,
          card: { ...card!, expiryYear: '2031', number: '0012' },
        },
      ];
    case 'CloseAccount':
      return [];
    default:
      return [before];
  }
};

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))('%s', (_, adapter) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await adapter.open();
  });
  afterAll(() => gateway.close());
  const { ask, check, list, store } = callsOf(() => gateway);

  test.each(protocolNames)('every result in %s', async (name) => {
    const cases = [];
    outside.answer = answerByCard;
    for (const [number, { result }] of Object.entries(cardOutcomes)) {
      const shopper = fresh();
      const reference = await store(shopper, number);
      const [before] = await list(name, shopper);
      cases.push({ number, result, shopper, reference, before: before! });
    }
    const newcomer = { card: { number: '4000009900000012', expiryMonth: '3', expiryYear: '2030', holderName: 'A' } };
    const recurring = { contract: ['RECURRING'] };
    const newAlias = (await ask(name, 'storeToken', { ...newcomer, recurring, shopperReference: fresh() })).alias!;
    adapter.begin();
    for (const { result, shopper, reference } of cases)
      expect(await check(name, named(shopper, reference))).toBe(adapter.atOnce(result));
    await adapter.goOn(gateway);
    for (const { result, shopper, before } of cases) {
      const after = await list(name, shopper);
      expect({ result, after }).toEqual({ result, after: becomes(result, before, newAlias) });
    }
  });

  test('what is checked is a card as it was given, too; the details that hold it follow', async () => {
    const shopper = fresh();
    await store(shopper, '4000009900000046');
    adapter.begin();
    const card = { number: '4000009900000046', expiryMonth: '3', expiryYear: '2027', holderName: 'Anna van Dijk' };
    expect(await check('form', { card })).toBe(adapter.atOnce('CloseAccount'));
    await adapter.goOn(gateway);
    expect(await list('json', shopper)).toEqual([]);
  });
});

test('the files are readable by the owner only, and no temporary file is left', () => {
  for (const each of Object.values(folders)) {
    expect(statSync(each).mode & 0o777).toBe(0o700);
    expect(readdirSync(each).filter((name) => name.startsWith('.'))).toEqual([]);
  }
  for (const file of readdirSync(folders.requests))
    expect(statSync(join(folders.requests, file)).mode & 0o777).toBe(0o600);
  expect(readdirSync(folders.answers)).toEqual([]);
  expect(readdirSync(folders.done).filter((name) => name.endsWith('.refused.jsonl'))).toEqual([]);
  expect(readdirSync(folders.done)).toHaveLength(readdirSync(folders.requests).length);
});

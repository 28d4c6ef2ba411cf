/** The clock of the machine is set while a server runs: its background work destroys nothing until the clock is right again. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { orders } from '../../examples/orders/orders.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** Longer than the longest pause of the background work. */
const roundMs = 20 * 60_000;
const rounds = 3;

let folder: TempFolder;
let gateway: RunningGateway | undefined;
beforeEach(() => {
  folder = tempFolder();
  jest.useFakeTimers({ doNotFake: ['hrtime', 'setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(async () => {
  jest.useRealTimers();
  await gateway?.close();
  gateway = undefined;
  folder.discard();
});

const open = async (settings: Readonly<Record<string, string>> = {}): Promise<void> => {
  gateway = await createGateway({
    services: [orders],
    store: { dataDir: folder.path },
    settings: { ...settings, LOG_LEVEL: 'silent' },
  });
};
const onStore = <T>(work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(folder.path, 'triglyph.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
};
const addDeadLetter = (id: string, deadSince: number): void =>
  onStore((database) => {
    database
      .prepare(
        `insert into job (tenant, job_id, kind, ordering_key, position, payload, created_at, due_at, dead_since)
         values ('Demo', ?, 'webhook', ?, 1, '{}', 1, null, ?)`,
      )
      .run(id, id, deadSince);
  });
const deadLetters = () =>
  onStore((database) =>
    database
      .prepare('select job_id from job')
      .all()
      .map(({ job_id }) => job_id),
  );
const runRounds = async (): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) {
    await jest.advanceTimersByTimeAsync(roundMs);
    // The work of a round is no timer.
    const endsAt = process.hrtime.bigint() + 300_000_000n;
    await until('a moment', () => process.hrtime.bigint() > endsAt);
  }
};
const setClock = (ms: number) => jest.setSystemTime(Date.now() + ms);

test('nothing is destroyed after a jump, and all that is over when the clock is right again', async () => {
  await open();
  addDeadLetter('young', Date.now());
  addDeadLetter('old', Date.now() - 100 * dayMs);
  setClock(400 * dayMs);
  await runRounds();
  expect(deadLetters().toSorted()).toEqual(['old', 'young']);
  setClock(-400 * dayMs);
  await runRounds();
  expect(deadLetters()).toEqual(['young']);
});

test('control: where every clock is accepted, the jump destroys what is young', async () => {
  await open({ CLOCK_DAYS_MAX: '0' });
  addDeadLetter('young', Date.now());
  setClock(400 * dayMs);
  await runRounds();
  expect(deadLetters()).toEqual([]);
});

/**
 * Servers are killed while they ask external updaters over HTTP and by files: every outcome is applied once. `UPDATER_KILLS=20`
 * is the long run. Seeded defects end a job apart from its outcome, and must be found.
 */

import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { batchCycle, batchFile, updaterCheck } from '../../src/services/recurring/account-updater/job-kinds.ts';
import { Random } from '../simulation/random.ts';
import { startPostgres } from '../support/postgres.ts';
import { repeatCommand, seed } from '../support/seed.ts';
import { prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isFoundWithin, until } from '../support/until.ts';
import { down, say, startUpdater, type TestUpdater } from '../support/updater.ts';
import {
  checkOutcomes,
  type Database,
  everyWay,
  killServers,
  type LoadTest,
  postgresOf,
  sqliteOf,
  startLoadTest,
  updaterAnswer,
  waitForChecks,
} from './checks-under-load.ts';
import type { SeededDefect } from './crash-points.ts';

const random = new Random(seed);
const kills = Number(process.env.UPDATER_KILLS ?? 2);
/** A starved server repeats its questions to the updater. */
const settleMsMax = 120_000;
const controlMsMax = 200_000;
const timeLimit = 480_000 + kills * 20_000;

type Production = Awaited<ReturnType<typeof prepareProduction>>;

let updater: TestUpdater;
const made = tempFolder();
let prepared: Production;
beforeAll(async () => {
  process.stderr.write(`repeat with ${repeatCommand('test/fault/updater-kills.test.ts')}\n`);
  updater = await startUpdater();
  prepared = await prepareProduction(made.path);
});
afterAll(async () => {
  made.discard();
  await updater.close();
});

/** Runs the work in a folder of its own, over a copy of the prepared data. */
const withSqlite = async <T>(work: (production: Production, database: Database, folder: string) => Promise<T>) => {
  const folder = tempFolder();
  const data = join(folder.path, 'data');
  cpSync(prepared.variables.DATA_DIR!, data, { recursive: true });
  const production = { ...prepared, variables: { ...prepared.variables, DATA_DIR: data } };
  try {
    return await work(production, sqliteOf(join(data, 'triglyph.db')), folder.path);
  } finally {
    folder.discard();
  }
};

/** Has no outcome for every other card at first, and is sometimes down or slow. */
const unreliable = (): TestUpdater['answer'] => {
  const met = new Set<string>();
  return (question, response, request) => {
    const isNew = !met.has(question.id);
    met.add(question.id);
    if (isNew && met.size % 2 === 1) return say(response, { result: 'Success' });
    const chance = random.next();
    if (chance < 0.15) return down(question, response, request);
    setTimeout(() => say(response, updaterAnswer(question.body.number!)), chance < 0.25 ? 800 : 30 * chance);
  };
};
const reliable: TestUpdater['answer'] = ({ body }, response) => say(response, updaterAnswer(body.number!));

const httpUpdater = () => ({ UPDATER: 'http', UPDATER_URL: updater.url, UPDATER_MS_MAX: '500' });

/** How many questions have the id of another question. */
const countReusedIds = (): number => {
  const numberOf = new Map<string, string>();
  let wrong = 0;
  for (const { id, body } of updater.asked) {
    const known = numberOf.get(id) ?? body.number!;
    if (known !== body.number) wrong += 1;
    numberOf.set(id, known);
  }
  return wrong;
};

const report = (checks: readonly { readonly result: string }[], count: number): void => {
  const later = checks.filter(({ result }) => result === 'Success').length;
  process.stderr.write(`${count} kills, ${checks.length} checks, ${later} of them with an outcome after the answer\n`);
};

/** Whether the kills interrupted checks, of which some had their outcome after the answer. */
const hasEnough = ({ checks, kills }: LoadTest): boolean =>
  checks.length > kills.count && checks.some(({ result }) => result === 'Success');

const runUnderKills = async (
  database: Database,
  { servers, defect }: { readonly servers: number; readonly defect?: SeededDefect },
  production: Production,
): Promise<readonly string[]> => {
  updater.answer = unreliable();
  updater.asked.length = 0;
  // This outcome changes nothing but the history, which shows a second application.
  const options = defect === undefined ? {} : ({ defect, only: 'ContactCardAccountHolder' } as const);
  const loadTest = await startLoadTest(production, httpUpdater(), servers, options);
  try {
    let isOver = false;
    const load = loadTest.load(() => isOver);
    const ways = defect === undefined ? everyWay : (['between an outcome and the end of its job'] as const);
    // One kill may hit a check that changes no detail, whose repetition shows nothing.
    const killing = killServers(loadTest, defect === undefined ? kills : 3, ways);
    const makingDue = (async () => {
      // Retries become due while the servers die.
      while (!isOver) {
        await database.query(`update job set due_at = due_at - 3000 where kind = '${updaterCheck}'`);
        await wait(100);
      }
    })();
    await killing;
    await until('enough checks', () => hasEnough(loadTest));
    isOver = true;
    await Promise.all([load, makingDue]);
    updater.answer = reliable;
    await wait(1_100);
    const left = await waitForChecks(database, defect === undefined ? settleMsMax : 3_000);
    report(loadTest.checks, loadTest.kills.count);
    expect(countReusedIds()).toBe(0);
    return await checkOutcomes(database, loadTest.checks, left);
  } finally {
    await loadTest.stop();
  }
};

describe('updater over HTTP', () => {
  const onSqlite = (defect?: SeededDefect): Promise<readonly string[]> =>
    withSqlite((production, database) =>
      runUnderKills(database, { servers: 1, ...(defect && { defect }) }, production),
    );

  const finds = async (defect: SeededDefect, fault: string): Promise<boolean> =>
    (await onSqlite(defect)).join().includes(fault);

  test('one server over the embedded store', async () => expect(await onSqlite()).toEqual([]), timeLimit);

  test(
    'two servers over PostgreSQL',
    async () => {
      const postgres = await startPostgres();
      const folder = tempFolder();
      try {
        const url = await postgres.createMigratedDatabase();
        const production = await prepareProduction(folder.path, { DATABASE_URL: url });
        expect(await runUnderKills(postgresOf(postgres, url), { servers: 2 }, production)).toEqual([]);
      } finally {
        folder.discard();
        await postgres.discard();
      }
    },
    timeLimit,
  );

  test(
    'seeded defect: the job ends first, and an outcome is lost',
    async () => expect(await isFoundWithin(() => finds('job first', 'the history is '), controlMsMax)).toBe(true),
    timeLimit,
  );
  test(
    'seeded defect: the outcome is written first, and its check never ends',
    async () => expect(await isFoundWithin(() => finds('outcome first', 'checks never end'), controlMsMax)).toBe(true),
    timeLimit,
  );
});

describe('updater by files', () => {
  /** Answers each request file: half of it, then all of it. A file is complete when it has its name. */
  const answerFiles = async (folder: string, isOver: () => boolean): Promise<void> => {
    const seen = new Set<string>();
    const drop = (name: string, rows: readonly string[]) => {
      const aside = join(folder, 'answers', `${name}.part`);
      writeFileSync(aside, rows.map((row) => `${row}\n`).join(''));
      renameSync(aside, join(folder, 'answers', name));
    };
    while (!isOver()) {
      const requests = join(folder, 'requests');
      for (const name of existsSync(requests) ? readdirSync(requests) : []) {
        if (name.startsWith('.') || seen.has(name)) continue;
        seen.add(name);
        const rows = readFileSync(join(requests, name), 'utf8')
          .trimEnd()
          .split('\n')
          .map((row) => JSON.parse(row))
          .map(({ check, merchantAccount, number }) =>
            JSON.stringify({ check, merchantAccount, ...updaterAnswer(number) }),
          );
        drop(`half-${name}`, rows.slice(0, Math.ceil(rows.length / 2)));
        drop(`whole-${name}`, rows);
      }
      await wait(20);
    }
  };

  test(
    'one server over the embedded store',
    () =>
      withSqlite(async (production, database, folder) => {
        const batch = join(folder, 'batch');
        const variables = {
          UPDATER: 'batch',
          UPDATER_FOLDER: batch,
          UPDATER_BATCH_MS: '0',
          UPDATER_BATCH_ROWS_MAX: '5',
        };
        const loadTest = await startLoadTest(production, variables, 1);
        try {
          let isOver = false;
          let isSettled = false;
          const answering = answerFiles(batch, () => isSettled);
          const load = loadTest.load(() => isOver);
          const makingDue = (async () => {
            while (!isOver) {
              await database.query(
                `update job set due_at = due_at - 60000 where kind in ('${batchCycle}', '${batchFile}')`,
              );
              await wait(100);
            }
          })();
          await killServers(loadTest, kills, everyWay);
          await until('enough checks', () => loadTest.checks.length > kills);
          isOver = true;
          await Promise.all([load, makingDue]);
          const left = await waitForChecks(database, settleMsMax);
          isSettled = true;
          await answering;
          report(loadTest.checks, loadTest.kills.count);
          expect(await checkOutcomes(database, loadTest.checks, left)).toEqual([]);
          // No check is in two files, and no temporary file with a card number is left.
          const requests = join(batch, 'requests');
          const checks = readdirSync(requests).flatMap((name) =>
            readFileSync(join(requests, name), 'utf8')
              .trimEnd()
              .split('\n')
              .map((row) => JSON.parse(row).check),
          );
          expect(new Set(checks).size).toBe(checks.length);
          expect(new Set(checks)).toEqual(new Set(loadTest.checks.map(({ pspReference }) => pspReference)));
          expect(readdirSync(requests).filter((name) => name.startsWith('.'))).toEqual([]);
        } finally {
          await loadTest.stop();
        }
      }),
    timeLimit,
  );
});

/**
 * Servers are killed while updaters outside are asked, answer, and are answered by files: every outcome is applied once, and
 * none is lost. UPDATER_KILLS=20 is the long run. The controls end a check apart from its effect, and are found out.
 */

import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { batchCycle, batchFile, updaterCheck } from '../../src/services/recurring/account-updater/job-kinds.ts';
import { startPostgres } from '../support/postgres.ts';
import { prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { down, say, startUpdater, type TestUpdater } from '../support/updater.ts';
import {
  answerAbout,
  type Database,
  everyWay,
  judge,
  openField,
  postgresOf,
  sqliteOf,
  strike,
  untilSettled,
} from './checks-under-load.ts';
import type { Forgetful } from './crash-points.ts';

const kills = Number(process.env.UPDATER_KILLS ?? 2);
const settledMsMax = 20_000;
const timeLimit = 60_000 + kills * 10_000;

type Production = Awaited<ReturnType<typeof prepareProduction>>;

let outside: TestUpdater;
const made = tempFolder();
let prepared: Production;
beforeAll(async () => {
  outside = await startUpdater();
  prepared = await prepareProduction(made.path);
});
afterAll(async () => {
  made.discard();
  await outside.close();
});

/** Works in a folder of its own, over a copy of what was prepared. */
const overSqlite = async <T>(work: (production: Production, database: Database, folder: string) => Promise<T>) => {
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

/** Of every other card it does not know at first; and it is down now and then, and slow now and then. */
const moody = (): TestUpdater['answer'] => {
  const met = new Set<string>();
  return (question, response, request) => {
    const isNew = !met.has(question.id);
    met.add(question.id);
    if (isNew && met.size % 2 === 1) return say(response, { result: 'Success' });
    const mood = Math.random();
    if (mood < 0.15) return down(question, response, request);
    setTimeout(() => say(response, answerAbout(question.body.number!)), mood < 0.25 ? 800 : 30 * mood);
  };
};
const calm: TestUpdater['answer'] = ({ body }, response) => say(response, answerAbout(body.number!));

const asking = () => ({ UPDATER: 'http', UPDATER_URL: outside.url, UPDATER_MS_MAX: '500' });

/** Each question has one name, and each name one question. */
const confused = (): number => {
  const numberOf = new Map<string, string>();
  let wrong = 0;
  for (const { id, body } of outside.asked) {
    const known = numberOf.get(id) ?? body.number!;
    if (known !== body.number) wrong += 1;
    numberOf.set(id, known);
  }
  return wrong;
};

const report = (asked: readonly { readonly result: string }[], count: number): void => {
  const later = asked.filter(({ result }) => result === 'Success').length;
  process.stderr.write(`${count} kills, ${asked.length} checks, ${later} of them settled after their answer\n`);
};

const underFire = async (
  database: Database,
  { servers, how }: { readonly servers: number; readonly how?: Forgetful },
  production: Production,
): Promise<readonly string[]> => {
  outside.answer = moody();
  outside.asked.length = 0;
  // A change that leaves the detail as it was shows in its history only: there, a second time cannot be overlooked.
  const options = how === undefined ? {} : ({ how, only: 'ContactCardAccountHolder' } as const);
  const field = await openField(production, asking(), servers, options);
  try {
    let isOver = false;
    const load = field.load(() => isOver);
    const ways = how === undefined ? everyWay : (['between an outcome and its end'] as const);
    const struck = strike(field, how === undefined ? kills : 1, ways);
    const passing = (async () => {
      // What waits for its next try has it while the servers die.
      while (!isOver) {
        await database.ask(`update job set due_at = due_at - 3000 where kind = '${updaterCheck}'`);
        await wait(100);
      }
    })();
    await struck;
    isOver = true;
    await Promise.all([load, passing]);
    outside.answer = calm;
    await wait(1_100);
    const left = await untilSettled(database, how === undefined ? settledMsMax : 3_000);
    report(field.asked, field.kills.count);
    expect(field.asked.length).toBeGreaterThan(field.kills.count);
    expect(field.asked.some(({ result }) => result === 'Success')).toBe(true);
    expect(confused()).toBe(0);
    return await judge(database, field.asked, left);
  } finally {
    await field.stop();
  }
};

describe('asked over HTTP', () => {
  const onSqlite = (how?: Forgetful): Promise<readonly string[]> =>
    overSqlite((production, database) => underFire(database, { servers: 1, ...(how && { how }) }, production));

  test('one server over the embedded store', async () => expect(await onSqlite()).toEqual([]), timeLimit);

  test(
    'two servers over PostgreSQL',
    async () => {
      const postgres = await startPostgres();
      const folder = tempFolder();
      try {
        const url = await postgres.createDatabase();
        const production = await prepareProduction(folder.path, { DATABASE_URL: url });
        expect(await underFire(postgresOf(postgres, url), { servers: 2 }, production)).toEqual([]);
      } finally {
        folder.discard();
        await postgres.discard();
      }
    },
    timeLimit,
  );

  test(
    'control: ended before its effect, an outcome is lost',
    async () => expect((await onSqlite('ends first')).join()).toContain('was wanted, and is '),
    timeLimit,
  );
  test(
    'control: ended after its effect, an outcome comes twice and its check never ends',
    async () => expect((await onSqlite('ends last')).join()).toContain('checks never end'),
    timeLimit,
  );
});

describe('answered by files', () => {
  /** Answers what it finds: half of a file, then all of it; each file whole when it has its name. */
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
            JSON.stringify({ check, merchantAccount, ...answerAbout(number) }),
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
      overSqlite(async (production, database, folder) => {
        const batch = join(folder, 'batch');
        const also = { UPDATER: 'batch', UPDATER_FOLDER: batch, UPDATER_BATCH_MS: '0', UPDATER_BATCH_ROWS_MAX: '5' };
        const field = await openField(production, also, 1);
        try {
          let isOver = false;
          let isSettled = false;
          const answering = answerFiles(batch, () => isSettled);
          const load = field.load(() => isOver);
          const passing = (async () => {
            while (!isOver) {
              await database.ask(
                `update job set due_at = due_at - 60000 where kind in ('${batchCycle}', '${batchFile}')`,
              );
              await wait(100);
            }
          })();
          await strike(field, kills, everyWay);
          isOver = true;
          await Promise.all([load, passing]);
          const left = await untilSettled(database, settledMsMax);
          isSettled = true;
          await answering;
          report(field.asked, field.kills.count);
          expect(field.asked.length).toBeGreaterThan(kills);
          expect(await judge(database, field.asked, left)).toEqual([]);
          // No check is in two files, and nobody has left a number aside.
          const requests = join(batch, 'requests');
          const checks = readdirSync(requests).flatMap((name) =>
            readFileSync(join(requests, name), 'utf8')
              .trimEnd()
              .split('\n')
              .map((row) => JSON.parse(row).check),
          );
          expect(new Set(checks).size).toBe(checks.length);
          expect(new Set(checks)).toEqual(new Set(field.asked.map(({ pspReference }) => pspReference)));
          expect(readdirSync(requests).filter((name) => name.startsWith('.'))).toEqual([]);
        } finally {
          await field.stop();
        }
      }),
    timeLimit,
  );
});

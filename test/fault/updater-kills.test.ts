/**
 * Servers are killed while they ask external updaters over HTTP and by files: every outcome is applied once. `KILLS=20`
 * is the long run. Seeded defects end a job apart from its outcome, and must be found.
 */

import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { batchCycle, batchFile, updaterCheck } from '../../src/payments/recurring/account-updater/job-kinds.ts';
import { Random } from '../simulation/random.ts';
import type { Variables } from '../support/commands.ts';
import { startPostgres } from '../support/postgres.ts';
import { repeatCommand, seed } from '../support/seed.ts';
import { basic, type Production, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isFoundWithin, until } from '../support/until.ts';
import { down, say, startUpdater, type TestUpdater } from '../support/updater.ts';
import {
  type AnsweredCheck,
  checkOutcomes,
  type Outcome,
  oldNumber,
  outcomeOf,
  updaterAnswer,
  waitForChecks,
} from './checks-under-load.ts';
import { defectVariable, points, type SeededDefect } from './crash-points.ts';
import { type Database, postgresOf, sqliteOf } from './databases.ts';
import type { Fleet } from './injection/fleet.ts';
import { type KillWay, kills, runUnderKills, sendTo } from './injection/kill-run.ts';

const random = new Random(seed);
/** A starved server repeats its questions to the updater. */
const settleMsMax = 120_000;

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

/** Requests pass their points all the time; the end of a job is rarer. */
const endOfJob: KillWay = { point: 'between an outcome and the end of its job', msMax: 10_000 };
const everyWay: readonly KillWay[] = ['at once', ...points.slice(0, 4).map((point) => ({ point, msMax: 1_500 }))];

interface Load {
  readonly servers: number;
  readonly variables: Variables;
  /** What becomes due while the servers die, and how much earlier. */
  readonly makeDue: string;
  readonly kills?: number;
  readonly ways?: readonly KillWay[];
  /** Only cards with this outcome. */
  readonly only?: Outcome;
  hasEnough(checks: readonly AnsweredCheck[], kills: number): boolean;
}

/** Stores cards and checks them, each until it is answered, while servers are killed. Returns what is wrong in the end. */
async function checkUnderKills(
  { credential, variables }: Production,
  database: Database,
  folder: string,
  load: Load,
  settle: (checks: readonly AnsweredCheck[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const authorization = basic(credential.username, credential.secret);
  const checks: AnsweredCheck[] = [];

  async function askUntilAnswered(fleet: Fleet, operation: string, input: object): Promise<Record<string, unknown>> {
    const headers = { authorization, 'idempotency-key': randomUUID() };
    const body = JSON.stringify({ merchantAccount: 'AcmeWeb', ...input });
    const call = { path: `/pal/servlet/Recurring/v25/${operation}`, contentType: 'application/json', body };
    for (;;) {
      const answer = await sendTo(fleet, random.below(2), call, headers);
      if (typeof answer === 'object') {
        const { status, text } = answer;
        if (status === 200) return JSON.parse(text);
        if (status !== 409 && status < 500) throw new Error(`${operation}: ${status} ${text}`);
      }
      await wait(20 + random.below(50));
    }
  }

  let last = 0;
  async function step(fleet: Fleet): Promise<void> {
    do last += 1;
    while (load.only !== undefined && outcomeOf(last) !== load.only);
    const n = last;
    const shopperReference = `shopper-${n}`;
    const card = { number: oldNumber(n), expiryMonth: '3', expiryYear: '2029', holderName: 'Anna van Dijk' };
    const recurring = { contract: 'RECURRING' };
    const stored = await askUntilAnswered(fleet, 'storeToken', { card, shopperReference, recurring });
    const reference = String(stored.recurringDetailReference);
    const answer = await askUntilAnswered(fleet, 'scheduleAccountUpdater', {
      reference: `check-${n}`,
      shopperReference,
      selectedRecurringDetailReference: reference,
    });
    checks.push({ n, reference, pspReference: String(answer.pspReference), result: String(answer.result) });
    await wait(20);
  }

  let isOver = false;
  const makingDue = (async () => {
    while (!isOver) {
      await database.query(load.makeDue);
      await wait(100);
    }
  })();
  const track = {
    program: { file: join(import.meta.dirname, 'crashing-server.ts') },
    folder,
    variables: { ...variables, ...load.variables },
    servers: load.servers,
    clients: 4,
    random,
    kills: load.kills ?? kills,
    ways: load.ways ?? everyWay,
    step,
    hasEnough: (fleet: Fleet) => until('enough checks', () => load.hasEnough(checks, fleet.kills())),
  };
  try {
    return await runUnderKills(track, async (fleet) => {
      isOver = true;
      await makingDue;
      const faults = await settle(checks);
      const later = checks.filter(({ result }) => result === 'Success').length;
      process.stderr.write(
        `${fleet.kills()} kills, ${checks.length} checks, ${later} of them with an outcome after the answer\n`,
      );
      return faults;
    });
  } finally {
    isOver = true;
  }
}

const runUnderHttpKills = (
  production: Production,
  database: Database,
  folder: string,
  { servers, defect }: { readonly servers: number; readonly defect?: SeededDefect },
): Promise<readonly string[]> => {
  updater.answer = unreliable();
  updater.asked.length = 0;
  const load: Load = {
    servers,
    variables: httpUpdater(),
    makeDue: `update job set due_at = due_at - 3000 where kind = '${updaterCheck}'`,
    // The kills interrupted checks, of which some had their outcome after the answer.
    hasEnough: (checks, kills) => checks.length > kills && checks.some(({ result }) => result === 'Success'),
  };
  const withDefect = (defect: SeededDefect): Load => ({
    ...load,
    variables: { ...load.variables, [defectVariable]: defect },
    // One kill may hit a check that changes no detail, whose repetition shows nothing.
    kills: 3,
    ways: [endOfJob],
    // This outcome changes nothing but the history, which shows a second application.
    only: 'ContactCardAccountHolder',
  });
  return checkUnderKills(
    production,
    database,
    folder,
    defect === undefined ? load : withDefect(defect),
    async (checks) => {
      updater.answer = reliable;
      await wait(1_100);
      const left = await waitForChecks(database, defect === undefined ? settleMsMax : 3_000);
      expect(countReusedIds()).toBe(0);
      return checkOutcomes(database, checks, left);
    },
  );
};

describe('updater over HTTP', () => {
  const onSqlite = (defect?: SeededDefect): Promise<readonly string[]> =>
    withSqlite((production, database, folder) =>
      runUnderHttpKills(production, database, folder, { servers: 1, ...(defect && { defect }) }),
    );

  const finds = async (defect: SeededDefect, fault: string): Promise<boolean> =>
    (await onSqlite(defect)).join().includes(fault);

  test('one server over the embedded store', async () => expect(await onSqlite()).toEqual([]));

  test('two servers over PostgreSQL', async () => {
    const postgres = await startPostgres();
    const folder = tempFolder();
    try {
      const url = await postgres.createMigratedDatabase();
      const production = await prepareProduction(folder.path, { DATABASE_URL: url });
      expect(await runUnderHttpKills(production, postgresOf(postgres, url), folder.path, { servers: 2 })).toEqual([]);
    } finally {
      folder.discard();
      await postgres.discard();
    }
  });

  test('seeded defect: the job ends first, and an outcome is lost', async () =>
    expect(await isFoundWithin(() => finds('job first', 'the history is '))).toBe(true));
  test('seeded defect: the outcome is written first, and its check never ends', async () =>
    expect(await isFoundWithin(() => finds('outcome first', 'checks never end'))).toBe(true));
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

  test('one server over the embedded store', () =>
    withSqlite(async (production, database, folder) => {
      const batch = join(folder, 'batch');
      const variables = {
        UPDATER: 'batch',
        UPDATER_FOLDER: batch,
        UPDATER_BATCH_MS: '0',
        UPDATER_BATCH_ROWS_MAX: '5',
      };
      let isSettled = false;
      const answering = answerFiles(batch, () => isSettled);
      const load: Load = {
        servers: 1,
        variables,
        makeDue: `update job set due_at = due_at - 60000 where kind in ('${batchCycle}', '${batchFile}')`,
        hasEnough: (checks, kills) => checks.length > kills,
      };
      try {
        const faults = await checkUnderKills(production, database, folder, load, async (answered) => {
          const left = await waitForChecks(database, settleMsMax);
          // No check is in two files, and no temporary file with a card number is left.
          const requests = join(batch, 'requests');
          const checks = readdirSync(requests).flatMap((name) =>
            readFileSync(join(requests, name), 'utf8')
              .trimEnd()
              .split('\n')
              .map((row) => JSON.parse(row).check),
          );
          expect(new Set(checks).size).toBe(checks.length);
          expect(new Set(checks)).toEqual(new Set(answered.map(({ pspReference }) => pspReference)));
          expect(readdirSync(requests).filter((name) => name.startsWith('.'))).toEqual([]);
          return checkOutcomes(database, answered, left);
        });
        expect(faults).toEqual([]);
      } finally {
        isSettled = true;
        await answering;
      }
    }));
});

/** Account-updater checks under load while servers are killed, and a checker that reads the result of each in the database. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { appendLuhnDigit } from '../../src/contract/check-digits.ts';
import {
  batchCycle,
  batchFile,
  batchResponse,
  batchWait,
  updaterCheck,
} from '../../src/services/recurring/account-updater/job-kinds.ts';
import { Random } from '../simulation/random.ts';
import { environment, type Variables } from '../support/commands.ts';
import type { Postgres } from '../support/postgres.ts';
import { seed } from '../support/seed.ts';
import { ask, basic, type Production } from '../support/server.ts';
import { defectVariable, type Point, points, type Ready, type SeededDefect } from './crash-points.ts';

const random = new Random(seed);
const program = new URL('./crashing-server.ts', import.meta.url).pathname;

/** The test's own connection to the database. */
export interface Database {
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export const sqliteOf = (file: string): Database => ({
  async query(text) {
    const database = new DatabaseSync(file);
    try {
      database.exec('pragma busy_timeout = 5000');
      return database.prepare(text).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  },
});

export const postgresOf = (postgres: Postgres, url: string): Database => ({
  query: (text) => postgres.ask(text, [], url),
});

/** The outcome of a card is chosen by the remainder of its number by 6. */
const outcomes = [
  'NoChange',
  'CardExpiryChanged',
  'PANChanged',
  'CloseAccount',
  'ContactCardAccountHolder',
  'Error',
] as const;
export type Outcome = (typeof outcomes)[number];

const numbered = (range: string, n: number): string => appendLuhnDigit(`${range}${String(n).padStart(9, '0')}`);
const oldNumber = (n: number) => numbered('401200', n);
const newNumber = (n: number) => numbered('401288', n);
const nOf = (number: string) => Number(number.slice(6, 15));
const outcomeOf = (n: number): Outcome => outcomes[n % outcomes.length]!;

/** The updater's answer for a card. */
export const updaterAnswer = (number: string): object => {
  const n = nOf(number);
  const result = outcomeOf(n);
  const expiry = { newExpiryMonth: '3', newExpiryYear: '2033' };
  if (result === 'CardExpiryChanged') return { result, ...expiry };
  return result === 'PANChanged' ? { result, newNumber: newNumber(n), ...expiry } : { result };
};

/** A check that was answered. */
export interface AnsweredCheck {
  readonly n: number;
  readonly reference: string;
  readonly pspReference: string;
  readonly result: string;
}

export interface Server {
  callers: string;
  child: ChildProcess;
}

export interface LoadTest {
  readonly servers: Server[];
  readonly checks: AnsweredCheck[];
  readonly kills: { count: number };
  start(): Promise<Server>;
  /** Kills a server at the point, or at once, and starts another one. */
  kill(index: number, point: Point | 'at once'): Promise<void>;
  /** Stores cards and checks them until `isOver`, each until it is answered. */
  load(isOver: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface LoadTestOptions {
  readonly defect?: SeededDefect;
  /** Only cards with this outcome. */
  readonly only?: Outcome;
}

/** Requests pass their points all the time; the end of a job is rarer. */
const timeLimitMs = (point: Point | 'at once'): number =>
  point === 'between an outcome and the end of its job' ? 10_000 : 1_500;

export const startLoadTest = async (
  { variables, credential }: Production,
  updaterVariables: Variables,
  size: number,
  { defect, only }: LoadTestOptions = {},
): Promise<LoadTest> => {
  const authorization = basic(credential.username, credential.secret);
  const env = environment({
    LOG_LEVEL: 'error',
    ...variables,
    ...updaterVariables,
    ...(defect && { [defectVariable]: defect }),
  });
  const start = async (): Promise<Server> => {
    const child = fork(program, [], { env, execArgv: ['--disable-warning=ExperimentalWarning'], stdio: 'ignore' });
    const gone = once(child, 'exit').then(([code]) => {
      throw new Error(`a server ended with ${code} before it was ready`);
    });
    const [ready] = (await Promise.race([once(child, 'message'), gone])) as [Ready];
    gone.catch(() => {});
    return { callers: ready.callers, child };
  };
  const servers = await Promise.all(Array.from({ length: size }, start));
  const checks: AnsweredCheck[] = [];
  const kills = { count: 0 };
  let isStopped = false;

  const kill = async (index: number, point: Point | 'at once'): Promise<void> => {
    const server = servers[index]!;
    const { child } = server;
    const exited = once(child, 'exit');
    if (point === 'at once') child.kill('SIGKILL');
    else child.send(point);
    // A process that does not reach the point dies elsewhere.
    const timer = setTimeout(() => child.kill('SIGKILL'), timeLimitMs(point));
    await exited;
    clearTimeout(timer);
    kills.count += 1;
    Object.assign(server, await start());
  };

  /** Repeats a request until it is answered: servers may die meanwhile. */
  const askUntilAnswered = async (operation: string, input: object): Promise<Readonly<Record<string, unknown>>> => {
    const key = { 'idempotency-key': randomUUID() };
    for (;;) {
      if (isStopped) throw new Error(`${operation} was never answered`);
      const { callers } = servers[random.below(servers.length)]!;
      const response = await ask(
        callers,
        operation,
        { merchantAccount: 'AcmeWeb', ...input },
        authorization,
        key,
      ).catch(() => undefined);
      if (response?.status === 200) return response.answer;
      if (response !== undefined && response.status !== 409 && response.status < 500)
        throw new Error(`${operation}: ${response.status} ${JSON.stringify(response.answer)}`);
      await wait(20 + random.below(50));
    }
  };

  let last = 0;
  const storeAndCheck = async (): Promise<void> => {
    do last += 1;
    while (only !== undefined && outcomeOf(last) !== only);
    const n = last;
    const shopperReference = `shopper-${n}`;
    const card = { number: oldNumber(n), expiryMonth: '3', expiryYear: '2029', holderName: 'Anna van Dijk' };
    const stored = await askUntilAnswered('storeToken', {
      card,
      shopperReference,
      recurring: { contract: 'RECURRING' },
    });
    const reference = String(stored.recurringDetailReference);
    const answer = await askUntilAnswered('scheduleAccountUpdater', {
      reference: `check-${n}`,
      shopperReference,
      selectedRecurringDetailReference: reference,
    });
    checks.push({ n, reference, pspReference: String(answer.pspReference), result: String(answer.result) });
  };

  return {
    servers,
    checks,
    kills,
    start,
    kill,
    async load(isOver) {
      const client = async () => {
        while (!isOver()) {
          await storeAndCheck();
          await wait(20);
        }
      };
      await Promise.all([client(), client(), client(), client()]);
    },
    async stop() {
      isStopped = true;
      for (const { child } of servers) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
    },
  };
};

/** Kills one server after the other, at random points. */
export const killServers = async (
  loadTest: LoadTest,
  times: number,
  ways: readonly (Point | 'at once')[],
): Promise<void> => {
  const first = random.below(ways.length);
  for (let time = 0; time < times; time++) {
    await wait(150 + random.below(250));
    await loadTest.kill(time % loadTest.servers.length, ways[(first + time) % ways.length]!);
  }
};

export const everyWay: readonly (Point | 'at once')[] = ['at once', ...points.slice(0, 4)];

const waiting = `select count(*) as jobs from job where kind in ('${updaterCheck}', '${batchWait}', '${batchResponse}', '${batchFile}')`;
/** Makes jobs due, so that the test does not wait for leases of dead processes. */
const makeDue = `update job set due_at = due_at - 60000 where kind in ('${updaterCheck}', '${batchWait}', '${batchFile}', '${batchCycle}')`;

/** Makes jobs due until no check waits; returns how many still do after `msMax`. */
export const waitForChecks = async (database: Database, msMax: number): Promise<number> => {
  const deadline = Date.now() + msMax;
  for (;;) {
    const [row] = await database.query(waiting);
    const left = Number(row?.jobs);
    if (left === 0 || Date.now() > deadline) return left;
    await database.query(makeDue);
    await wait(250);
  }
};

const hasHistory: ReadonlySet<Outcome> = new Set([
  'CardExpiryChanged',
  'PANChanged',
  'CloseAccount',
  'ContactCardAccountHolder',
]);

/** Compares the database with the checks; returns one line for each fault. */
export const checkOutcomes = async (
  database: Database,
  checks: readonly AnsweredCheck[],
  left: number,
): Promise<readonly string[]> => {
  const faults: string[] = left === 0 ? [] : [`${left} checks never end`];
  const changes = await database.query('select recurring_detail_reference, psp_reference, outcome from detail_change');
  const details = await database.query(
    "select recurring_detail_reference, public_data, disabled_at from stored_detail where merchant_account = 'AcmeWeb'",
  );
  const byReference = Map.groupBy(changes, (row) => String(row.recurring_detail_reference));
  const stored = new Map(details.map((row) => [String(row.recurring_detail_reference), row]));
  let expected = 0;
  for (const { n, reference, pspReference } of checks) {
    const outcome = outcomeOf(n);
    const history = (byReference.get(reference) ?? []).map((row) => `${row.psp_reference} ${row.outcome}`);
    const expectedHistory = hasHistory.has(outcome) ? [`${pspReference} ${outcome}`] : [];
    expected += expectedHistory.length;
    if (history.join() !== expectedHistory.join())
      faults.push(`${outcome}: the history is ${history.join()} instead of ${expectedHistory.join()}`);
    const row = stored.get(reference);
    const { card } = JSON.parse(String(row?.public_data));
    const number = outcome === 'PANChanged' ? newNumber(n) : oldNumber(n);
    const year = outcome === 'PANChanged' || outcome === 'CardExpiryChanged' ? '2033' : '2029';
    if (card.number !== number.slice(-4) || card.expiryYear !== year)
      faults.push(`${outcome}: the card is another one`);
    if ((row?.disabled_at !== null) !== (outcome === 'CloseAccount'))
      faults.push(`${outcome}: the detail has the wrong status`);
  }
  if (changes.length !== expected) faults.push(`${changes.length} changes instead of ${expected}`);
  return faults;
};

/** Checks of stored cards under way while the servers are killed; and the judge, who reads in the database what became of each. */

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
import type { Postgres } from '../support/postgres.ts';
import { ask, basic, type Production, type Variables } from '../support/server.ts';
import { type Forgetful, type Point, points, type Ready } from './crash-points.ts';

const program = new URL('./crashing-server.ts', import.meta.url).pathname;

/** Reads and writes beside the servers. */
export interface Database {
  ask(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export const sqliteOf = (file: string): Database => ({
  async ask(text) {
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
  ask: (text) => postgres.ask(text, [], url),
});

/** The card numbers of a fate differ from those of the others in their remainder by 6. */
const fates = [
  'NoChange',
  'CardExpiryChanged',
  'PANChanged',
  'CloseAccount',
  'ContactCardAccountHolder',
  'Error',
] as const;
export type FateName = (typeof fates)[number];

const numbered = (range: string, n: number): string => appendLuhnDigit(`${range}${String(n).padStart(9, '0')}`);
const oldNumber = (n: number) => numbered('401200', n);
const newNumber = (n: number) => numbered('401288', n);
const nOf = (number: string) => Number(number.slice(6, 15));
const fateOf = (n: number): FateName => fates[n % fates.length]!;

/** What an updater tells of such a card. */
export const answerAbout = (number: string): object => {
  const n = nOf(number);
  const result = fateOf(n);
  const expiry = { newExpiryMonth: '3', newExpiryYear: '2033' };
  if (result === 'CardExpiryChanged') return { result, ...expiry };
  return result === 'PANChanged' ? { result, newNumber: newNumber(n), ...expiry } : { result };
};

/** A check whose answer has arrived. */
export interface Asked {
  readonly n: number;
  readonly reference: string;
  readonly pspReference: string;
  readonly result: string;
}

export interface Server {
  callers: string;
  child: ChildProcess;
}

export interface Field {
  readonly servers: Server[];
  readonly asked: Asked[];
  readonly kills: { count: number };
  start(): Promise<Server>;
  /** Ends it as it is told, or at once; and starts another one in its place. */
  kill(at: number, point: Point | 'at once'): Promise<void>;
  /** Stores cards and has them checked until it is over, each until the answer is there. */
  load(isOver: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface FieldOptions {
  readonly how?: Forgetful;
  /** Cards of this fate and no other. */
  readonly only?: FateName;
}

/** Requests come all the time; the end of an outcome that is kept apart from it is worth waiting for. */
const patienceMs = (point: Point | 'at once'): number => (point === 'between an outcome and its end' ? 10_000 : 1_500);

export const openField = async (
  { variables, credential }: Production,
  also: Variables,
  size: number,
  { how, only }: FieldOptions = {},
): Promise<Field> => {
  const authorization = basic(credential.username, credential.secret);
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'error',
    ...variables,
    ...also,
    ...(how && { FORGETFUL: how }),
  };
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
  const asked: Asked[] = [];
  const kills = { count: 0 };
  let isStopped = false;

  const kill = async (at: number, point: Point | 'at once'): Promise<void> => {
    const server = servers[at]!;
    const { child } = server;
    const over = once(child, 'exit');
    if (point === 'at once') child.kill('SIGKILL');
    else child.send(point);
    // Where it does not pass there, it dies somewhere else.
    const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs(point));
    await over;
    clearTimeout(timer);
    kills.count += 1;
    Object.assign(server, await start());
  };

  /** Until it is answered: whoever was asked before may have died. */
  const surely = async (operation: string, input: object): Promise<Readonly<Record<string, unknown>>> => {
    const key = { 'idempotency-key': randomUUID() };
    for (;;) {
      if (isStopped) throw new Error(`${operation} was never answered`);
      const { callers } = servers[Math.floor(Math.random() * servers.length)]!;
      const heard = await ask(callers, operation, { merchantAccount: 'AcmeWeb', ...input }, authorization, key).catch(
        () => undefined,
      );
      if (heard?.status === 200) return heard.answer;
      if (heard !== undefined && heard.status !== 409 && heard.status < 500)
        throw new Error(`${operation}: ${heard.status} ${JSON.stringify(heard.answer)}`);
      await wait(20 + 50 * Math.random());
    }
  };

  let last = 0;
  const one = async (): Promise<void> => {
    do last += 1;
    while (only !== undefined && fateOf(last) !== only);
    const n = last;
    const shopperReference = `shopper-${n}`;
    const card = { number: oldNumber(n), expiryMonth: '3', expiryYear: '2029', holderName: 'Anna van Dijk' };
    const stored = await surely('storeToken', { card, shopperReference, recurring: { contract: 'RECURRING' } });
    const reference = String(stored.recurringDetailReference);
    const answer = await surely('scheduleAccountUpdater', {
      reference: `check-${n}`,
      shopperReference,
      selectedRecurringDetailReference: reference,
    });
    asked.push({ n, reference, pspReference: String(answer.pspReference), result: String(answer.result) });
  };

  return {
    servers,
    asked,
    kills,
    start,
    kill,
    async load(isOver) {
      const lane = async () => {
        while (!isOver()) {
          await one();
          await wait(20);
        }
      };
      await Promise.all([lane(), lane(), lane(), lane()]);
    },
    async stop() {
      isStopped = true;
      for (const { child } of servers) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const over = once(child, 'exit');
        child.kill('SIGTERM');
        await over;
      }
    },
  };
};

/** Kills one server after the other, in ways by chance. */
export const strike = async (field: Field, times: number, ways: readonly (Point | 'at once')[]): Promise<void> => {
  const first = Math.floor(Math.random() * ways.length);
  for (let time = 0; time < times; time++) {
    await wait(150 + 250 * Math.random());
    await field.kill(time % field.servers.length, ways[(first + time) % ways.length]!);
  }
};

export const everyWay: readonly (Point | 'at once')[] = ['at once', ...points.slice(0, 4)];

const waiting = `select count(*) as jobs from job where kind in ('${updaterCheck}', '${batchWait}', '${batchResponse}', '${batchFile}')`;
/** Nobody waits for a lease that a dead process has, nor for its turn. */
const pass = `update job set due_at = due_at - 60000 where kind in ('${updaterCheck}', '${batchWait}', '${batchFile}', '${batchCycle}')`;

/** As if much time went by, until no check waits; gives how many still do. */
export const untilSettled = async (database: Database, msMax: number): Promise<number> => {
  const deadline = Date.now() + msMax;
  for (;;) {
    const [row] = await database.ask(waiting);
    const left = Number(row?.jobs);
    if (left === 0 || Date.now() > deadline) return left;
    await database.ask(pass);
    await wait(250);
  }
};

const hasHistory: ReadonlySet<FateName> = new Set([
  'CardExpiryChanged',
  'PANChanged',
  'CloseAccount',
  'ContactCardAccountHolder',
]);

/** What is not as it must be, one line each. */
export const judge = async (database: Database, asked: readonly Asked[], left: number): Promise<readonly string[]> => {
  const faults: string[] = left === 0 ? [] : [`${left} checks never end`];
  const changes = await database.ask('select recurring_detail_reference, psp_reference, outcome from detail_change');
  const details = await database.ask(
    "select recurring_detail_reference, open_part, disabled_at from stored_detail where merchant_account = 'AcmeWeb'",
  );
  const byReference = Map.groupBy(changes, (row) => String(row.recurring_detail_reference));
  const stored = new Map(details.map((row) => [String(row.recurring_detail_reference), row]));
  let expected = 0;
  for (const { n, reference, pspReference } of asked) {
    const fate = fateOf(n);
    const history = (byReference.get(reference) ?? []).map((row) => `${row.psp_reference} ${row.outcome}`);
    const wanted = hasHistory.has(fate) ? [`${pspReference} ${fate}`] : [];
    expected += wanted.length;
    if (history.join() !== wanted.join()) faults.push(`${fate}: ${wanted.join()} was wanted, and is ${history.join()}`);
    const row = stored.get(reference);
    const { card } = JSON.parse(String(row?.open_part));
    const number = fate === 'PANChanged' ? newNumber(n) : oldNumber(n);
    const year = fate === 'PANChanged' || fate === 'CardExpiryChanged' ? '2033' : '2029';
    if (card.number !== number.slice(-4) || card.expiryYear !== year) faults.push(`${fate}: the card is another one`);
    if ((row?.disabled_at !== null) !== (fate === 'CloseAccount'))
      faults.push(`${fate}: the detail is not as it should`);
  }
  if (changes.length !== expected) faults.push(`${changes.length} changes where ${expected} were`);
  return faults;
};

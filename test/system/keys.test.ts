/** Tests key rotation under load: a new key, a killed and resumed rotation, and a key removed too early. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { killedWhen, spawnTriglyph, triglyph } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { ask, basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTraffic } from '../support/traffic.ts';
import { until } from '../support/until.ts';

/** More for a measurement: `ROTATION_ROWS=100000 npm run jest -- test/system/keys`. */
const rows = Number(process.env.ROTATION_ROWS ?? 2_000);
const accounts = 50;
/** The keys of the row MACs are sealed, too, and those of the audit log where another test has prepared the store. */
const otherRowsMax = 2;

const folder = tempFolder();
const rowsFile = join(folder.path, 'rows.jsonl');
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
  // Bank accounts, because listing them opens sealed data.
  const lines = Array.from({ length: rows }, (_, n) =>
    JSON.stringify({
      merchantAccount: 'AcmeWeb',
      shopperReference: `row-${n}`,
      recurringDetailReference: `DETAIL-${n}`,
      contracts: 'RECURRING',
      ...(n < accounts
        ? { bank: { iban: 'NL13TEST0123456789', ownerName: `Owner ${n}`, countryCode: 'NL' } }
        : { card: { number: '4111111111111111', expiryMonth: '03', expiryYear: '2031', holderName: 'Anna van Dijk' } }),
    }),
  );
  writeFileSync(rowsFile, `${lines.join('\n')}\n`);
});
afterAll(async () => {
  await postgres.discard();
  folder.discard();
});

interface Prepared extends Production {
  readonly folder: string;
  readonly file: string;
  readonly authorization: string;
  readonly url: string | undefined;
}

/** Creates a production setup with its own folder and keys. */
const prepare = async (name: string, url?: string): Promise<Prepared> => {
  const own = join(folder.path, name);
  mkdirSync(own);
  // The records of callers and the key of the audit log are sealed, too: they would be counted among the rows.
  const also = { CALLER_RECORDS: 'off', AUDIT: 'off', ...(url !== undefined && { DATABASE_URL: url }) };
  const production = await prepareProduction(own, also);
  const { username, secret } = production.credential;
  return {
    ...production,
    folder: own,
    file: production.variables.KEY_FILE!,
    authorization: basic(username, secret),
    url,
  };
};

const tried = (prepared: Prepared, ...parameters: readonly string[]) =>
  triglyph(parameters, prepared.folder, prepared.variables);

/** Returns the standard output; throws where the exit code is not 0. */
const run = async (prepared: Prepared, ...parameters: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await tried(prepared, ...parameters);
  if (code !== 0) throw new Error(`triglyph ${parameters.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
};

/** Ends what a failed test leaves running. */
const left: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of left.splice(0)) await end();
});

const serving = async (prepared: Prepared): Promise<Server> => {
  const server = await startServer('serve', prepared.folder, prepared.variables);
  left.push(server.stop);
  return server;
};

const currentId = (file: string): string => /^(k-\w+):/m.exec(readFileSync(file, 'utf8'))![1]!;

/** Counts the rows of each key in the database. */
const counts = async ({ url, variables }: Prepared): Promise<Readonly<Record<string, number>>> => {
  const text = 'select key_id, count(*) as many from stored_detail group by key_id';
  const found = ((): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    if (url !== undefined) return postgres.ask(text, [], url);
    const database = new DatabaseSync(join(variables.DATA_DIR!, 'triglyph.db'), { readOnly: true });
    const all = database.prepare(text).all() as Readonly<Record<string, unknown>>[];
    database.close();
    return Promise.resolve(all);
  })();
  return Object.fromEntries((await found).map(({ key_id, many }) => [String(key_id), Number(many)]));
};

const withoutKey = (file: string, id: string): void =>
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith(id))
      .join('\n'),
  );

const list = ({ callers }: Server, { authorization }: Prepared, shopperReference: string) =>
  ask(callers, 'listRecurringDetails', { merchantAccount: 'AcmeWeb', shopperReference }, authorization);

/** Two on PostgreSQL; the embedded store has one. */
const startAll = (prepared: Prepared): Promise<Server[]> =>
  Promise.all((prepared.url === undefined ? [0] : [0, 1]).map(() => serving(prepared)));

const rotates = async (prepared: Prepared): Promise<void> => {
  const { authorization, file } = prepared;
  const old = currentId(file);
  await run(prepared, 'import', rowsFile);
  // The servers first seal with the old key and can open both; then they seal with the new key.
  const fresh = /(k-\w+) is on standby/.exec(await run(prepared, 'keys', 'add', '--standby', file))![1]!;
  const early = await startAll(prepared);
  const counted = await run(prepared, 'keys', 'status');
  const otherRows = Number(new RegExp(`^${old} +(\\d+) rows {2}current$`, 'm').exec(counted)![1]) - rows;
  expect([1, otherRowsMax]).toContain(otherRows);
  await run(prepared, 'keys', 'use', file, fresh);
  for (const server of early) expect(await server.stop()).toBe(0);
  const servers = await startAll(prepared);

  const traffic = servers.map(({ callers }) =>
    startTraffic({ origin: callers, authorization, merchantAccount: 'AcmeWeb', callers: 4, pauseMs: 50 }),
  );
  left.unshift(...traffic.map((each) => each.stop));
  const right = () => traffic.reduce((sum, each) => sum + each.right(), 0);
  const watched: number[] = [];
  let watching = true;
  left.unshift(async () => {
    watching = false;
  });
  const watch = (async () => {
    for (let n = 0; watching; n = (n + 1) % accounts) {
      const { status, answer } = await list(servers[n % servers.length]!, prepared, `row-${n}`);
      expect(answer).toMatchObject({ details: [{ RecurringDetail: { bank: { ownerName: `Owner ${n}` } } }] });
      watched.push(status);
      await wait(20);
    }
  })();
  await until('traffic', () => right() > 20);

  const killed = await killedWhen(
    ['keys', 'rotate'],
    prepared.folder,
    prepared.variables,
    async () => ((await counts(prepared))[old] ?? 0) < rows - 100,
  );
  expect(killed.code).toBeNull();
  const { [old]: remaining = 0 } = await counts(prepared);
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThan(rows);

  const rotate = () => spawnTriglyph(['keys', 'rotate'], prepared.folder, prepared.variables);
  const startedAt = performance.now();
  const before = right();
  const both = await Promise.all([rotate(), rotate()]);
  const seconds = (performance.now() - startedAt) / 1000;
  const during = right() - before;
  await until('traffic', () => right() > before + during + 20);
  watching = false;
  await Promise.all([watch, ...traffic.map((each) => each.stop())]);
  expect(traffic.flatMap(({ failures }) => failures)).toEqual([]);
  expect(watched.filter((status) => status !== 200)).toEqual([]);
  for (const { code, stdout } of both) {
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${old} +0 rows {2}unused: `, 'm'));
  }
  const moved = both.map(({ stdout }) => Number(/^(\d+) rows were moved/m.exec(stdout)![1]));
  // The rows of the engine come first: the killed rotation has moved them.
  expect(moved[0]! + moved[1]!).toBe(remaining);
  const { [fresh]: all, ...others } = await counts(prepared);
  expect(others).toEqual({});
  expect(all).toBeGreaterThan(rows);
  if (process.env.ROTATION_ROWS !== undefined)
    process.stderr.write(`${remaining} rows in ${seconds.toFixed(1)} s, ${during} requests meanwhile\n`);

  // The old key is no longer needed: every row opens without it.
  for (const server of servers) expect(await server.stop()).toBe(0);
  withoutKey(file, old);
  const [server, ...more] = await startAll(prepared);
  for (let n = 0; n < accounts; n += 1) expect((await list(server!, prepared, `row-${n}`)).status).toBe(200);
  for (const each of [server!, ...more]) expect(await each.stop()).toBe(0);
};

describe('a rotation under load, killed in the middle, then two at once', () => {
  test('on the embedded store', async () => rotates(await prepare('embedded')));
  test('on PostgreSQL, with two servers', async () =>
    rotates(await prepare('postgres', await postgres.createMigratedDatabase())));
});

describe('a key removed too early', () => {
  test('rows sealed with it answer 503, other rows are served', async () => {
    const prepared = await prepare('early');
    const { authorization, file } = prepared;
    const store = async (shopperReference: string) => {
      const bank = { iban: 'NL13TEST0123456789', ownerName: 'Anna', countryCode: 'NL' };
      const input = { merchantAccount: 'AcmeWeb', shopperReference, recurring: { contract: 'RECURRING' }, bank };
      const server = await serving(prepared);
      expect((await ask(server.callers, 'storeToken', input, authorization)).status).toBe(200);
      expect(await server.stop()).toBe(0);
    };
    const first = currentId(file);
    await store('under the first');
    await run(prepared, 'keys', 'add', file);
    const second = currentId(file);
    await store('under the second');
    withoutKey(file, second);
    const server = await serving(prepared);
    try {
      for (let times = 0; times < 3; times += 1) {
        const refused = await list(server, prepared, 'under the second');
        expect(refused).toMatchObject({ status: 503, answer: { errorCode: '703' } });
        expect(JSON.stringify(refused.answer)).not.toMatch(/iban|NL13|k-/);
        expect(await list(server, prepared, 'under the first')).toMatchObject({
          status: 200,
          answer: { details: [{ RecurringDetail: { bank: { iban: 'NL13TEST0123456789' } } }] },
        });
      }
    } finally {
      expect(await server.stop()).toBe(0);
    }
    const status = await tried(prepared, 'keys', 'status');
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(
      new RegExp(`^${first}  [23] rows  current\n${second}  1 rows  not in the key file: add its line again\n$`),
    );
    const rotated = await tried(prepared, 'keys', 'rotate');
    expect(rotated.code).toBe(1);
    expect(await counts(prepared)).toEqual({ [first]: 1, [second]: 1 });
  });
});

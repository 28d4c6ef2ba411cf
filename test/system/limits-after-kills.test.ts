/** Tests quotas and locks of servers without Redis: they outlive killed servers, and servers on one database share them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from '@jest/globals';
import { isLuhnValid } from '../../src/core/contract/check-digits.ts';
import { triglyph, type Variables } from '../support/commands.ts';
import { startPostgres } from '../support/postgres.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { createTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const limits = { LOGIN_FAILURES_MAX: '6', SIMILAR_CARDS_PER_DAY_MAX: '6', LOG_LEVEL: 'warn' };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Site {
  readonly production: Production;
  readonly dataDir: string;
  /** API keys of one company that may look up cards. */
  readonly keys: readonly string[];
  start(): Promise<Server>;
}

const openSite = async (also: Variables = {}): Promise<Site> => {
  const folder = createTempFolder();
  ends.push(() => rmSync(folder, { recursive: true }));
  const production = await prepareProduction(folder, { ...limits, ...also });
  const add = async (): Promise<string> => {
    const parameters = ['credential', 'add', 'Acme', '--account', 'AcmeWeb', '--kind', 'apiKey', '--json'];
    const roles = ['--role', 'recurring', '--role', 'recurring:lookup'];
    const { stdout, stderr } = await triglyph([...parameters, ...roles], folder, production.variables);
    expect(stderr).toBe('');
    return JSON.parse(stdout).secret;
  };
  return {
    production,
    dataDir: production.variables.DATA_DIR!,
    keys: [await add(), await add()],
    async start() {
      const server = await startServer('serve', folder, production.variables);
      ends.push(() => server.kill());
      return server;
    },
  };
};

const statusOf = async ({ callers }: Server, operation: string, input: object, headers: Variables): Promise<number> => {
  const response = await fetch(`${callers}/pal/servlet/Recurring/v68/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ merchantAccount: 'AcmeWeb', ...input }),
  });
  await response.text();
  return response.status;
};

const logIn = (server: Server, username: string, secret: string) =>
  statusOf(server, 'listRecurringDetails', { shopperReference: 'a' }, { Authorization: basic(username, secret) });

/** Valid numbers with the same first six and last four digits. */
const similarCards = Array.from({ length: 600 }, (_, at) => `411111${100_000 + at}1111`)
  .filter((number) => isLuhnValid(number))
  .map((number) => ({ number, expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' }));

/** What a restart forgot while counts were in memory only. */
const forget = ({ dataDir }: Site): void => {
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'));
  database.exec('delete from limit_count');
  database.close();
};

/** Each attempt by a server of its own, which is killed as soon as it has answered. */
const attack = async (
  site: Site,
  attempts: readonly ((server: Server) => Promise<number>)[],
  whileDown: () => void = () => {},
): Promise<readonly number[]> => {
  const statuses: number[] = [];
  for (const attempt of attempts) {
    const server = await site.start();
    statuses.push(await attempt(server));
    await server.kill();
    whileDown();
  }
  return statuses;
};

describe('servers that are killed', () => {
  const guesses = ({ production: { credential } }: Site) => {
    const { username, secret } = credential;
    const guess = (from: number) => async (server: Server) => {
      const statuses = new Set<number>();
      for (let at = 0; at < 3; at += 1) statuses.add(await logIn(server, username, `guess ${from + at}`));
      expect([...statuses]).toEqual([401]);
      return 401;
    };
    return [guess(0), guess(3), (server: Server) => logIn(server, username, secret)];
  };

  const lookups = ({ keys }: Site) => {
    const cards = similarCards.values();
    const look = async (server: Server): Promise<number> => {
      const statuses: number[] = [];
      for (const key of [...keys, ...keys])
        statuses.push(await statusOf(server, 'tokenLookup', { card: cards.next().value }, { 'X-API-Key': key }));
      return statuses.filter((status) => status === 200).length;
    };
    return [look, look, look];
  };

  test('forget no wrong secret and no lock', async () => {
    const site = await openSite();
    expect(await attack(site, guesses(site))).toEqual([401, 401, 429]);
  });

  test('control: without the stored counts the right secret follows', async () => {
    const site = await openSite();
    expect(await attack(site, guesses(site), () => forget(site))).toEqual([401, 401, 200]);
  });

  test('forget no card that was looked up, whichever credential of the company asks', async () => {
    const site = await openSite();
    expect(await attack(site, lookups(site))).toEqual([4, 2, 0]);
  });

  test('control: without the stored counts the search goes on', async () => {
    const site = await openSite();
    expect(await attack(site, lookups(site), () => forget(site))).toEqual([4, 4, 4]);
  });

  test('forget at most one stored card each time', async () => {
    const site = await openSite();
    const cards = similarCards.values();
    const storeThree = async (server: Server): Promise<number> => {
      let stored = 0;
      for (let at = 0; at < 3; at += 1) {
        const card = cards.next().value;
        const input = { shopperReference: `shopper-${card?.number}`, card, recurring: { contract: 'RECURRING' } };
        if ((await statusOf(server, 'storeToken', input, { 'X-API-Key': site.keys[at % 2]! })) === 200) stored += 1;
      }
      return stored;
    };
    const stored = await attack(site, [storeThree, storeThree, storeThree, storeThree]);
    expect(stored[0]).toBe(3);
    expect(stored.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(6 + 3);
    expect(stored.at(-1)).toBe(0);
  });
});

test('servers on one database without Redis count together', async () => {
  const postgres = await startPostgres();
  ends.push(() => postgres.discard());
  const site = await openSite({ DATABASE_URL: await postgres.createMigratedDatabase() });
  const { username, secret } = site.production.credential;
  const [one, other] = [await site.start(), await site.start()];
  for (let at = 0; at < 3; at += 1)
    for (const server of [one, other]) expect(await logIn(server, username, `guess ${at} ${server.pid}`)).toBe(401);
  // The secret that is repeated counts once. The last event was at the other server.
  await until('the first server to know', async () => (await logIn(one, username, `guess 0 ${one.pid}`)) === 429);
  for (const server of [one, other]) expect(await logIn(server, username, secret)).toBe(429);
});

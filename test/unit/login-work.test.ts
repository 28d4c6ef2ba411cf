/** Tests that refused log-ins cost the same work, whatever the reason: otherwise their time tells which names exist. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import { createCredentials } from '../../src/access/credentials/credentials.ts';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import { type Engine, type Session, statement } from '../../src/stores/sql/engine.ts';
import { openMigratedSqlite, type TestDatabase } from '../support/databases.ts';
import { createRegistry } from '../support/services.ts';

const work = { hashes: 0, comparisons: 0, reads: 0, rows: 0 };
const { createHmac, timingSafeEqual } = crypto;
crypto.createHmac = (...parameters: Parameters<typeof createHmac>) => {
  work.hashes += 1;
  return createHmac(...parameters);
};
crypto.timingSafeEqual = (...parameters: Parameters<typeof timingSafeEqual>) => {
  work.comparisons += 1;
  return timingSafeEqual(...parameters);
};
// Modules that import the two by name see the change.
syncBuiltinESMExports();
afterAll(() => {
  Object.assign(crypto, { createHmac, timingSafeEqual });
  syncBuiltinESMExports();
});

/** Counts reads and what they return. */
function counted(engine: Engine): Engine {
  return {
    ...engine,
    read: (work_) =>
      engine.read((session) => {
        work.reads += 1;
        const query: Session['query'] = async (...parameters) => {
          const rows = await session.query(...parameters);
          work.rows += rows.length;
          return rows;
        };
        return work_({ ...session, execute: session.execute.bind(session), query });
      }),
  };
}

const now = 1_700_000_000_000;
const clock = { now: () => now };
const pepper = crypto.createSecretKey(Buffer.alloc(32, 1));
const names = ['known', 'revoked', 'expired', 'bound', 'certified'] as const;
let database: TestDatabase;
let credentials: ReturnType<typeof createCredentials>;
let basic: Readonly<Record<string, string>>;
let keys: Readonly<Record<'known' | 'expired', string>>;

beforeAll(async () => {
  database = await openMigratedSqlite();
  const integrity = new RowIntegrity();
  integrity.use({ inner: '1'.repeat(64), outer: '2'.repeat(64) });
  const past = { now: () => now - 1_000 };
  const registry = createRegistry(database.engine, pepper, past, undefined, undefined, integrity);
  await registry.addMerchantAccount('Acme', 'AcmeWeb');
  const wanted = { tenant: 'Acme', roles: ['recurring'], grants: { merchantAccount: ['AcmeWeb'] } } as const;
  const bounds: Readonly<Record<string, object>> = {
    expired: { expiresAt: now },
    bound: { networks: ['192.0.2.0/24'] },
    certified: { certificates: ['a'.repeat(64)] },
  };
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const username = `${name}@Company.Acme`;
    const { id, secret } = await registry.addCredential({ ...wanted, kind: 'basic', username, ...bounds[name] });
    secrets[name] = secret;
    if (name === 'revoked') await registry.revokeCredential(id);
  }
  basic = secrets;
  const known = await registry.addCredential({ ...wanted, kind: 'apiKey' });
  const expired = await registry.addCredential({ ...wanted, kind: 'apiKey', expiresAt: now });
  keys = { known: known.secret, expired: expired.secret };
  credentials = createCredentials(counted(database.engine), pepper, clock, () => {}, undefined, integrity);
});
afterAll(() => database.close());

const wrong = 'x'.repeat(32);
const basicHeaders = (name: string, secret: string) => ({
  authorization: `Basic ${btoa(`${name}@Company.Acme:${secret}`)}`,
});

/** The work of a log-in whose name was not read before, and of the next one with the same. */
async function workOf(headers: Readonly<Record<string, string>>, isAccepted = false) {
  const { authenticate } = createAuthenticator(credentials);
  const origin = { headers, sender: { address: '198.51.100.7' } } as unknown as Parameters<typeof authenticate>[0];
  credentials.forget?.();
  const counts: (typeof work)[] = [];
  for (const _ of ['cold', 'warm']) {
    Object.assign(work, { hashes: 0, comparisons: 0, reads: 0, rows: 0 });
    const accepted = await authenticate(origin).then(
      () => true,
      () => false,
    );
    expect(accepted).toBe(isAccepted);
    counts.push({ ...work });
  }
  return counts;
}

const refused = [
  { hashes: 2, comparisons: 2, reads: 1, rows: 1 },
  { hashes: 2, comparisons: 2, reads: 0, rows: 0 },
];

test.each([
  ['an unknown name before all others', 'aaa', () => wrong],
  ['an unknown name between others', 'lost', () => wrong],
  ['an unknown name after all others', 'zzz', () => wrong],
  ['a wrong secret', 'known', () => wrong],
  ['a revoked name', 'revoked', () => basic.revoked!],
  ['an expired name with its secret', 'expired', () => basic.expired!],
  ['an expired name', 'expired', () => wrong],
  ['a name of other networks with its secret', 'bound', () => basic.bound!],
  ['a name of other networks', 'bound', () => wrong],
  ['a name that needs a certificate, with its secret', 'certified', () => basic.certified!],
  ['a name that needs a certificate', 'certified', () => wrong],
])('%s costs what every refused name costs', async (_, name, secretOf) => {
  expect(await workOf(basicHeaders(name, secretOf()))).toEqual(refused);
});

test.each([
  ['an unknown API key', () => wrong],
  ['one that begins as a known one', () => `${keys.known.slice(0, -1)}${keys.known.endsWith('x') ? 'y' : 'x'}`],
  ['an expired one', () => keys.expired],
])('%s costs what every refused API key costs', async (_, keyOf) => {
  // One more hash looks the key up.
  const expected = refused.map((each) => ({ ...each, hashes: each.hashes + 1 }));
  expect(await workOf({ 'x-api-key': keyOf() })).toEqual(expected);
});

test('an unknown name next to a credential that was altered is refused as any other', async () => {
  const alter = statement('test-alter', `update credential set roles = '[]' where username = 'known@Company.Acme'`);
  const restore = statement(
    'test-restore',
    `update credential set roles = '["recurring"]' where username = 'known@Company.Acme'`,
  );
  await database.engine.write((session) => session.execute(alter, []));
  expect(await workOf(basicHeaders('knowm', wrong))).toEqual(refused);
  await database.engine.write((session) => session.execute(restore, []));
});

test('a name with two secrets costs one row more, and no other work', async () => {
  const registry = createRegistry(database.engine, pepper, clock);
  const other = createCredentials(counted(database.engine), pepper, clock);
  const listed = await registry.listCredentials();
  const { id } = listed.find(({ username }) => username === 'known@Company.Acme')!;
  await registry.rotateCredential(id, { graceMs: 1_000 });
  credentials = other;
  const [cold, warm] = await workOf(basicHeaders('known', wrong));
  expect([cold, warm]).toEqual([{ ...refused[0], rows: 2 }, refused[1]]);
});

test('control: an accepted secret is not compared again, which the counts show', async () => {
  const [cold, warm] = await workOf(basicHeaders('known', basic.known!), true);
  expect([cold?.hashes, warm]).toEqual([2, { hashes: 0, comparisons: 0, reads: 0, rows: 0 }]);
});

/** Tests that a code is accepted once and that refusals take the same time; seeded defects show that both tests can fail. */
import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { type AuditedWrite, writeUnaudited } from '../../src/access/audit/audited-write.ts';
import type { Credentials } from '../../src/access/credentials/credentials.ts';
import { createSecondFactors, withSecondFactor } from '../../src/access/credentials/second-factor.ts';
import type { Caller } from '../../src/core/contract/canonical.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { statement } from '../../src/stores/sql/engine.ts';
import { openMigratedSqlite, type TestDatabase } from '../support/databases.ts';
import { now, ring } from '../support/fixture.ts';
import { createRegistry } from '../support/services.ts';

const clock = { now: () => now };
const readAll = statement('test-read-second-factors', 'select * from second_factor');
let database: TestDatabase;
let caller: Caller;
beforeAll(async () => {
  database = await openMigratedSqlite();
  const registry = createRegistry(database.engine, createSecretKey(Buffer.alloc(32, 1)), clock);
  const person = {
    tenant: 'Acme',
    kind: 'basic',
    username: 'anna@Company.Acme',
    roles: ['console'],
    grants: {},
  } as const;
  const { id } = await registry.addCredential(person);
  caller = { credential: id, tenant: 'Acme', roles: new Set(['console']), grants: new Map(), requiresKey: false };
});
afterAll(() => database.close());

function openFactors(write: AuditedWrite = writeUnaudited(database.engine)) {
  return createSecondFactors({ engine: database.engine, vault: createVault(ring), clock, write });
}

/** The defect: a log-in does not save that its code was used. */
const forgetful: AuditedWrite = (work) =>
  writeUnaudited(database.engine)((session, record) => {
    const execute: typeof session.execute = async (statement, values) =>
      statement.name === 'change-second-factor' ? 1 : session.execute(statement, values);
    return work({ query: session.query.bind(session), execute }, record);
  });

const codeAt = (key: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp });

/** The codes that are accepted a second time. */
async function findReplays(write?: AuditedWrite): Promise<readonly string[]> {
  const { key, recoveryCodes } = await openFactors().set(caller.credential);
  const factors = openFactors(write);
  const found: string[] = [];
  for (const [kind, code] of Object.entries({ app: codeAt(key, now), recovery: recoveryCodes[0]! })) {
    const use = () => factors.use(caller.tenant, caller.credential, code, now);
    expect(await use()).toBe('accepted');
    if ((await use()) === 'accepted') found.push(kind);
  }
  return found;
}

test('no code is accepted twice', async () => {
  expect(await findReplays()).toEqual([]);
});

test('control: codes of a store that forgets their use are found', async () => {
  expect(await findReplays(forgetful)).toEqual(['app', 'recovery']);
});

test('a code of another credential, an earlier step and a later one than the next are refused', async () => {
  const factors = openFactors();
  const { key } = await factors.set(caller.credential);
  const use = (code: string) => factors.use(caller.tenant, caller.credential, code, now);
  const other = new Secret({ size: 20 }).base32;
  expect(await use(codeAt(other, now))).toBe('refused');
  expect(await use(codeAt(key, now - 60_000))).toBe('refused');
  expect(await use(codeAt(key, now + 60_000))).toBe('refused');
  expect(await use(codeAt(key, now + 30_000))).toBe('accepted');
  // Its step is over: an observer of an earlier code cannot use it.
  expect(await use(codeAt(key, now))).toBe('refused');
});

test('the store has neither the key nor a recovery code in the clear', async () => {
  const { key, recoveryCodes } = await openFactors().set(caller.credential);
  const rows = JSON.stringify(await database.engine.read((session) => session.query(readAll, [])));
  expect(rows).toContain(caller.credential);
  for (const each of [key, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
    expect(rows).not.toContain(each);
});

/** How long refusals take at least: of a wrong password, and of a wrong code. */
async function measureRefusals(refusalMs: number): Promise<Readonly<Record<'secret' | 'code', number>>> {
  const credentials: Credentials = {
    verify: async ({ secret }) => (secret === 'right' ? { caller } : { refusal: 'wrongSecret' }),
  };
  // Comparing a code takes 60 ms here, so that the difference can be measured.
  const use = () => new Promise<'refused'>((resolve) => setTimeout(() => resolve('refused'), 60));
  const verifier = withSecondFactor(credentials, { factors: { use }, clock, refusalMs });
  const measure = async (secret: string): Promise<number> => {
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const startedAt = performance.now();
      expect((await verifier.verify({ kind: 'basic', username: 'anna', secret })).caller).toBeUndefined();
      times.push(performance.now() - startedAt);
    }
    return Math.min(...times);
  };
  return { secret: await measure('wrong'), code: await measure('right') };
}

test('a refusal takes the same time for a wrong password and for a wrong code', async () => {
  const { secret, code } = await measureRefusals(200);
  expect(secret).toBeGreaterThan(195);
  expect(code).toBeGreaterThan(195);
  expect(Math.abs(secret - code)).toBeLessThan(40);
});

test('control: without that time a wrong code is told from a wrong password', async () => {
  const { secret, code } = await measureRefusals(0);
  expect(code - secret).toBeGreaterThan(40);
});

/** Measures whether the time of a refused log-in tells why: pairs of log-ins in one process, in random order, with a paired t-test. */
import { createSecretKey, randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAuthenticator } from '../src/access/authenticate.ts';
import { createCredentials } from '../src/access/credentials/credentials.ts';
import { createLimits } from '../src/access/limits/limits.ts';
import { LoginLimits } from '../src/access/limits/login-limits.ts';
import { createLoginGuard } from '../src/access/login-guard.ts';
import type { RequestOrigin } from '../src/core/gateway/authentication.ts';
import { RowIntegrity } from '../src/stores/row-integrity.ts';
import { openSqlite } from '../src/stores/sqlite/open.ts';
import { migrate } from '../test/support/migrated.ts';
import { createRegistry } from '../test/support/services.ts';
import { describeMachine } from './machine.ts';
import { median, table } from './results.ts';
import { printReport, sectionOptions } from './section.ts';

const { values: options } = parseArgs({
  options: {
    /** Log-ins of each kind. */
    pairs: { type: 'string', default: '20000' },
    ...sectionOptions,
  },
});

const pairs = options.quick ? 2_000 : Number(options.pairs);
/** Far less than an answer varies in any network. The locks leave an attacker a hundred tries in half an hour. */
const differenceUsMax = 3;
const hour = 3_600_000;

const clock = { now: () => Date.now() };
const folder = mkdtempSync(join(tmpdir(), 'triglyph-logins-'));
const engine = openSqlite({ dataDir: folder, exclusive: true });
await migrate(engine);
const pepper = createSecretKey(randomBytes(32));
const integrity = new RowIntegrity();
integrity.use({ inner: randomBytes(32).toString('hex'), outer: randomBytes(32).toString('hex') });
const registry = createRegistry(engine, pepper, clock, undefined, undefined, integrity);
await registry.addMerchantAccount('Acme', 'AcmeWeb');

const wanted = { tenant: 'Acme', roles: ['recurring'], grants: { merchantAccount: ['AcmeWeb'] } } as const;
const basic = (name: string, also: object = {}) =>
  registry.addCredential({ ...wanted, kind: 'basic', username: `${name}@Company.Acme`, ...also } as never);

await basic('known0');
await basic('known1');
const revoked = await basic('known2');
await registry.revokeCredential(revoked.id);
const soon = Date.now() + 500;
const expired = await basic('known3', { expiresAt: soon });
const bound = await basic('known4', { networks: ['192.0.2.0/24', '2001:db8::/32'] });
const certified = await basic('known5', { certificates: ['a'.repeat(64)] });
const rotated = await basic('known6');
await registry.rotateCredential(rotated.id, { graceMs: hour });
const locked = await basic('known7');
const key = await registry.addCredential({ ...wanted, kind: 'apiKey' });
const expiredKey = await registry.addCredential({ ...wanted, kind: 'apiKey', expiresAt: soon } as never);
while (Date.now() <= soon) await new Promise((resolve) => setTimeout(resolve, 50));

const limits = createLimits(clock, (text) => text);
const guard = createLoginGuard(
  new LoginLimits(
    { loginFailuresMax: 1_000, loginFailuresPerAddressMax: 0, loginFailuresPerNameMax: 0, loginLockMs: hour },
    limits,
  ),
  () => {},
);
const credentials = createCredentials(engine, pepper, clock, () => {}, undefined, integrity);
const { authenticate } = createAuthenticator(credentials, guard);

/** Few enough that none locks a name, and that all were counted when the measurement begins. */
const wrongSecrets = Array.from({ length: 100 }, () => randomBytes(24).toString('base64url'));
const sender = { address: '198.51.100.7' } as RequestOrigin['sender'];

type LogIn = () => RequestOrigin;
const withBasic = (username: string, secret: () => string): LogIn => {
  return () => ({ headers: { authorization: `Basic ${btoa(`${username}:${secret()}`)}` }, sender }) as RequestOrigin;
};
const withKey = (secret: () => string): LogIn => {
  return () => ({ headers: { 'x-api-key': secret() }, sender }) as RequestOrigin;
};
const wrong = () => wrongSecrets[randomInt(wrongSecrets.length)]!;
const oneWrong = wrong();
const alike = wrongSecrets.map((secret) => Buffer.from(key.secret.slice(0, 20) + secret.slice(20)).toString());
const wrongFor = (name: string) => withBasic(`${name}@Company.Acme`, wrong);
const rightOf = ({ username, secret }: { username?: string | undefined; secret: string }) =>
  withBasic(username!, () => secret);

for (const username of [locked.username!, 'nobody7@Company.Acme'])
  for (let at = 0; at < 1_001; at += 1)
    await authenticate(withBasic(username, () => randomBytes(24).toString('base64url'))()).catch(() => {});

/** Two kinds of refused log-ins whose times must be the same. */
const sameWrong = withBasic('nobody@Company.Acme', () => oneWrong);
const compared: readonly (readonly [string, LogIn, LogIn])[] = [
  ['control: two known names, wrong secret', wrongFor('known0'), wrongFor('known1')],
  ['an unknown name', wrongFor('known0'), wrongFor('nobody')],
  ['a revoked name', wrongFor('nobody'), wrongFor('known2')],
  ['an expired name, wrong secret', wrongFor('nobody'), wrongFor('known3')],
  ['an expired name, right secret', sameWrong, rightOf(expired)],
  ['a name of other networks, wrong secret', wrongFor('nobody'), wrongFor('known4')],
  ['a name of other networks, right secret', sameWrong, rightOf(bound)],
  ['a name with a certificate, wrong secret', wrongFor('nobody'), wrongFor('known5')],
  ['a name with a certificate, right secret', sameWrong, rightOf(certified)],
  ['a name with two secrets', wrongFor('nobody'), wrongFor('known6')],
  ['a known name that is locked', wrongFor('nobody7'), wrongFor('known7')],
  ['an API key that begins as a known one', withKey(wrong), withKey(() => alike[randomInt(alike.length)]!)],
  ['an expired API key', withKey(() => oneWrong), withKey(() => expiredKey.secret)],
];

/** Microseconds. */
async function timeOf(request: RequestOrigin, isCold: boolean): Promise<number> {
  if (isCold) credentials.forget?.();
  const startedAt = process.hrtime.bigint();
  try {
    await authenticate(request);
  } catch {
    return Number(process.hrtime.bigint() - startedAt) / 1_000;
  }
  throw new Error('a log-in that must be refused was accepted');
}

/** The times of both, each pair in random order. */
async function measure(first: LogIn, second: LogIn, isCold: boolean): Promise<readonly [number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let at = -1_000; at < pairs; at += 1) {
    const order = randomInt(2);
    for (const which of [order, 1 - order]) {
      const us = await timeOf([first, second][which]!(), isCold);
      // The first ones warm up.
      if (at >= 0) times[which]!.push(us);
    }
    // The event loop goes on, and with it the timers of the caches.
    if (at % 100 === 0) await new Promise(setImmediate);
  }
  return times;
}

/** Leaves out the slowest tenth of each kind: other programs on the machine cause it. */
function tOf(one: readonly number[], two: readonly number[]): number {
  const limit = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.9)]!;
  const [oneMax, twoMax] = [limit(one), limit(two)];
  const differences = one.flatMap((us, at) => (us < oneMax && two[at]! < twoMax ? [two[at]! - us] : []));
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (differences.length - 1);
  return mean / Math.sqrt(variance / differences.length);
}

const lines: (readonly string[])[] = [];
for (const [name, first, second] of compared)
  for (const isCold of [false, true]) {
    const [one, two] = await measure(first, second, isCold);
    const difference = median(two) - median(one);
    const isMet = Math.abs(difference) <= differenceUsMax;
    if (!isMet) process.exitCode = 1;
    lines.push([
      ...[name, median(one).toFixed(1), isCold ? 'cold' : 'warm', difference.toFixed(2)],
      ...[tOf(one, two).toFixed(1), isMet ? 'yes' : 'NO'],
    ]);
  }
await engine.close();
rmSync(folder, { recursive: true });
const head = `${pairs} pairs each, in random order, in one process with the embedded store. ${describeMachine('no pinning')}`;
const heads = ['log-in', 'against, us', 'cache', 'difference of medians, us', 't', `at most ${differenceUsMax} us`];
printReport('logins', { text: [head, table(heads, lines)], findings: [] }, options.write);

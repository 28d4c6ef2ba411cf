/** Tests that /readyz proves writing: a full disk and a standby still read, and must not get requests. */
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { startPostgres } from '../support/postgres.ts';
import { ask, basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { mayMount, mountSmallDisk } from '../support/small-disk.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

interface Readiness {
  readonly ready: boolean;
  readonly probes: Readonly<Record<string, string>>;
}

let server: Server;
afterEach(() => server.kill());

const readiness = async ({ admin }: Server): Promise<Readiness> =>
  (await (await fetch(`${admin}/readyz`)).json()) as Readiness;

/** What the probe asked before it wrote: with this alone, the server would be ready. */
const readsOnly = { ready: false, probes: { store: 'ok', writes: 'StoreUnavailable', vault: 'ok' } };

const testMounting = mayMount ? test : test.skip;

testMounting('with a full disk the server reads and is not ready; it is ready again when there is space', async () => {
  const disk = mountSmallDisk(join(folder.path, 'disk'), 4_096);
  try {
    const { variables, credential } = await prepareProduction(folder.path, { DATA_DIR: join(disk.path, 'data') });
    server = await startServer('serve', folder.path, variables);
    const authorization = basic(credential.username, credential.secret);
    const listed = { merchantAccount: 'AcmeWeb', shopperReference: 'unknown-shopper' };
    expect(await readiness(server)).toMatchObject({ ready: true });
    disk.fill();
    await until('no readiness', async () => !(await readiness(server)).ready);
    expect(await readiness(server)).toMatchObject(readsOnly);
    expect(await ask(server.callers, 'listRecurringDetails', listed, authorization)).toMatchObject({ status: 200 });
    disk.free();
    await until('readiness', async () => (await readiness(server)).ready);
    expect(await server.stop()).toBe(0);
  } finally {
    disk.discard();
  }
});

test('on a standby in recovery the server is not ready; it is ready again on a primary', async () => {
  const postgres = await startPostgres();
  try {
    const own = tempFolder();
    const { variables } = await prepareProduction(own.path, { DATABASE_URL: postgres.url });
    server = await startServer('serve', own.path, variables);
    expect(await readiness(server)).toMatchObject({ ready: true });
    await postgres.stop();
    postgres.setStandby(true);
    await postgres.start();
    // Probes within two seconds share one write, so the result of the last one may be from before.
    const readsAndDoesNotWrite = ({ probes }: Readiness) => probes.store === 'ok' && probes.writes !== 'ok';
    await until('the answer of the standby', async () => readsAndDoesNotWrite(await readiness(server)));
    expect(await readiness(server)).toMatchObject(readsOnly);
    await postgres.stop();
    postgres.setStandby(false);
    await postgres.start();
    await until('readiness', async () => (await readiness(server)).ready);
    expect(await server.stop()).toBe(0);
    own.discard();
  } finally {
    await postgres.discard();
  }
});

test('however often it is asked, a write is committed at most once in two seconds', async () => {
  const postgres = await startPostgres();
  try {
    const own = tempFolder();
    const { variables } = await prepareProduction(own.path, { DATABASE_URL: postgres.url });
    server = await startServer('serve', own.path, variables);
    const seen = new Set<unknown>();
    const begun = performance.now();
    for (let times = 0; times < 200; times += 1) {
      expect(await readiness(server)).toMatchObject({ ready: true });
      const [row] = await postgres.ask('select checked_at from write_check');
      seen.add(row!.checked_at);
    }
    expect(seen.size).toBeGreaterThan(0);
    expect(seen.size).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 2_000));
    await server.stop();
    own.discard();
  } finally {
    await postgres.discard();
  }
});

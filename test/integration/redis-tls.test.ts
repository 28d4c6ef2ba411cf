/** Tests TLS to Redis: to one server, through Sentinel, and in a cluster; a certificate of another authority is refused. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { openRedisCache, type RedisCache } from '../../src/stores/redis/cache.ts';
import { type CertificateFiles, createCertificate } from '../support/certificates.ts';
import { freePort } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let authority: CertificateFiles;
let stranger: CertificateFiles;
let node: CertificateFiles;
beforeAll(() => {
  authority = createCertificate(folder.path, 'authority');
  stranger = createCertificate(folder.path, 'stranger');
  node = createCertificate(folder.path, 'node', authority);
});
const children: ChildProcess[] = [];
const caches: RedisCache[] = [];
afterEach(async () => {
  for (const cache of caches.splice(0)) await cache.close();
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
  }
});
afterAll(() => folder.discard());

/** Starts a server that speaks nothing but TLS. */
const start = async (...also: readonly string[]): Promise<number> => {
  const port = await freePort();
  const dir = join(folder.path, String(port));
  mkdirSync(dir);
  const lines = [
    `port 0\ntls-port ${port}\nbind 127.0.0.1\ndir ${dir}`,
    `tls-cert-file ${node.cert}\ntls-key-file ${node.key}\ntls-ca-cert-file ${authority.cert}`,
    'tls-auth-clients no\ntls-replication yes\ntls-cluster yes',
    ...also.filter((each) => !each.startsWith('--')),
  ];
  const file = join(dir, 'redis.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child = spawn('redis-server', [file, ...also.filter((each) => each.startsWith('--'))], { stdio: 'ignore' });
  children.push(child);
  await until(`redis ${port} to answer`, () => /PONG/.test(cli(port, 'ping')));
  return port;
};

const cli = (port: number, ...parameters: readonly string[]): string =>
  execFileSync(
    'redis-cli',
    ['-h', '127.0.0.1', '-p', String(port), '--tls', '--cacert', authority.cert, ...parameters],
    {
      stdio: 'pipe',
    },
  ).toString();

const open = (url: string, ca: CertificateFiles | undefined): RedisCache => {
  const cache = openRedisCache({
    url,
    ca: ca && readFileSync(ca.cert, 'utf8'),
    clock: { now: Date.now },
    commandMsMax: 2_000,
  });
  caches.push(cache);
  return cache;
};

/** The right authority reaches Redis; the control, with another one and with those of Node, does not. */
const expectTls = async (url: string): Promise<void> => {
  const cache = open(url, authority);
  await until('the cache to be up', () => cache.state() === 'up');
  const reservation = await cache.reserve('key');
  expect(reservation.kind).toBe('reserved');
  const refused = [stranger, undefined].map((wrong) => open(url, wrong));
  // As long as the right one needed many times over.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(refused.map((each) => each.state())).toEqual(['down', 'down']);
};

test('one server', async () => {
  await expectTls(`rediss://localhost:${await start()}`);
});

test('a server that Sentinel announces', async () => {
  const master = await start();
  const sentinel = await start(`sentinel monitor main 127.0.0.1 ${master} 1`, '--sentinel');
  await until('sentinel to know the master', () =>
    cli(sentinel, 'sentinel', 'get-master-addr-by-name', 'main').includes(String(master)),
  );
  await expectTls(`rediss+sentinel://127.0.0.1:${sentinel}/main`);
});

test('a cluster', async () => {
  const port = await start('cluster-enabled yes\ncluster-announce-ip 127.0.0.1');
  cli(port, 'cluster', 'addslotsrange', '0', '16383');
  await until('the cluster to be complete', () => cli(port, 'cluster', 'info').includes('cluster_state:ok'));
  await expectTls(`rediss+cluster://localhost:${port}`);
});

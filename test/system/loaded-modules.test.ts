/** Tests which modules a gateway loads at its start: one that only forwards needs no engine of SQL, and with contracts of its own no services. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const preload = join(root, 'test/support/all-loaded-modules.mjs');
const folder = tempFolder();
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ persistent: true });
  await triglyph(['keys', 'create', join(folder.path, 'keys')], folder.path);
  writeFileSync(join(folder.path, 'things.json'), JSON.stringify(things));
});
afterAll(async () => {
  await redis.stop();
  folder.discard();
});

const things = {
  openapi: '3.0.0',
  info: { title: 'Things', version: '1' },
  paths: { '/things': { get: { operationId: 'listThings', responses: { 200: { description: 'All of them.' } } } } },
};

/** Nothing listens there, and nothing is sent. */
const upstream = ['--upstream', 'http://127.0.0.1:9', '--upstream-idempotency', 'header'];

/** Returns the sources and libraries of all files that the bundle has loaded when it is ready: file names, and `node:` names. */
async function loadedBy(
  parameters: readonly string[],
  also: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const variables = {
    KEY_FILE: join(folder.path, 'keys'),
    NODE_OPTIONS: `--import ${preload} --disable-warning=ExperimentalWarning`,
    ...also,
  };
  const file = join(root, 'bin/triglyph.mjs');
  const server = await startServer('serve', folder.path, variables, { file, parameters });
  const output = server.output();
  expect(await server.stop()).toBe(0);
  const urls = [...output.matchAll(/^loaded (.+)$/gm)].map((match) => match[1]!);
  return [...new Set(urls.flatMap(sourcesOf))];
}

/** Those that a file of the bundle was made from, by its source map; any other module is its own. */
function sourcesOf(url: string): readonly string[] {
  const map = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
  if (!existsSync(map)) return [url];
  return (JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }).sources;
}

const of = (loaded: readonly string[], pattern: RegExp) => loaded.filter((each) => pattern.test(each));

const engines = /node:sqlite|\/src\/stores\/(?:sqlite|postgres)\/|node_modules\/pg\//;
const services = /\/src\/payments\//;
const others =
  /\/src\/(?:insight\/record|console\/(?!index|lazy-console|testing\/controls)|program\/testing\/(?!demo\/published))|node_modules\/(?:jest|yaml|fast-xml|csv-parse)/;
const redisClient = /node_modules\/ioredis\//;

test('a gateway without a store loads no engine and no client', async () => {
  const loaded = await loadedBy([...upstream, '--stateless'], {});
  expect(of(loaded, engines)).toEqual([]);
  expect(of(loaded, redisClient)).toEqual([]);
  expect(of(loaded, others)).toEqual([]);
});

test('a gateway with its records in Redis loads the client of Redis alone', async () => {
  const loaded = await loadedBy(upstream, { REDIS_STORE_URL: redis.url });
  expect(of(loaded, engines)).toEqual([]);
  expect(of(loaded, redisClient)).not.toEqual([]);
  expect(of(loaded, /rate-limiter-flexible/)).toEqual([]);
  expect(of(loaded, others)).toEqual([]);
});

test('with the contracts of a document it loads none of the services', async () => {
  const loaded = await loadedBy([...upstream, '--stateless', '--openapi', 'things.json'], {});
  expect(of(loaded, engines)).toEqual([]);
  expect(of(loaded, services)).toEqual([]);
});

test('control: the store in a folder, the services and a recording are found where they are loaded', async () => {
  const record = join(folder.path, 'recorded');
  const loaded = await loadedBy(upstream, { DATA_DIR: join(folder.path, 'data'), RECORD: record });
  expect(of(loaded, /node:sqlite/)).not.toEqual([]);
  expect(of(loaded, /\/src\/stores\/sqlite\/open/)).not.toEqual([]);
  expect(of(loaded, services)).not.toEqual([]);
  expect(of(loaded, /\/src\/insight\/record\//)).not.toEqual([]);
});

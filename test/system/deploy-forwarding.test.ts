/** Tests the files in deploy/forwarding/: schemas and names, and that their gateways start on their Redis, which they run without Docker. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import type { Setting } from '../../src/config/setting.ts';
import { settings } from '../../src/config/settings.ts';
import { triglyph, type Variables } from '../support/commands.ts';
import { freePort, listenLocally } from '../support/listen-locally.ts';
import {
  generatedNamesIn,
  type Kustomization,
  type Manifest,
  readManifests,
  validateManifest,
} from '../support/manifests.ts';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const deploy = join(import.meta.dirname, '../../deploy/forwarding');
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8');
const folder = tempFolder();
const upstream = createServer((request, response) => {
  const answer = () =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"response":"[detail-successfully-disabled]"}');
  request.resume().once('end', answer);
});
let upstreamUrl = '';
beforeAll(async () => {
  upstreamUrl = `http://127.0.0.1:${await listenLocally(upstream)}`;
  await triglyph(['keys', 'create', join(folder.path, 'keys')], folder.path);
});
afterAll(() => {
  upstream.close();
  upstream.closeAllConnections();
  folder.discard();
});

const running: { readonly servers: Server[]; readonly programs: ChildProcess[] } = { servers: [], programs: [] };
afterEach(async () => {
  await Promise.all(running.servers.splice(0).map((server) => server.stop()));
  for (const program of running.programs.splice(0)) program.kill('SIGKILL');
});

/** The variables that the program knows. */
const known = new Set(
  Object.values<Setting<unknown>>(settings).flatMap(({ name, fileNames = [] }) => [name, ...fileNames]),
);
const files = readdirSync(join(deploy, 'kubernetes'));
const { resources, configMapGenerator, secretGenerator } = parse(
  read('kubernetes/kustomization.yaml'),
) as Kustomization;
const manifests = resources.flatMap((name) => readManifests(read(`kubernetes/${name}`)));
const find = (kind: string, name: string): Manifest =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name)!;
const deployment = () => find('Deployment', 'triglyph').spec.template;

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Variables;
  readonly volumes?: readonly string[];
}
const composed = (file: string) =>
  parse(read(file), { merge: true }) as { readonly services: Readonly<Record<string, Service>> };

test('the kustomization lists every manifest but the examples', () => {
  expect([...resources].sort()).toEqual(
    files.filter((name) => !/^kustomization|[.]example[.]|[.]env$/.test(name)).sort(),
  );
});

test.each(manifests.map((each) => [each.kind, each.metadata.name, each] as const))(
  '%s %s matches its schema',
  async (_, __, manifest) => validateManifest(manifest),
);

test('control: a metric of the autoscaler without a value', async () => {
  const autoscaler = find('HorizontalPodAutoscaler', 'triglyph');
  const metrics = [{ type: 'Pods', pods: { metric: {}, target: { type: 'AverageValue' } } }];
  await expect(validateManifest({ ...autoscaler, spec: { ...autoscaler.spec, metrics } })).rejects.toThrow('name');
});

test('selectors, ports, mounts and policies name what is there', () => {
  const { metadata, spec } = deployment();
  const redis = find('StatefulSet', 'redis').spec;
  for (const selector of [
    find('Deployment', 'triglyph').spec.selector.matchLabels,
    find('Service', 'triglyph').spec.selector,
    find('PodDisruptionBudget', 'triglyph').spec.selector.matchLabels,
  ])
    expect(metadata.labels).toEqual(selector);
  expect(find('Service', redis.serviceName).spec.selector).toEqual(redis.template.metadata.labels);
  expect(redis.selector.matchLabels).toEqual(redis.template.metadata.labels);
  for (const [policy, labels] of [
    ['triglyph-server', metadata.labels],
    ['redis', redis.template.metadata.labels],
  ])
    expect(labels).toMatchObject(find('NetworkPolicy', policy).spec.podSelector.matchLabels);
  const [container] = spec.containers;
  expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(
    spec.volumes.map(({ name }: { name: string }) => name),
  );
  expect(redis.template.spec.containers[0].volumeMounts[0].name).toBe(redis.volumeClaimTemplates[0].metadata.name);
  expect(read('kubernetes/kustomization.yaml')).toContain(`redis-0.${redis.serviceName}:6379`);
  expect(find('PodDisruptionBudget', 'redis').spec.selector.matchLabels).toEqual(redis.template.metadata.labels);
});

test('all settings and secrets are generated, so that their names change with them', () => {
  const generated = [...configMapGenerator, ...secretGenerator];
  expect(generatedNamesIn(manifests)).toEqual(generated.map(({ name }) => name).sort());
});

test('images of others have a digest', () => {
  const pinned = /^[a-z]+:[\d.]+@sha256:[0-9a-f]{64}$/;
  const images = find('StatefulSet', 'redis').spec.template.spec.containers.map(
    ({ image }: { image: string }) => image,
  );
  for (const image of [...images, composed('compose.yaml').services.redis!.image]) expect(image).toMatch(pinned);
});

test('gateways have no volume that outlives them', () => {
  for (const { secret, emptyDir } of deployment().spec.volumes)
    expect([secret === undefined, emptyDir?.medium]).toContainEqual(secret === undefined ? 'Memory' : false);
  for (const file of ['compose.yaml', 'compose.stateless.yaml'])
    expect(composed(file).services.gateway?.volumes).toBeUndefined();
});

test('variables are settings', () => {
  const names = [
    ...Object.keys(parseEnv(read('kubernetes/settings.env'))),
    ...deployment().spec.containers[0].env.map(({ name }: { name: string }) => name),
    ...['compose.yaml', 'compose.stateless.yaml'].flatMap((file) =>
      Object.keys(composed(file).services.gateway!.environment),
    ),
  ];
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

/** Starts a gateway as a command line of the files does, in front of the upstream of the test. */
async function start(command: readonly string[], also: Variables): Promise<Server> {
  const parameters = command
    .slice(command.indexOf('serve') + 1)
    .map((each) => (/^https:|UPSTREAM:/.test(each) ? upstreamUrl : each.replace(/^\$\{\w+:-(\w+)\}$/, '$1')));
  // Each Redis is the store of other gateways, which remember it next to their keys.
  const keys = join(folderNamed(`keys of ${running.servers.length} ${performance.now()}`), 'keys');
  copyFileSync(join(folder.path, 'keys'), keys);
  const server = await startServer('serve', folder.path, { KEY_FILE: keys, ...also }, { parameters });
  running.servers.push(server);
  return server;
}

/** Starts a Redis of the files, and waits until it answers. */
async function startRedis(program: string, parameters: readonly string[], port: number, host = 'redis-0') {
  const child = spawn(program, parameters, { env: variablesOf(host), stdio: 'ignore' });
  running.programs.push(child);
  const isProtected = program === 'sh';
  const options = { port, lazyConnect: true, retryStrategy: () => 50, ...(isProtected && { password }) };
  const raw = new Redis(options).on('error', () => {});
  try {
    await until('Redis to answer', async () => (await raw.ping()) === 'PONG');
  } finally {
    raw.disconnect();
  }
}

/** Of a pod of the StatefulSet. */
const password = 'a password of the test';
const variablesOf = (host: string) => ({ PATH: process.env.PATH, HOSTNAME: host, REDISCLI_AUTH: password });

async function disable({ callers }: Server, key = 'a-key-of-16-characters'): Promise<number> {
  const response = await fetch(`${callers}/pal/servlet/Recurring/v25/disable`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'idempotency-key': key },
    body: '{"merchantAccount":"Shop","shopperReference":"anna"}',
  });
  await response.text();
  return response.status;
}

const folderNamed = (name: string): string => {
  const path = join(folder.path, name);
  mkdirSync(path);
  return path;
};

describe('compose', () => {
  const { gateway, redis } = composed('compose.yaml').services;

  test('its gateway sends writes with a key over its Redis', async () => {
    const port = await freePort();
    const [program = '', ...parameters] = redis!.command;
    await startRedis(program, [...parameters, '--dir', folderNamed('composed'), '--port', String(port)], port);
    const server = await start(gateway!.command, { REDIS_STORE_URL: `redis://127.0.0.1:${port}` });
    expect(await disable(server)).toBe(200);
  });

  test('control: with a Redis that flushes later it does not start', async () => {
    const port = await freePort();
    const [program = '', ...parameters] = redis!.command.map((each) => (each === 'always' ? 'everysec' : each));
    await startRedis(program, [...parameters, '--dir', folderNamed('later'), '--port', String(port)], port);
    const starting = start(gateway!.command, { REDIS_STORE_URL: `redis://127.0.0.1:${port}` });
    await expect(starting).rejects.toThrow('set always');
  });

  test('its gateway without a store starts, and has the metric of the autoscalers', async () => {
    const { command, environment } = composed('compose.stateless.yaml').services.gateway!;
    expect(environment.STATELESS).toBe('on');
    const server = await start(command, { STATELESS: 'on' });
    expect(await disable(server)).toBe(200);
    const metrics = await (await fetch(`${server.admin}/metrics`)).text();
    const [{ pods }] = find('HorizontalPodAutoscaler', 'triglyph').spec.metrics;
    const { name } = pods.metric;
    expect(metrics).toMatch(new RegExp(`^${name} 0$`, 'm'));
    const [rule] = parse(read('kubernetes/prometheus-adapter.example.yaml')).rules.custom;
    expect([rule.name.as, rule.seriesQuery.split('{')[0]]).toEqual([name, name]);
    const [keda] = readManifests(read('kubernetes/keda.example.yaml'));
    const [trigger] = keda!.spec.triggers;
    expect(trigger.metadata.query).toContain(`${name}{`);
    expect([keda!.spec.scaleTargetRef.name, trigger.metadata.threshold]).toEqual([
      find('Deployment', 'triglyph').metadata.name,
      pods.target.averageValue,
    ]);
  });
});

test('Kubernetes: a master and a replica of its command hold what a gateway sends', async () => {
  const [container] = find('StatefulSet', 'redis').spec.template.spec.containers;
  const [shell, flag, script] = container.command as [string, string, string];
  const ports = [await freePort(), await freePort()] as const;
  const folders = [folderNamed('redis-0'), folderNamed('redis-1')] as const;
  const scriptAt = (at: 0 | 1): string =>
    script
      .replace('redis-0.redis 6379', `127.0.0.1 ${ports[0]}`)
      .replace('redis-1.redis:6379 redis-2.redis:6379', `127.0.0.1:${ports[1]}`)
      .replace('dir /data', `dir "${folders[at]}"\nport ${ports[at]}`)
      .replace('/data/', `${folders[at]}/`);
  // The master waits for the answer of its replicas.
  await startRedis(shell, [flag, scriptAt(1)], ports[1], 'redis-1');
  await startRedis(shell, [flag, scriptAt(0)], ports[0], 'redis-0');
  const raw = new Redis({ port: ports[0], password });
  await until('the replica to be in step', async () => /slave0:.*state=online/.test(await raw.info('replication')));
  raw.disconnect();
  const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${ports[0]}`;
  const server = await start(deployment().spec.containers[0].args, { REDIS_STORE_URL: url });
  expect(await disable(server)).toBe(200);
  // The control: without the replica, nothing is sent.
  const [replica, master] = running.programs;
  replica?.kill('SIGKILL');
  expect(await disable(server, 'another-key-of-the-test')).toBe(503);

  // Without its volume, the master does not empty the replica.
  await startRedis(shell, [flag, scriptAt(1)], ports[1], 'redis-1');
  master?.kill('SIGKILL');
  rmSync(folders[0], { recursive: true });
  mkdirSync(folders[0]);
  const refused = spawnSync(shell, [flag, scriptAt(0)], { env: variablesOf('redis-0'), encoding: 'utf8' });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('promote the replica')]);
  const kept = new Redis({ port: ports[1], password });
  expect(await kept.dbsize()).toBeGreaterThan(0);
  kept.disconnect();
});

/** Gateways without a database: records in Redis, or nothing at all. What they do, what they refuse, and what `check` says of it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { type Server, startServer } from '../support/server.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Counts effects, and leaves some requests without an answer. */
class Upstream {
  readonly keys: (string | undefined)[] = [];
  readonly credentials: (string | undefined)[] = [];
  #server: HttpServer | undefined;
  url = '';

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request.setEncoding('utf8')) body += part;
      this.keys.push(request.headers['idempotency-key'] as string | undefined);
      this.credentials.push(request.headers.authorization);
      if (body.includes('unanswered')) request.socket.destroy();
      else
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end('{"response":"[detail-successfully-disabled]"}');
    });
    this.url = `http://127.0.0.1:${await listenLocally(server)}`;
    this.#server = server;
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}

const upstream = new Upstream();
let redis: RedisServer;
let folder: TempFolder;
const servers: Server[] = [];
beforeAll(async () => {
  await upstream.start();
  redis = await startRedis({ persistent: true });
});
afterAll(async () => {
  upstream.stop();
  await redis.stop();
});
beforeEach(async () => {
  folder = tempFolder();
  upstream.keys.length = 0;
  upstream.credentials.length = 0;
  await redis.raw.flushall();
  const { code } = await triglyph(['keys', 'create', join(folder.path, 'keys')], folder.path);
  expect(code).toBe(0);
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  folder.discard();
});

const variables = (also: Readonly<Record<string, string>> = {}) => ({ KEY_FILE: join(folder.path, 'keys'), ...also });
const run = (command: string, also?: Readonly<Record<string, string>>) =>
  triglyph(command.split(' '), folder.path, variables(also));
const inRedis = () => ({ REDIS_STORE_URL: redis.url });

const serve = async (parameters: string, also?: Readonly<Record<string, string>>): Promise<Server> => {
  const options = { parameters: ['--upstream', upstream.url, ...parameters.split(' ').filter((each) => each !== '')] };
  const server = await startServer('serve', folder.path, { LOG_LEVEL: 'info', ...variables(also) }, options);
  servers.push(server);
  return server;
};

const disable = async ({ callers }: Server, key: string, shopperReference = 'shopper-1') => {
  const response = await fetch(`${callers}/pal/servlet/Recurring/v25/disable`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': 'of the caller', 'Idempotency-Key': key },
    body: JSON.stringify({ merchantAccount: 'AnyMerchant', shopperReference }),
  });
  await response.text();
  return { status: response.status, isReplay: response.headers.get('idempotent-replayed') === 'true' };
};

test.each(['none', 'header'])('a new key costs two commands on Redis, and a replay one: %s', async (mode) => {
  const [one, two] = await Promise.all([mode, mode].map((each) => serve(`--upstream-idempotency ${each}`, inRedis())));
  const disableCounted = async (server: Server): Promise<object> => {
    await redis.raw.config('RESETSTAT');
    const answer = await disable(server, 'key-1');
    const found = (await redis.raw.info('commandstats')).matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm);
    return { ...answer, scripts: [...found].reduce((sum, [, calls]) => sum + Number(calls), 0) };
  };
  expect(await disableCounted(one!)).toEqual({ status: 200, isReplay: false, scripts: 2 });
  expect(await disableCounted(one!)).toEqual({ status: 200, isReplay: true, scripts: 1 });
  expect(await disableCounted(two!)).toEqual({ status: 200, isReplay: true, scripts: 1 });
});

test('gateways on one Redis execute a key once; an operator lists, shows and settles what is unknown', async () => {
  const one = await serve('', inRedis());
  const two = await serve('', { ...inRedis(), WORKERS: '2' });
  expect(await disable(one, 'key-1')).toEqual({ status: 200, isReplay: false });
  expect(await disable(two, 'key-1')).toEqual({ status: 200, isReplay: true });
  expect(await disable(two, 'key-1', 'another')).toEqual({ status: 422, isReplay: false });
  expect(await disable(one, 'key-2', 'unanswered-1')).toMatchObject({ status: 502 });
  expect(await disable(two, 'key-2', 'unanswered-1')).toMatchObject({ status: 502 });
  expect(await disable(two, 'key-3', 'unanswered-2')).toMatchObject({ status: 502 });
  expect(upstream.keys).toEqual([undefined, undefined, undefined]);

  const listed = JSON.parse((await run('pending list --json', inRedis())).stdout) as { id: string; input: object }[];
  expect(listed).toMatchObject([
    { input: { shopperReference: 'unanswered-1' } },
    { input: { shopperReference: 'unanswered-2' } },
  ]);
  const [first, second] = listed.map(({ id }) => id);
  expect((await run(`pending show ${first}`, inRedis())).stdout).toContain('unanswered-1');
  const done = '{"response":"[detail-successfully-disabled]"}';
  expect(await run(`pending settle ${first} --done ${done}`, inRedis())).toMatchObject({ code: 0 });
  expect(await disable(one, 'key-2', 'unanswered-1')).toEqual({ status: 200, isReplay: true });

  writeFileSync(join(folder.path, 'settled.csv'), `id,outcome\n${second},notDone\n${first},notDone\n`);
  const trial = await run('pending settle --file settled.csv --dry-run', inRedis());
  expect(trial.stdout).toContain(`${second} would be settled`);
  expect((await run('pending list', inRedis())).stdout).toContain(second);
  const settled = await run('pending settle --file settled.csv', inRedis());
  expect(settled.stdout).toContain(`${second} is settled. A retry is executed.`);
  expect(settled.stdout).toContain(`refused: no request with the id ${first} is pending`);
  expect((await run('pending list', inRedis())).stdout).toContain('No outcome is unknown');
  expect(existsSync(join(folder.path, 'data'))).toBe(false);

  // Nothing in clear text: neither the keys of callers, nor the outcomes.
  const dump: string[] = [];
  for (const key of await redis.raw.keys('*')) dump.push(key, String(await redis.raw.dump(key)));
  expect(dump.join('\n')).not.toMatch(/key-[123]|successfully/);
});

test('a Redis that may lose reservations is refused, and readiness turns when it begins to', async () => {
  const server = await serve('', inRedis());
  const readiness = async () => (await fetch(`${server.admin}/readyz`)).status;
  expect(await readiness()).toBe(200);
  await redis.raw.config('SET', 'appendfsync', 'everysec');
  try {
    await until('readiness to turn', async () => (await readiness()) === 503);
    expect(await disable(server, 'key-1')).toMatchObject({ status: 503 });
    expect(upstream.keys).toEqual([]);
    // Where the upstream deduplicates, nothing depends on it.
    const deduplicated = await serve('--upstream-idempotency header', inRedis());
    expect(await disable(deduplicated, 'key-2')).toMatchObject({ status: 200 });
    const ended = await run(`serve --upstream ${upstream.url}`, inRedis());
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('set always') });
  } finally {
    await redis.raw.config('SET', 'appendfsync', 'always');
  }
  await until('readiness to turn back', async () => (await readiness()) === 200);
  expect(await disable(server, 'key-1')).toMatchObject({ status: 200 });
});

test('a Redis that was emptied while no gateway ran takes no write until an operator accepts it', async () => {
  const auditFile = join(folder.path, 'audit.jsonl');
  const settings = { ...inRedis(), AUDIT: 'on', AUDIT_LOG: `file:${auditFile}` };
  const statusOf = async ({ admin }: Server, path: string) => (await fetch(`${admin}${path}`)).status;
  const first = await serve('', settings);
  expect(await disable(first, 'key-1')).toEqual({ status: 200, isReplay: false });
  // The controls: a restart alone loses nothing, and another machine takes over what it finds.
  await servers.splice(0)[0]!.stop();
  const keys = readFileSync(join(folder.path, 'keys'), 'utf8');
  const [again, other] = [
    await serve('', settings),
    await serve('', { ...inRedis(), KEY_FILE: '', TRIGLYPH_KEYS: keys }),
  ];
  for (const server of [again, other]) expect(await disable(server, 'key-1')).toEqual({ status: 200, isReplay: true });
  expect(await disable(other, 'key-2')).toEqual({ status: 200, isReplay: false });
  await Promise.all(servers.splice(0).map((server) => server.stop()));

  await redis.raw.flushall();
  upstream.keys.length = 0;
  const [server, unaware] = [
    await serve('', settings),
    await serve('', { ...inRedis(), KEY_FILE: '', TRIGLYPH_KEYS: keys }),
  ];
  const call = (format: string, accept: string, body: string) =>
    fetch(`${server.callers}/pal/servlet/Recurring/v25/disable`, {
      method: 'POST',
      headers: { 'Content-Type': format, 'X-API-Key': 'of the caller', 'Idempotency-Key': 'key-1' },
      body,
    }).then(async (response) => {
      const text = await response.text();
      expect([format, response.status, response.headers.get('transient-error'), text]).toEqual([
        ...[format, format === 'text/xml' ? 500 : 503, 'true'],
        expect.stringContaining(accept),
      ]);
    });
  const parts = { merchantAccount: 'AnyMerchant', shopperReference: 'shopper-1' };
  await call('application/json', '"errorCode":"703"', JSON.stringify(parts));
  await call('application/x-www-form-urlencoded', 'errorCode=703', new URLSearchParams(parts).toString());
  const soap = `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><disable xmlns="http://recurring.services.adyen.com"><request><merchantAccount>AnyMerchant</merchantAccount><shopperReference>shopper-1</shopperReference></request></disable></Body></Envelope>`;
  await call('text/xml', '<faultstring>', soap);
  // Without a file that remembers, an emptied Redis and a new one look the same.
  expect(await disable(unaware, 'key-2')).toMatchObject({ status: 503 });
  expect(upstream.keys).toEqual([]);
  expect([await statusOf(server, '/readyz'), await statusOf(server, '/readyz/reads')]).toEqual([503, 200]);
  expect(await (await fetch(`${server.admin}/metrics`)).text()).toMatch(/^triglyph_records_lost 1$/m);
  await until('a line of the log', () => server.output().includes('the store in Redis has lost records'));
  const erp = { url: upstream.url, credentials: 'forward', idempotency: 'none' };
  const answeredBy = { Recurring: 'erp', BalancePlatform: 'erp' };
  writeFileSync(join(folder.path, 'triglyph.config.json'), JSON.stringify({ upstreams: { erp }, answeredBy }));
  const checked = await run('check', settings);
  expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining('triglyph records accept-loss') });

  const accepted = await run('records accept-loss', settings);
  expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('The store had lost records') });
  expect(readFileSync(auditFile, 'utf8')).toContain('records accept-loss');
  for (const each of [server, unaware])
    await until('readiness to turn back', async () => (await statusOf(each, '/readyz')) === 200);
  expect(await disable(server, 'key-1')).toEqual({ status: 200, isReplay: false });
  expect(await disable(unaware, 'key-1')).toEqual({ status: 200, isReplay: true });
});

test('gateways that store nothing derive one key for a request, whoever gets its retry', async () => {
  const [one, two] = [
    await serve('--upstream-idempotency header --stateless'),
    await serve('--upstream-idempotency header', { STATELESS: 'on' }),
  ];
  for (const server of [one, two, two])
    expect(await disable(server, 'key-1')).toEqual({ status: 200, isReplay: false });
  expect(await disable(one, 'key-2')).toMatchObject({ status: 200 });
  const [first, second, third, other] = upstream.keys;
  expect(first).toMatch(/^[\w-]{43}$/);
  expect([second, third]).toEqual([first, first]);
  expect(other).not.toBe(first);
  expect(existsSync(join(folder.path, 'data'))).toBe(false);
});

test('callers that the configuration names have rights here, and credentials of their own at the upstream', async () => {
  const acme = {
    ...{ name: 'acme', tenant: 'Acme', basic: { username: 'ws@Acme', password: { env: 'ACME_PASSWORD' } } },
    grants: { merchantAccount: ['AcmeWeb'] },
    upstreams: { erp: { basic: { username: 'erp', password: { file: join(folder.path, 'erp') } } } },
  };
  const config = {
    upstreams: { erp: { url: upstream.url, credentials: 'mapped', idempotency: 'header' } },
    answeredBy: { Recurring: 'erp', BalancePlatform: 'erp' },
    callers: [
      acme,
      { ...acme, name: 'beta', tenant: 'Beta', basic: undefined, apiKey: { env: 'BETA_KEY' }, upstreams: {} },
    ],
  };
  writeFileSync(join(folder.path, 'triglyph.config.json'), JSON.stringify(config));
  writeFileSync(join(folder.path, 'erp'), 'secret at the upstream\n');
  const secrets = { ...inRedis(), ACME_PASSWORD: 'old password', BETA_KEY: 'key-of-beta' };
  const server = await startServer('serve', folder.path, variables(secrets));
  servers.push(server);
  const call = async (headers: Readonly<Record<string, string>>, merchantAccount = 'AcmeWeb') => {
    const response = await fetch(`${server.callers}/pal/servlet/Recurring/v25/disable`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'key-1', ...headers },
      body: JSON.stringify({ merchantAccount, shopperReference: 'shopper-1' }),
    });
    await response.text();
    return response.status;
  };
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  expect(await call(basic('ws@Acme:old password'))).toBe(200);
  expect(upstream.credentials).toEqual([basic('erp:secret at the upstream').Authorization]);
  expect(await call(basic('ws@Acme:another'))).toBe(401);
  expect(await call({ 'X-API-Key': 'old password' })).toBe(401);
  expect(await call(basic('ws@Acme:old password'), 'OtherWeb')).toBe(403);
  // It is a caller of this gateway, and the upstream does not know it.
  expect(await call({ 'X-API-Key': 'key-of-beta' })).toBe(403);
  expect(upstream.credentials).toHaveLength(1);

  const { stdout } = await run('check', secrets);
  expect(stdout).toContain(
    'caller acme  of Acme  (secret from ACME_PASSWORD, environment; it has a credential at erp)',
  );
  expect(stdout).not.toMatch(/old password|secret at the upstream|key-of-beta/);
});

test('gateways on one Redis record callers together, and take deprecations over without a restart', async () => {
  const one = await serve('', inRedis());
  const two = await serve('', inRedis());
  const headersOf = async ({ callers }: Server, version: number) => {
    const response = await fetch(`${callers}/pal/servlet/Recurring/v${version}/disable`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': 'of the caller', 'User-Agent': 'shop/1.0' },
      body: JSON.stringify({ merchantAccount: 'AnyMerchant', shopperReference: 'shopper-1' }),
    });
    await response.text();
    return { status: response.status, deprecation: response.headers.get('deprecation') };
  };
  const ok = async (command: string): Promise<string> => {
    const { code, stdout, stderr } = await run(command, inRedis());
    expect([command, code, stderr]).toEqual([command, 0, '']);
    return stdout;
  };
  for (const server of [one, two, two]) expect(await headersOf(server, 25)).toEqual({ status: 200, deprecation: null });
  expect(await headersOf(two, 68)).toEqual({ status: 200, deprecation: null });

  const rule = '--version 25 --since 2026-01-01';
  const [id = ''] = (await ok(`deprecations add ${rule}`)).split(' ');
  for (const server of [one, two])
    await until('the deprecation', async () => (await headersOf(server, 25)).deprecation === '@1767225600');
  expect(await headersOf(one, 68)).toEqual({ status: 200, deprecation: null });

  // What was counted is saved within a minute, and at the end of a process.
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  const callers = JSON.parse(await ok('callers --json')) as {
    readonly id: string;
    readonly credential: string;
    readonly version: number;
    readonly succeeded: number;
  }[];
  expect(callers.map(({ version }) => version).toSorted()).toEqual([25, 68]);
  const old = callers.find(({ version }) => version === 25)!;
  expect(old).toMatchObject({ service: 'Recurring', operation: 'disable', format: 'json', deprecation: 'deprecated' });
  expect(old.succeeded).toBeGreaterThanOrEqual(5);
  expect(await ok(`callers show ${old.id}`)).toContain('"shopperReference": "shopper-1"');
  expect(await ok('callers readiness --version 25')).toMatch(/^moving .* Recurring\.disable v25$/m);

  await ok(`callers owner set ${old.credential} --name Anna --address anna@example.com`);
  expect(await ok('callers owner list')).toContain('Anna');
  const report = await ok('report --version 25');
  expect(report).toContain('Anna anna@example.com');
  expect(report).not.toContain('lacks callers');
  await ok(`deprecations exempt ${id} ${old.credential}`);
  expect(await ok('deprecations list')).toMatch(new RegExp(`${id} +store +version 25 .*${old.credential}`));
  await ok(`deprecations exempt ${id} ${old.credential} --end`);
  await ok(`deprecations change ${id} --sunset 2027-09-30`);
  await ok(`deprecations remove ${id}`);
  expect(await ok('deprecations list')).toContain('No call is deprecated');
  await ok(`callers owner remove ${old.credential}`);

  // A gateway that stores nothing has none of it, and says so.
  for (const command of ['callers', 'callers owner list', `deprecations add ${rule}`])
    expect(await run(command, { STATELESS: 'on' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('This gateway stores nothing'),
    });
  expect((await run('check', { STATELESS: 'on' })).stdout).toMatch(/without .*records of callers, deprecations/);
});

test('what needs a database is refused, with the way out', async () => {
  const ended = async (command: string, also?: Readonly<Record<string, string>>) => {
    const { code, stderr } = await run(command, also);
    expect(code).toBe(1);
    return stderr;
  };
  const forward = `serve --upstream ${upstream.url}`;
  expect(await ended('serve', inRedis())).toMatch(/answers operations of Recurring, BalancePlatform itself/);
  expect(await ended(`${forward} --stateless`)).toMatch(/the upstream upstream has idempotency none/);
  expect(await ended(`${forward} --require-credentials`, inRedis())).toMatch(/forward theirs/);
  expect(await ended(forward, { ...inRedis(), KEY_FILE: '' })).toMatch(/There are no keys/);
  expect(await ended(forward, { ...inRedis(), CONSOLE: 'on' })).toMatch(/CONSOLE is on.*set ADMIN_TOKEN/);
  expect(await ended(forward, { ...inRedis(), AUDIT: 'on' })).toMatch(/AUDIT_LOG/);
  expect(await ended(forward, { ...inRedis(), DATABASE_URL: 'postgres://127.0.0.1/x' })).toMatch(/keep one of both/);
  expect(await ended(forward, { REDIS_STORE_URL: 'redis://127.0.0.1:1' })).toMatch(/cannot answer now: ECONNREFUSED/);
  for (const command of ['credential list', 'migrate', 'backup x.db'])
    expect(await ended(command, inRedis())).toMatch(/without a database: this command needs DATA_DIR or DATABASE_URL/);
  const { stdout } = await run('check', inRedis());
  expect(stdout).toMatch(/without +stored credentials, webhooks$/m);
  expect(stdout).toMatch(/console +off: CONSOLE=on and ADMIN_TOKEN/);
  expect(stdout).not.toMatch(/shadows/);
  const shadow = { url: upstream.url, credentials: 'none' };
  const config = {
    upstreams: { json: { url: upstream.url, credentials: 'forward', shadow } },
    answeredBy: { Recurring: 'json', BalancePlatform: 'json' },
  };
  writeFileSync(join(folder.path, 'triglyph.config.json'), JSON.stringify(config));
  expect((await run('check', inRedis())).stdout).toMatch(
    /shadows +copied by the configured share: nothing is switched/,
  );
});

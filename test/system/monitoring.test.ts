/** Tests the alert rules and the dashboard: they are valid, every metric that they name exists, and alerts fire on faults. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { freePort, listenLocally } from '../support/listen-locally.ts';
import { startPostgres } from '../support/postgres.ts';
import { firingAlerts, parseExpressions, promtool, rulesFile, ruleTestsFile, scrape } from '../support/promtool.ts';
import { startRedis } from '../support/redis.ts';
import { ask, basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboardFile = join(import.meta.dirname, '../../deploy/grafana/triglyph.json');
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(readFileSync(dashboardFile, 'utf8'));
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const rules = readFileSync(rulesFile, 'utf8');
const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');

const namesIn = (text: string): readonly string[] =>
  [...new Set(text.match(/\b(?:triglyph|nodejs|process)_[a-z0-9_]+/g) ?? [])].map((name) =>
    name.replace(/_bucket$/, ''),
  );

describe('the rules', () => {
  test('are valid', () => expect(promtool('check', 'rules', rulesFile)).toMatchObject({ status: 0 }));

  test('each has a section of the runbook, with its severity', () => {
    const sections = [...runbook.matchAll(/^## (Triglyph\w+)\n\n(\w+)[.]/gm)].map(([, name, severity]) => [
      name,
      severity,
    ]);
    const alerts = [...rules.matchAll(/alert: (\w+)\n.*?severity: (\w+).*?runbook_url: '([^']+)'/gs)];
    expect(alerts.map(([, name, severity]) => [name, severity])).toEqual(sections);
    expect(alerts.length).toBe(rules.match(/alert: /g)?.length);
    for (const [, name = '', , url] of alerts) expect(url).toBe(`docs/runbook.md#${name.toLowerCase()}`);
  });

  test('each fires on a fault, and is silent on its control', () => {
    expect(promtool('test', 'rules', ruleTestsFile)).toMatchObject({ status: 0 });
    const tested = readFileSync(ruleTestsFile, 'utf8');
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(20);
    const tests = [...tested.matchAll(/^ {2}- name: (.*)$/gm)].map(([, name]) => name);
    expect(tests.toSorted()).toEqual(alerts.flatMap((name) => [name, `${name}, control`]).toSorted());
  });
});

describe('the dashboard', () => {
  test('has valid expressions', () => {
    expect(expressions.length).toBeGreaterThan(40);
    const given = expressions.map((each) => each.replaceAll('$__rate_interval', '5m'));
    expect(parseExpressions(given, folder.path)).toMatchObject({ status: 0 });
    // The control: one of them is wrong.
    expect(parseExpressions([...given, 'sum by (rate(up[5m])'], folder.path).status).not.toBe(0);
  });

  test('shows every metric of the program', () => {
    const shown = namesIn(expressions.join('\n'));
    const sources = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    // How often contracts and answers differ is a matter of the log.
    const elsewhere = ['triglyph_upstream_unknown_members_total'];
    expect(namesIn(sources).filter((name) => !shown.includes(name) && !elsewhere.includes(name))).toEqual([]);
  });
});

describe('a real server', () => {
  let server: Server;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let authorization: string;
  const list = () =>
    ask(server.callers, 'listRecurringDetails', { merchantAccount: 'AcmeWeb', shopperReference: 's' }, authorization);

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const { variables, credential } = await prepareProduction(folder.path, {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
    });
    authorization = basic(credential.username, credential.secret);
    server = await startServer('serve', folder.path, variables);
  });
  afterAll(async () => {
    await server?.stop();
    await Promise.all([redis?.stop(), postgres?.discard()]);
  });

  test('has every metric that the rules and the dashboard name', async () => {
    await list();
    const text = await (await fetch(`${server.admin}/metrics`)).text();
    const own = tempFolder();
    const upstream = ['--upstream', 'http://127.0.0.1:9'];
    const forwarding = await startServer('serve', own.path, { RECORD: 'recordings' }, { parameters: upstream });
    const ofUpstreams = await (await fetch(`${forwarding.admin}/metrics`)).text();
    await forwarding.stop();
    own.discard();
    const served = new Set([...`${text}${ofUpstreams}`.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const named = namesIn(rules + expressions.join('\n'));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !served.has(name))).toEqual([]);
    expect(text).toMatch(/^triglyph_build_info\{version="\d[^"]*",node="\d[^"]*",store="postgres"\} 1$/m);
    expect(text).toMatch(/^triglyph_store_connections\{state="idle"\} [1-9]/m);
    expect(text).toMatch(/^triglyph_store_connections_max [1-9]/m);
    expect(text).toMatch(/^triglyph_event_loop_utilization 0?\.?\d/m);
  });

  test('an alert fires while it cannot apply a stored deprecation', async () => {
    const before = await scrape(server.admin);
    const invalid = async () => (await scrape(server.admin)).get('triglyph_deprecations_invalid');
    const revise = (change: string) =>
      postgres.ask(`${change}; update deprecation_revision set revision = revision + 1`);
    await revise(`insert into deprecation values ('dp_later', '{"format":"soap13"}', 1, 0, 'user anna')`);
    await until('the invalid deprecation', async () => (await invalid()) === '1');
    const fired = firingAlerts(before, await scrape(server.admin), 5, folder.path);
    expect(fired).toContain('TriglyphDeprecationInvalid');
    await revise('delete from deprecation');
    await until('no invalid deprecation', async () => (await invalid()) === '0');
    expect(firingAlerts(before, await scrape(server.admin), 5, folder.path)).toEqual([]);
  });

  test('alerts fire when its dependencies are lost, and not before', async () => {
    for (let sent = 0; sent < 20; sent += 1) await list();
    const before = await scrape(server.admin);
    for (let sent = 0; sent < 20; sent += 1) await list();
    const healthy = await scrape(server.admin);
    expect(firingAlerts(before, healthy, 5, folder.path)).toEqual([]);
    await Promise.all([redis.stop(), postgres.stop()]);
    for (let sent = 0; sent < 10; sent += 1) expect((await list()).status).toBe(503);
    await until('the loss of Redis', async () => (await scrape(server.admin)).get('triglyph_redis_up') === '0');
    const fired = firingAlerts(healthy, await scrape(server.admin), 5, folder.path);
    expect(fired).toEqual(expect.arrayContaining(['TriglyphUnavailable', 'TriglyphRedisDown']));
    await postgres.start();
  });
});

describe('a real Prometheus, before a gateway whose store is Redis', () => {
  const upstream = createServer((request, response) =>
    request.resume().once('end', () => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"response":"[detail-successfully-disabled]"}');
    }),
  );
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let gateway: Server;
  let prometheus: ChildProcess;
  let origin = '';
  const place = tempFolder();
  let variables: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    redis = await startRedis({ persistent: true });
    const url = `http://127.0.0.1:${await listenLocally(upstream)}`;
    await triglyph(['keys', 'create', 'keys'], place.path);
    // `check` reads the upstream from the file, too.
    const erp = { url, credentials: 'forward', idempotency: 'none' };
    const answeredBy = { Recurring: 'erp', BalancePlatform: 'erp' };
    writeFileSync(join(place.path, 'triglyph.config.json'), JSON.stringify({ upstreams: { erp }, answeredBy }));
    variables = { KEY_FILE: join(place.path, 'keys'), REDIS_STORE_URL: redis.url, LOG_LEVEL: 'info' };
    gateway = await startServer('serve', place.path, variables);
    // At once, as a rule says otherwise after minutes.
    writeFileSync(join(place.path, 'alerts.yml'), rules.replace(/^ {8}for: .*$/gm, '        for: 0s'));
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(place.path, 'alerts.yml')],
      scrape_configs: [{ job_name: 'triglyph', static_configs: [{ targets: [new URL(gateway.admin).host] }] }],
    };
    writeFileSync(join(place.path, 'prometheus.yml'), JSON.stringify(config));
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const files = [`--config.file=${place.path}/prometheus.yml`, `--storage.tsdb.path=${place.path}/prometheus`];
    prometheus = spawn('prometheus', [...files, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    await until('Prometheus', async () => (await fetch(`${origin}/-/ready`)).ok);
  });
  afterAll(async () => {
    prometheus?.kill('SIGKILL');
    upstream.close();
    upstream.closeAllConnections();
    await gateway?.stop();
    await redis?.stop();
    place.discard();
  });

  interface Alert {
    readonly state: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }
  const firing = async (): Promise<readonly Alert[]> => {
    const { data } = (await (await fetch(`${origin}/api/v1/alerts`)).json()) as {
      readonly data: { readonly alerts: readonly Alert[] };
    };
    return data.alerts.filter(({ state }) => state === 'firing');
  };
  const readiness = async () => {
    const response = await fetch(`${gateway.admin}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  const write = async (key: string): Promise<number> => {
    const response = await fetch(`${gateway.callers}/pal/servlet/Recurring/v25/disable`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'idempotency-key': key },
      body: '{"merchantAccount":"Shop","shopperReference":"anna"}',
    });
    await response.text();
    return response.status;
  };

  interface Fault {
    readonly alert: string;
    readonly severity: string;
    /** In `probes` of /readyz: the part that does not work. */
    readonly probe: string;
    readonly checked: RegExp;
    readonly logged: RegExp;
    readonly begin: () => Promise<unknown>;
    readonly end: () => Promise<unknown>;
  }
  const faults: readonly Fault[] = [
    {
      ...{ alert: 'TriglyphRedisStoreFull', severity: 'critical', probe: 'store', checked: /OOM/, logged: /OOM/ },
      begin: () => redis.raw.config('SET', 'maxmemory', '100000'),
      end: () => redis.raw.config('SET', 'maxmemory', '0'),
    },
    {
      ...{ alert: 'TriglyphRecordsLost', severity: 'critical', probe: 'records', checked: /accept-loss/ },
      logged: /the store in Redis has lost records/,
      begin: () => redis.raw.flushall(),
      end: () => triglyph(['records', 'accept-loss'], place.path, variables),
    },
    {
      ...{ alert: 'TriglyphRedisStoreDown', severity: 'critical', probe: 'store', checked: /cannot answer now/ },
      logged: /Redis is down/,
      begin: () => redis.kill(),
      end: () => redis.restart(),
    },
  ];

  test.each(faults)('$alert, /readyz, check and the log say the same', async (fault) => {
    const { alert, severity, probe, checked, logged, begin, end } = fault;
    await until('readiness', async () => (await readiness()).status === 200);
    expect(await write(`${alert}-before`)).toBe(200);
    expect((await firing()).map(({ labels }) => labels.alertname)).not.toContain(alert);
    const from = gateway.output().length;
    await begin();
    await until('a refused write', async () => (await write(`${alert}-during`)) === 503);
    await until('readiness to turn', async () => (await readiness()).status === 503);
    expect((await readiness()).text).not.toContain(`"${probe}":"ok"`);
    const check = await triglyph(['check'], place.path, variables);
    expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(checked)]);
    await until('the line of the log', () => logged.test(gateway.output().slice(from)));
    let found: Alert | undefined;
    await until('the alert', async () => {
      found = (await firing()).find(({ labels }) => labels.alertname === alert);
      return found !== undefined;
    });
    expect(found?.labels.severity).toBe(severity);
    expect(runbook).toContain(`\n## ${alert}\n`);
    expect(found?.annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    await end();
    await until('readiness to turn back', async () => (await readiness()).status === 200);
    await until('the alert to end', async () => (await firing()).every(({ labels }) => labels.alertname !== alert));
    expect(await write(`${alert}-during`)).toBe(200);
  });
});

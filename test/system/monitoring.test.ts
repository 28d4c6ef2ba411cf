/** Tests the alert rules and the dashboard: they are valid, every metric that they name exists, and alerts fire on faults. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

const namesIn = (text: string): readonly string[] =>
  [...new Set(text.match(/\b(?:triglyph|nodejs|process)_[a-z0-9_]+/g) ?? [])].map((name) =>
    name.replace(/_bucket$/, ''),
  );

describe('the rules', () => {
  test('are valid', () => expect(promtool('check', 'rules', rulesFile)).toMatchObject({ status: 0 }));

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

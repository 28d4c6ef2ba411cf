/** `triglyph deprecations` beside running servers: in one process with the embedded store, and in workers with PostgreSQL. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph, type Variables } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const input = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
const soap =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><r:listRecurringDetails xmlns:r="http://recurring.services.adyen.com">' +
  '<r:request><r:merchantAccount>AcmeWeb</r:merchantAccount><r:shopperReference>shopper-1</r:shopperReference></r:request>' +
  '</r:listRecurringDetails></s:Body></s:Envelope>';

const requests = {
  soap: { path: '/pal/servlet/Recurring/v25', type: 'text/xml', body: soap },
  json: {
    path: '/pal/servlet/Recurring/v25/listRecurringDetails',
    type: 'application/json',
    body: JSON.stringify(input),
  },
  form: {
    path: '/pal/servlet/Recurring/v25/listRecurringDetails',
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(input).toString(),
  },
} as const;

/** A new connection for each request, so that workers take turns. */
async function send({ callers }: Server, format: keyof typeof requests, authorization: string) {
  const { path, type, body } = requests[format];
  const headers = { 'Content-Type': type, SOAPAction: '""', Authorization: authorization, Connection: 'close' };
  const response = await fetch(`${callers}${path}`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text(), isDeprecated: response.headers.has('Deprecation') };
}

describe.each<[string, boolean]>([
  ['one process with the embedded store', false],
  ['two workers with PostgreSQL', true],
])('%s', (_, withWorkers) => {
  let folder: TempFolder;
  let postgres: Postgres | undefined;
  let production: Production;
  let server: Server;
  let own: string;
  let other: string;
  let otherId: string;

  const run = (...parameters: readonly string[]) => triglyph(parameters, folder.path, production.variables);
  const done = async (...parameters: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...parameters);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const listed = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    JSON.parse(await done('deprecations', 'list', '--json'));
  /** Waits until every process answers so. */
  const everywhere = (format: keyof typeof requests, status: number, authorization = own) =>
    until(`${format} ${status}`, async () => {
      for (let connections = 0; connections < (withWorkers ? 8 : 1); connections += 1)
        if ((await send(server, format, authorization)).status !== status) return false;
      return true;
    });

  beforeAll(async () => {
    folder = tempFolder();
    postgres = withWorkers ? await startPostgres() : undefined;
    const also: Variables =
      postgres === undefined ? {} : { DATABASE_URL: await postgres.createMigratedDatabase(), WORKERS: '2' };
    production = await prepareProduction(folder.path, also);
    own = basic(production.credential.username, production.credential.secret);
    writeFileSync(
      join(folder.path, 'triglyph.config.json'),
      JSON.stringify({ deprecations: [{ format: 'adapter', deprecatedSince: '2026-01-01', except: ['cr_config'] }] }),
    );
    const added = JSON.parse(
      await done('credential', 'add', 'Acme', '--account', 'AcmeWeb', '--username', 'other@Company.Acme', '--json'),
    );
    otherId = added.id;
    other = basic(added.username, added.secret);
    server = await startServer('serve', folder.path, production.variables);
  });
  afterAll(async () => {
    await (server as Server | undefined)?.stop();
    await postgres?.discard();
    folder.discard();
  });
  afterEach(async () => {
    for (const { id, source } of await listed())
      if (source === 'store') await done('deprecations', 'remove', String(id));
  });

  test('a brown-out refuses in the format of the caller, and who is exempt is served', async () => {
    for (const format of ['soap', 'json', 'form'] as const) expect((await send(server, format, own)).status).toBe(200);
    const id = (
      await done(
        'deprecations',
        'add',
        '--format',
        'soap11,form',
        '--brown-out',
        'day 00:00-23:59',
        '--brown-out',
        'day 23:59-00:00',
      )
    ).split(' ')[0]!;
    await everywhere('soap', 500);
    await everywhere('form', 410);
    expect((await send(server, 'soap', own)).text).toContain('Switched off until ');
    expect(await send(server, 'json', own)).toMatchObject({ status: 200, isDeprecated: false });
    await done('deprecations', 'exempt', id, 'other@Company.Acme');
    await everywhere('form', 200, other);
    expect(await send(server, 'form', other)).toMatchObject({ status: 200, isDeprecated: false });
    expect((await send(server, 'form', own)).status).toBe(410);
    await done('deprecations', 'exempt', id, otherId, '--end');
    await everywhere('form', 410, other);
    await done('deprecations', 'change', id, '--brown-out', 'none', '--sunset', '2099-06-30');
    await everywhere('form', 200);
    await until('the notice', async () => (await send(server, 'form', own)).isDeprecated);
    await done('deprecations', 'remove', id);
    await until('no notice', async () => !(await send(server, 'form', own)).isDeprecated);
  });

  test('a brown-out begins and ends by the clock', async () => {
    const at = (ms: number) => new Date(Math.ceil((Date.now() + ms) / 1_000) * 1_000).toISOString().replace('.000', '');
    const [from, to] = [at(6_000), at(12_000)];
    await done('deprecations', 'add', '--format', 'form', '--brown-out', `${from}/${to}`);
    await until('the notice', async () => (await send(server, 'form', own)).isDeprecated);
    const statuses: string[] = [];
    await until('the end', async () => {
      const before = Date.now();
      const { status } = await send(server, 'form', own);
      const isOpen = (moment: number) => moment >= Date.parse(from) && moment < Date.parse(to);
      // A request at the very moment may be answered either way.
      if (isOpen(before) === isOpen(Date.now())) statuses.push(`${isOpen(before) ? 'within' : 'outside'} ${status}`);
      return before > Date.parse(to);
    });
    expect([...new Set(statuses)].sort()).toEqual(['outside 200', 'within 410']);
  });

  test('exemptions from a deprecation of the configuration file', async () => {
    const [configured] = await listed();
    expect(configured).toMatchObject({
      id: expect.stringMatching(/^config_[0-9a-f]{10}$/),
      source: 'triglyph.config.json',
      rule: { format: 'adapter', except: ['cr_config'] },
      exemptions: [],
    });
    const id = String(configured!.id);
    expect(await run('deprecations', 'remove', id)).toMatchObject({
      code: 1,
      stderr: `triglyph: ${id} is one of the configuration file: remove it there\n`,
    });
    expect(await run('deprecations', 'change', id, '--sunset', '2099-01-01')).toMatchObject({ code: 1 });
    await done('deprecations', 'exempt', id, otherId);
    const exempted = { credential: otherId, exemptedBy: expect.stringMatching(/^user /) };
    expect((await listed())[0]).toMatchObject({ rule: { except: ['cr_config', otherId] }, exemptions: [exempted] });
    await done('deprecations', 'exempt', id, otherId, '--end');
    expect((await listed())[0]).toMatchObject({ exemptions: [] });
  });

  if (withWorkers) return;

  test('everything that is wrong with a deprecation is said at once, and nothing is saved', async () => {
    const { code, stderr } = await run(
      'deprecations',
      'add',
      '--format',
      'soap13',
      '--since',
      '2026-13-01',
      '--brown-out',
      'someday 9-10',
      '--link',
      'x',
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        'deprecation.format: "soap13" is not a format: did you mean soap11?',
        'deprecation.deprecatedSince: "2026-13-01" is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.',
        'deprecation.link is not the URL of a page, like https://example.com/end-of-soap.',
        'deprecation.brownOuts[0].every: "someday" is neither day nor a day of the week: choose among day, monday, tuesday, wednesday, thursday, friday, saturday, sunday.',
        'deprecation.brownOuts[0].from: "9" is not a time of the day like 09:30.',
        'deprecation.brownOuts[0].to: "10" is not a time of the day like 09:30.',
      ]
        .map((line) => `triglyph: ${line}\n`)
        .join(''),
    });
    expect(await run('deprecations', 'add')).toMatchObject({
      code: 1,
      stderr:
        'triglyph: deprecation names no calls: give at least one of format, version, service, operation, credential.\n',
    });
    expect(await run('deprecations', 'add', '--credential', 'nobody@Company.Acme')).toMatchObject({
      code: 1,
      stderr: 'triglyph: deprecation: "nobody@Company.Acme" is not the id of a credential.\n',
    });
    expect(await run('deprecations', 'add', '--brown-out', 'soon')).toMatchObject({ code: 2 });
    expect(await run('deprecations', 'exempt', 'dp_none', otherId)).toMatchObject({
      code: 1,
      stderr: 'triglyph: no deprecation has the id dp_none\n',
    });
    expect(await listed()).toHaveLength(1);
  });

  test('a dry run lists the callers that it concerns', async () => {
    expect((await send(server, 'form', own)).status).toBe(200);
    const options = ['--format', 'form', '--credential', production.credential.username, '--dry-run'];
    let shown = '';
    await until(
      () => shown,
      async () => {
        shown = await done('deprecations', 'add', ...options);
        return shown.includes(production.credential.username);
      },
    );
    expect(shown).toMatch(/Recurring\.listRecurringDetails v25 +form +\d+ +-\nNothing is changed\.\n$/);
    expect(await done('deprecations', 'add', '--format', 'soap12', '--dry-run')).toBe(
      'It concerns no caller of the last 30 days. Nothing is changed.\n',
    );
    expect(await listed()).toHaveLength(1);
  });

  test('the list names what holds now, and who has set it', async () => {
    const id = (
      await done(
        'deprecations',
        'add',
        '--operation',
        'disable',
        '--since',
        '2026-01-01',
        '--sunset',
        '2026-02-01',
        '--refuse-after-sunset',
      )
    ).split(' ')[0]!;
    expect(await done('deprecations', 'list')).toContain(
      `${id}    store                 operation disable  2026-01-01  2026-02-01 refused  retired    -           -\n`,
    );
    expect((await listed())[1]).toMatchObject({ id, state: 'retired', changedBy: expect.stringMatching(/^user /) });
    const callers = JSON.parse(await done('callers', '--json', '--format', 'form')) as readonly object[];
    expect(callers.length).toBeGreaterThan(0);
  });
});

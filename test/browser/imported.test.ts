/** Visits each view of the console for services of its own, for an imported one, and for gateways without a database: each has content, or says why it has none. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser, type Visit } from '../support/browser.ts';
import { triglyph } from '../support/commands.ts';
import { consoleViews } from '../support/console-views.ts';
import { type CountingServer, importedServices, startCountingServer } from '../support/imported-services.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { prepareProduction, startServer } from '../support/server.ts';
import { printedKey, type ServingProgram, serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';

const imported = importedServices.find(({ service }) => service === 'FleetService')!;
const adminToken = 'the-token-of-the-admin-port';

let browser: TestBrowser;
let redis: RedisServer;
let upstream: CountingServer;
beforeAll(async () => {
  [browser, redis, upstream] = await Promise.all([
    startBrowser(),
    startRedis({ persistent: true }),
    startCountingServer(imported),
  ]);
});
afterAll(async () => {
  await Promise.all([browser.close(), redis.stop()]);
  upstream.stop();
});

const views = consoleViews.map(({ path }) => path);

/** The words of the services that are built in. */
const words =
  /psp.?reference|merchant|shopper|amsterdam|payment|adyen|recurring|balance.?(?:platform|account)|account.?holder|\bcards?\b/i;

/** The headings of what has neither rows, facts, fields, a chart or links, nor a sentence. */
const bareParts = `[...document.querySelectorAll('main .section'), document.querySelector('main')].filter((part) => {
  const copy = part.cloneNode(true);
  for (const each of copy.querySelectorAll('header, h1, h2, .lead, .subviews, [role=tablist]')) each.remove();
  return copy.querySelector('tbody tr, dl dt, input, select, textarea, button, pre, svg, code, .editor-frame, ul a') === null && !/[a-z]\\.|[.!]$/.test(copy.textContent.trim());
}).map((part) => part.querySelector('h1, h2')?.textContent ?? 'a part without a heading')`;

interface Kind {
  readonly title: string;
  readonly parameters: readonly string[];
  readonly variables: () => Readonly<Record<string, string>>;
  /** What the views say of themselves. */
  readonly says: Readonly<Record<string, string>>;
}

const withoutDatabase = {
  '/shadow': 'it copies by the share of its configuration, and switches nothing',
  '/state/webhooks': 'This gateway has no database, so it sends no webhooks.',
  '/state/jobs': 'This gateway has no database, so no work waits after an answer.',
  '/state/audit': 'AUDIT is off: nothing is recorded.',
} as const;

const kinds: readonly Kind[] = [
  {
    title: 'an imported service',
    parameters: [],
    variables: () => ({}),
    says: {
      '/explorer': 'Callers need none',
      '/state/services': 'The services of this gateway show nothing of their own here.',
      '/state/pending': 'No request is pending.',
      '/state/webhooks': 'No endpoint yet',
      '/state/upstreams': 'FleetService',
      '/callers/deprecations': 'No call is deprecated',
    },
  },
  {
    title: 'records in Redis',
    parameters: [],
    variables: () => ({ REDIS_STORE_URL: redis.url, CONSOLE: 'on', ADMIN_TOKEN: adminToken }),
    says: {
      ...withoutDatabase,
      '/callers/list': 'No call in these days',
      '/callers/deprecations': 'No call is deprecated',
      '/state/store': 'Redis has the records of requests with a key',
      '/state/records': 'anonymous',
    },
  },
  {
    title: 'a stateless gateway',
    parameters: ['--stateless', '--upstream-idempotency', 'header'],
    variables: () => ({ CONSOLE: 'on', ADMIN_TOKEN: adminToken }),
    says: {
      ...withoutDatabase,
      '/callers/list': 'Callers are not recorded: this gateway stores nothing.',
      '/callers/readiness': 'Callers are not recorded: this gateway stores nothing.',
      '/callers/deprecations': 'deprecations are those of its configuration file',
      '/state/store': 'the servers behind this gateway recognize retries',
      '/state/records': 'This gateway stores no records',
      '/state/pending': 'This gateway stores no requests',
    },
  },
];

test('services of its own alone: each view has content, or says why it has none, without a word of others', async () => {
  const folder = tempFolder();
  const orders = pathToFileURL(join(import.meta.dirname, '../../examples/orders/orders.ts')).href;
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder.path, 'triglyph.config.ts'),
    `import { orders } from ${JSON.stringify(orders)};\nexport default { services: [orders], builtIn: false };\n`,
  );
  const { variables } = await prepareProduction(folder.path);
  const run = (...parameters: readonly string[]) => triglyph(parameters, folder.path, variables);
  expect((await run('migrate')).code).toBe(0);
  const person = ['--username', 'anna@Tenant.Acme', '--role', 'console-admin', '--json'];
  const added = await run('credential', 'add', 'Acme', ...person);
  expect([added.code, added.stderr]).toEqual([0, '']);
  const { secret } = JSON.parse(added.stdout) as { readonly secret: string };
  const server = await startServer('serve', folder.path, { ...variables, CONSOLE: 'on' });
  try {
    const visit = await browser.visit({ origin: server.admin });
    await visit.open('/console');
    await visit.logIn('anna@Tenant.Acme', secret);
    await visit.page.getByRole('navigation', { name: 'Views' }).waitFor();
    await walkViews(visit, {
      '/explorer': 'Orders',
      '/callers/list': 'No call in these days',
      '/callers/deprecations': 'No call is deprecated',
      '/state/webhooks': 'No endpoint yet',
      '/state/pending': 'No request is pending.',
      '/state/upstreams': 'This program answers every operation itself.',
      '/state/services': 'The services of this gateway show nothing of their own here.',
    });
    await visit.close();
  } finally {
    await server.stop();
    folder.discard();
  }
});

describe.each(kinds.map((each) => [each.title, each] as const))('%s', (_, { parameters, variables, says }) => {
  const folder = tempFolder();
  let gateway: ServingProgram;
  let visit: Visit;
  let apiKey: string;
  beforeAll(async () => {
    const keys = join(folder.path, 'keys');
    await triglyph(['keys', 'create', keys], folder.path);
    const all = [...imported.parameters, '--upstream', upstream.url, ...parameters];
    gateway = await serve(all, folder.path, { LOG_LEVEL: 'info', KEY_FILE: keys, ...variables() });
    visit = await browser.visit({ origin: gateway.admin });
    await visit.open('/console');
    await visit.page.getByRole('radio', { name: 'API key' }).check();
    apiKey = 'ADMIN_TOKEN' in variables() ? adminToken : await printedKey(gateway, 'Its first API key, shown once: ');
    await typeInto(visit.page.locator('[name=secret]'), apiKey);
    await visit.page.getByRole('button', { name: 'Log in', exact: true }).click();
    await visit.page.getByRole('navigation', { name: 'Views' }).waitFor();
  });
  afterAll(async () => {
    await visit.close();
    await gateway.stop();
    folder.discard();
  });

  test('each view has content, or says why it has none', () => walkViews(visit, says));

  test('a request with a type in the place of another is sent in each format, and is found again', async () => {
    const { page } = visit;
    await visit.open('/console/explorer/FleetService/1/Register');
    await page.getByRole('button', { name: 'Add vehicle' }).click();
    await page.getByText('7 optional fields').click();
    await page.getByLabel('xsiType').selectOption('Truck');
    await typeInto(page.getByLabel('Load'), '2.5');
    await page.getByRole('button', { name: 'Add Trailer' }).click();
    await page.getByRole('tab', { name: 'SOAP 1.1' }).click();
    expect(await page.getByLabel('Caller').inputValue()).toBe('none');
    await page.getByRole('button', { name: 'New key' }).click();
    const before = upstream.bodies.length;
    await page.getByText('Valid in every format.').waitFor();
    for (const format of ['SOAP 1.1', 'SOAP 1.2', 'JSON', 'FORM']) {
      await page.getByRole('tab', { name: format, exact: true }).first().click();
      await page.getByRole('button', { name: `Send as ${format}` }).click();
      await page.getByRole('heading', { name: `Answer in ${format}` }).waitFor();
      await page.getByText('registered-7').first().waitFor();
    }
    // A stateless gateway leaves retries to the server, which counts them all here.
    expect(upstream.bodies.length - before).toBe(parameters.includes('--stateless') ? 4 : 1);
    expect(upstream.bodies.at(-1)).toMatch(/:Truck"/);
    expect(upstream.bodies.at(-1)).toContain('Load>2.5<');
    await page.getByRole('button', { name: 'Show programs' }).click();
    const program = page.getByLabel('The program in curl');
    await program.waitFor();
    expect(await program.innerText()).not.toContain('API_KEY');
    await page.getByRole('link', { name: 'Find it in the traffic' }).click();
    await page.getByRole('cell', { name: 'Register v1' }).first().waitFor();
    await page.getByRole('row').filter({ hasText: 'Register v1' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Request Register' }).waitFor();
    expect(await visit.violations()).toEqual([]);
  });

  test('the text of a request is emptied without a fault of the page', async () => {
    const { page } = visit;
    await visit.open('/console/explorer/FleetService/1/GetVehicle');
    await page.getByRole('tab', { name: 'FORM', exact: true }).first().click();
    await page.getByRole('button', { name: 'All fields' }).click();
    const editor = page.getByLabel('The request in FORM', { exact: true });
    await until('the example', async () => (await editor.innerText()) === 'id=text');
    const sent = page.waitForResponse((answer) => answer.url().endsWith('/explorer/messages'));
    await typeInto(editor, '');
    expect((await sent).status()).toBe(200);
    await page.getByText('Valid in every format.').waitFor();
    await page.getByRole('button', { name: 'Send as FORM' }).click();
    await page.getByRole('heading', { name: 'Answer in FORM' }).waitFor();
  });

  test('what a database would store is changed where there is one, and refused elsewhere', async () => {
    const response = await fetch(`${gateway.admin}/console/api/v1/credentials`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
      body: JSON.stringify({ tenant: 'acme', kind: 'apiKey', role: ['console'] }),
    });
    const expected = apiKey === adminToken ? [422, 'This gateway has no database'] : [200, '"secret"'];
    expect([response.status, await response.text()]).toEqual([expected[0], expect.stringContaining(`${expected[1]}`)]);
    // Redis stores deprecations, too.
    const deprecated = await fetch(`${gateway.admin}/console/api/v1/callers/deprecations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
      body: JSON.stringify({ rule: { format: ['soap12'], deprecatedSince: '2026-01-01' } }),
    });
    const isStored = !parameters.includes('--stateless');
    expect([deprecated.status, await deprecated.text()]).toEqual([
      isStored ? 200 : 422,
      expect.stringContaining(isStored ? 'dp_' : 'it stores nothing'),
    ]);
  });

  test('a message with attachments is shown with its parts', async () => {
    const { page } = visit;
    const part = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`;
    const body =
      part(
        'Content-Type: application/xop+xml; type="text/xml"\r\nContent-ID: <root>',
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Annotate xmlns="http://tempuri.org/"><id>note-1</id>' +
          '<note>hello</note><photo><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:p1"/></photo></Annotate></e:Body></e:Envelope>',
      ) + part('Content-Type: image/png\r\nContent-ID: <p1>', 'PNG');
    const response = await fetch(`${gateway.callers}/FleetService.svc/v1`, {
      method: 'POST',
      headers: {
        'Content-Type':
          'multipart/related; type="application/xop+xml"; start="<root>"; start-info="text/xml"; boundary=b',
        SOAPAction: '"http://tempuri.org/IFleetService/Annotate"',
      },
      body: `${body}--b--\r\n`,
    });
    expect(response.status).toBe(200);
    await visit.open('/console/traffic');
    await page.getByRole('row').filter({ hasText: 'Annotate v1' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Request Annotate' }).waitFor();
    const main = page.locator('main');
    await page.getByRole('tab', { name: 'Received' }).click();
    await main.getByText('note-1').first().waitFor();
    await main.getByText('part 1: 3 bytes').first().waitFor();
    await page.getByRole('tab', { name: 'Canonical' }).click();
    await main.getByText('"photo"').first().waitFor();
  });
});

/** A visit fails at its end where a request has failed or the page has logged an error. */
async function walkViews(visit: Visit, says: Kind['says']): Promise<void> {
  const { page } = visit;
  for (const path of views) {
    await visit.open(`/console${path}`);
    await loaded(page);
    expect([path, await page.evaluate(bareParts)]).toEqual([path, []]);
    const text = await page.locator('main').innerText();
    expect([path, words.exec(text)?.[0]]).toEqual([path, undefined]);
    expect(text).toContain(says[path] ?? '');
    expect([path, await visit.violations()]).toEqual([path, []]);
    expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([path, true]);
  }
  expect(Object.keys(says).filter((path) => !views.includes(path))).toEqual([]);
  // The control: a part with its heading alone.
  const control = await visit.context.newPage();
  await control.setContent('<main><section class="section"><h2>Services</h2></section></main>');
  expect(await control.evaluate(bareParts)).toContain('Services');
  await control.close();
}

async function loaded(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await until('the view to load', async () => (await page.locator('main .loading').count()) === 0);
}

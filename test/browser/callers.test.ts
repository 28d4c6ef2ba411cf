/** Tests the view of callers in a browser: the table, a brown-out with its preview, an exemption, and who only reads. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startBrowser, type TestBrowser, type Visit, type VisitOptions } from '../support/browser.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { basic } from '../support/server.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';

let server: ConsoleServer;
let browser: TestBrowser;
const people: Record<string, { readonly username: string; readonly secret: string }> = {};

const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const body = new URLSearchParams({ merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' }).toString();

async function send(authorization: string): Promise<number> {
  const response = await fetch(`${server.callers}/pal/servlet/Recurring/v25/listRecurringDetails`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: authorization,
      'User-Agent': hostile,
    },
    body,
  });
  await response.text();
  return response.status;
}

const authorizationOf = (person: string): string => basic(people[person]!.username, people[person]!.secret);

async function enter(person: string, path: string, more: Partial<VisitOptions> = {}): Promise<Visit> {
  const visit = await browser.visit({ origin: server.admin, ...more });
  await visit.open(path);
  await visit.logIn(people[person]!.username, people[person]!.secret);
  await visit.page.getByRole('heading', { name: 'Callers', level: 1 }).waitFor();
  return visit;
}

beforeAll(async () => {
  [server, browser] = await Promise.all([startConsoleServer(), startBrowser()]);
  const { registry } = server.backend;
  const roles = { viewer: ['console'], operator: ['console-admin'], caller: ['recurring'], other: ['recurring'] };
  for (const [name, held] of Object.entries(roles)) {
    const username = `${name}@Company.Demo`;
    const grants = held[0] === 'recurring' ? { merchantAccount: ['DemoMerchant'] } : {};
    const { secret } = await registry.addCredential({ tenant: 'Demo', kind: 'basic', username, roles: held, grants });
    people[name] = { username, secret };
  }
  expect([await send(authorizationOf('caller')), await send(authorizationOf('other'))]).toEqual([200, 200]);
  await until('the records', async () => Number((await server.call('viewer', 'GET', '/callers')).body.total) >= 2);
});
afterAll(async () => {
  await Promise.all([server?.stop(), browser?.close()]);
});

test('the table, its filters, the replacement and the download', async () => {
  const visit = await enter('viewer', '/console/callers');
  const { page } = visit;
  const table = page.getByRole('table', { name: 'Callers' });
  await table.getByText('caller@Company.Demo').waitFor();
  // The name of the client is text.
  await table.getByText(hostile).first().waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/callers');
  // The rows stay while those of another filter are loaded.
  const held = Promise.withResolvers<void>();
  await page.route('**/console/api/v1/callers?*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await typeInto(page.getByLabel('Credential'), 'other@Company.Demo');
  expect(await table.getByText('caller@Company.Demo').count()).toBe(1);
  held.resolve();
  await table.getByText('caller@Company.Demo').waitFor({ state: 'detached' });
  await table.getByRole('button', { name: /The last call of/ }).click();
  await page.getByText('"shopperReference": "shopper-1"').waitFor();
  await page.getByLabel('As', { exact: true }).selectOption('C#');
  await page.getByText('using System').waitFor();
  // A page from a plain address of another machine has no clipboard.
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  await page.evaluate('document.addEventListener("copy", () => { globalThis.copied = document.activeElement.value; })');
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate('globalThis.copied')).toContain('using System');
  expect(await visit.violations()).toEqual([]);
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^callers-.*\.csv$/);
  const csv = readFileSync((await download.path())!, 'utf8');
  expect(csv).toContain('other@Company.Demo');
  expect(csv).not.toContain('caller@Company.Demo');
  await page.getByRole('tab', { name: 'Readiness' }).click();
  await page.getByLabel('Before the end of').selectOption('format form');
  await page.getByText('not begun').first().waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/callers-readiness');
  await visit.close();
});

test('the report names owners, and its page is a file that loads nothing', async () => {
  const visit = await enter('operator', '/console/callers/report');
  const { page } = visit;
  await page.getByLabel('If this ended today').selectOption('form');
  await page.getByRole('button', { name: 'Set the owner of caller@Company.Demo' }).click();
  await typeInto(page.getByLabel('Name'), hostile);
  await typeInto(page.getByLabel('Address'), 'anna@example.com');
  await page.getByRole('button', { name: 'Set', exact: true }).last().click();
  await page.getByText('The owner is set.').waitFor();
  await page.getByRole('table', { name: 'Callers and owners' }).getByText('anna@example.com').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/callers-report');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the page' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^migration-.*\.html$/);
  const html = readFileSync((await download.path())!, 'utf8');
  expect(html).toContain('anna@example.com');
  expect(html).not.toMatch(/<(img|script)/);
  await visit.close();
});

test('a heading sorts the table, the address keeps the order, and readiness has a file', async () => {
  const visit = await enter('viewer', '/console/callers');
  const { page } = visit;
  const table = page.getByRole('table', { name: 'Callers' });
  const first = () => table.getByRole('row').nth(1).innerText();
  const heading = (name: string) => table.getByRole('button', { name, exact: true });
  await heading('Credential').click();
  await until('upwards', async () => (await first()).includes('caller@Company.Demo'));
  await heading('Credential').click();
  await until('downwards', async () => (await first()).includes('other@Company.Demo'));
  expect(await table.getByRole('columnheader', { name: 'Credential' }).getAttribute('aria-sort')).toBe('descending');
  expect(page.url()).toContain('callers.sort=-Credential');
  expect(await visit.violations()).toEqual([]);
  await page.reload();
  await until('the order of the address', async () => (await first()).includes('other@Company.Demo'));
  // A third click leaves the order to the server. A column without a value has no button.
  await heading('Credential').click();
  await until('no order', async () => !page.url().includes('sort'));
  expect(await heading('Trend').count()).toBe(0);

  await visit.open('/console/callers/readiness');
  await page.getByLabel('Before the end of').selectOption({ label: 'FORM' });
  await page.getByRole('table', { name: 'Readiness' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('readiness.csv');
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
  expect(lines[0]).toBe('Credential,State,Last such call');
  expect(lines.slice(1).sort().join()).toMatch(/caller@Company.Demo,not begun,.*other@Company.Demo,not begun,/);
  await visit.close();
});

test('credentials have their names, an id is shown on request, and the filter takes both', async () => {
  const { registry } = server.backend;
  const { id, secret } = await registry.addCredential({
    ...{ tenant: 'Demo', kind: 'apiKey', roles: ['recurring'], grants: { merchantAccount: ['DemoMerchant'] } },
  });
  const response = await fetch(`${server.callers}/pal/servlet/Recurring/v25/listRecurringDetails`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
    body: '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-1"}',
  });
  expect(response.status).toBe(200);
  await until('the record', async () =>
    JSON.stringify((await server.call('viewer', 'GET', '/callers')).body).includes(id),
  );
  const name = `API key of Demo …${id.slice(-4)}`;
  const visit = await enter('viewer', '/console/callers');
  const { page } = visit;
  const row = page.getByRole('table', { name: 'Callers' }).getByRole('row').filter({ hasText: name });
  await row.waitFor();
  expect(await row.getByText(id).isVisible()).toBe(false);
  await row.locator('summary').click();
  await row.getByText(id).waitFor();
  // The click is for the id: the row does not open.
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await visit.violations()).toEqual([]);
  for (const given of [name, id]) {
    await typeInto(page.getByLabel('Credential'), given);
    await page.getByText('1 row', { exact: true }).waitFor();
    await row.waitFor();
  }
  await visit.open(`/console/traffic?caller=${encodeURIComponent(name)}`);
  await page.getByRole('row').filter({ hasText: name }).waitFor();
  // A moment has its zone and its exact time in the title.
  const moment = page.getByRole('row').filter({ hasText: name }).locator('time');
  expect(await moment.getAttribute('title')).toMatch(/CES?T.*\(\d{4}-\d\d-\d\dT[\d:.]+Z\)$/);
  await visit.open('/console/traffic?caller=ws');
  await page.getByText('No request yet.').waitFor();
  await visit.close();
});

test('the callers are in order for axe in dark colours', async () => {
  const visit = await enter('viewer', '/console/callers', { colorScheme: 'dark' });
  for (const tab of ['Callers', 'Readiness', 'Report', 'Deprecations']) {
    await visit.page.getByRole('tab', { name: tab }).click();
    await visit.page.getByText('Loading…').first().waitFor({ state: 'detached' });
    expect([tab, await visit.violations()]).toEqual([tab, []]);
    await visit.picture(`console/callers-dark-${tab.toLowerCase()}`);
  }
  await visit.close();
});

test('who only reads sees deprecations, and gets no button', async () => {
  const visit = await enter('viewer', '/console/callers/deprecations', { viewport: { width: 390, height: 844 } });
  await visit.page.getByText('Only a credential with the role console-admin').waitFor();
  expect(await visit.page.getByRole('button', { name: 'Deprecate calls' }).count()).toBe(0);
  expect(await visit.violations()).toEqual([]);
  await visit.close();
});

test('scanners, typing errors and the console are no callers', async () => {
  const path = '/pal/servlet/Recurring/v25';
  const asJson = { 'Content-Type': 'application/json', Authorization: authorizationOf('caller') };
  const post = async (at: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const response = await fetch(server.callers + at, {
      method: 'POST',
      headers: { 'User-Agent': 'scan/1', ...headers },
      body: '{}',
    });
    await response.text();
    return response.status;
  };
  const asConsole = { ...asJson, 'User-Agent': 'triglyph-console' };
  expect([
    await post(`${path}/listRecuringDetails`, asJson),
    await post(`${path}/disable`, { 'Content-Type': 'application/json' }),
    await post('/wp-login.php', {}),
    await post(`${path}/disable`, asConsole),
    // The control: a caller whose call is refused is one.
    await post(`${path}/disable`, { ...asJson, 'User-Agent': 'shop/9' }),
  ]).toEqual([404, 401, 404, 422, 422]);
  await until('the records', async () =>
    JSON.stringify((await server.call('viewer', 'GET', '/callers')).body).includes('shop/9'),
  );
  const visit = await enter('operator', '/console/callers');
  const { page } = visit;
  const table = page.getByRole('table', { name: 'Callers' });
  await table.getByText('shop/9').waitFor();
  expect([await table.getByText('scan/1').count(), await table.getByText('triglyph-console').count()]).toEqual([0, 0]);
  await page.getByLabel('Scanners, typing errors and this console, too').check();
  await table.getByText('scan/1').first().waitFor();
  await table.getByText('triglyph-console').waitFor();
  await visit.open('/console/callers/readiness');
  await page.getByLabel('Before the end of').selectOption('format form');
  await page.getByRole('table', { name: 'Readiness' }).waitFor();
  expect(await page.getByText('scan/1').count()).toBe(0);
  await visit.open('/console/callers/deprecations');
  await page.getByRole('button', { name: 'Deprecate calls' }).click();
  await page.getByLabel('JSON', { exact: true }).check();
  await page.getByRole('button', { name: 'Show affected callers' }).click();
  const affected = page.getByRole('table', { name: 'Affected callers' });
  await affected.getByText('Recurring.disable v25 in JSON').waitFor();
  expect(await affected.getByText('without a valid credential').count()).toBe(0);
  expect(await affected.getByText('unknown').count()).toBe(0);
  expect(await affected.getByText('Recurring.disable v25 in JSON').count()).toBe(1);
  await visit.close();
});

test('an operator sees whom a brown-out hits, sets it, exempts one caller, and ends it', async () => {
  const visit = await enter('operator', '/console/callers/deprecations');
  const { page } = visit;
  await page.getByRole('button', { name: 'Deprecate calls' }).click();
  // A selection that ends beside the dialog does not close it.
  await typeInto(page.getByLabel('Sunset', { exact: true }), '2099-12-31');
  await page.getByLabel('Sunset', { exact: true }).hover();
  await page.mouse.down();
  await page.mouse.move(10, 400);
  await page.mouse.up();
  await typeInto(page.getByLabel('Sunset', { exact: true }), '');
  await page.getByLabel('FORM', { exact: true }).check();
  // Only operations that exist can be chosen, and what is chosen can be removed.
  await page.getByLabel('Operations').selectOption('storeToken');
  await page.getByRole('button', { name: 'Show affected callers' }).click();
  await page.getByText('affected 0 credentials with 0 requests').waitFor();
  await page.getByRole('button', { name: 'Remove storeToken' }).click();
  expect(await page.getByLabel('Operations').locator('option').allTextContents()).not.toContain('listRecuringDetails');
  // Dates that contradict each other are refused before anything is saved.
  await typeInto(page.getByLabel('Sunset', { exact: true }), '2020-01-01');
  await page.getByRole('button', { name: 'Show affected callers' }).click();
  await page.getByText('sunset is before deprecatedSince').waitFor();
  await typeInto(page.getByLabel('Sunset', { exact: true }), '');
  for (const [at, from, to] of [
    [1, '00:00', '12:00'],
    [2, '12:00', '00:00'],
  ] as const) {
    await page.getByRole('button', { name: 'Add a brown-out' }).click();
    await page.getByLabel(`Brown-out ${at}`, { exact: true }).selectOption('day');
    await typeInto(page.getByLabel('From', { exact: true }).last(), from);
    await typeInto(page.getByLabel('To', { exact: true }).last(), to);
  }
  await page.getByRole('button', { name: 'Show affected callers' }).click();
  await page.getByText('affected 2 credentials with 2 requests').waitFor();
  expect(await visit.violations()).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/callers-preview-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await visit.picture('console/callers-preview');
  // Nothing is set before it is confirmed.
  expect(await send(authorizationOf('caller'))).toBe(200);
  await page.getByRole('button', { name: 'Save: servers apply it now' }).click();
  await page.getByText('brown-out: refused').waitFor();
  expect(await send(authorizationOf('caller'))).toBe(410);
  await page.getByRole('button', { name: 'Exempt a caller from format form' }).click();
  await page.getByRole('combobox', { name: 'Credential' }).selectOption({ label: 'other@Company.Demo' });
  await page.getByRole('button', { name: 'Exempt', exact: true }).click();
  await page.getByRole('button', { name: 'End the exemption of other@Company.Demo' }).waitFor();
  expect([await send(authorizationOf('caller')), await send(authorizationOf('other'))]).toEqual([410, 200]);
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/callers-deprecations');
  await page.getByRole('button', { name: 'End format form' }).click();
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByText('No call is deprecated').waitFor();
  expect(await send(authorizationOf('caller'))).toBe(200);
  await visit.close();
});

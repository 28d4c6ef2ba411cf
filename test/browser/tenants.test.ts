/** Tests the console in a browser as people of one company see it. The control is a person who operates the gateway. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startBrowser, type TestBrowser, type Visit } from '../support/browser.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { typeInto } from '../support/typing.ts';

let server: ConsoleServer;
let browser: TestBrowser;
let people = 0;

beforeAll(async () => {
  [server, browser] = await Promise.all([startConsoleServer({ variables: { TRAFFIC: 'always' } }), startBrowser()]);
});
afterAll(async () => {
  await Promise.all([server?.stop(), browser?.close()]);
});

async function enter(role: string): Promise<Visit> {
  people += 1;
  const username = `person${people}@Company.Demo`;
  const { secret } = await server.backend.registry.addCredential({
    ...{ tenant: 'Demo', kind: 'basic', username, roles: [role], grants: {} },
  });
  const visit = await browser.visit({ origin: server.admin });
  await visit.open('/console');
  await visit.logIn(username, secret);
  await visit.page.getByRole('navigation', { name: 'Views' }).waitFor();
  return visit;
}

async function call(tenant: 'Demo' | 'Other'): Promise<string> {
  const response = await fetch(`${server.callers}/pal/servlet/Recurring/v68/listRecurringDetails`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': `${tenant.toLowerCase()}-api-key` },
    body: JSON.stringify({ merchantAccount: `${tenant}Merchant`, shopperReference: 'shopper-1' }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('pspReference')!;
}

const open = async ({ page, open: visit }: Visit, path: string): Promise<string> => {
  await visit(`/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  return page.locator('main').innerText();
};
const bound = [
  ...['/overview', '/explorer', '/explorer/Recurring/68/disable', '/explorer/convert', '/traffic'],
  ...['/callers/list', '/callers/readiness', '/callers/report', '/callers/deprecations'],
  ...['/state/webhooks', '/state/records', '/state/pending', '/state/audit', '/actions', '/docs/console'],
];
const ofAll = ['jobs', 'services', 'upstreams', 'store', 'processes', 'keys', 'settings'].map(
  (each) => `/state/${each}`,
);
const sentence = 'This is about all tenants, so it is for people who operate the gateway.';

test('each view is bound, or says why it is not shown', async () => {
  const other = await call('Other');
  const visit = await enter('console-tenant-admin');
  const { page } = visit;
  await page.getByText('may act in Demo only').waitFor();
  const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
  expect(await links.allInnerTexts()).toEqual([
    ...['Overview', 'Explorer', 'Traffic', 'Callers', 'State', 'Actions', 'Documentation'],
  ]);
  for (const path of bound) {
    const text = await open(visit, path);
    expect([path, /Company\.Other|of Other|OtherMerchant|Refused \(/.test(text), text.includes(other)]).toEqual([
      ...[path, false, false],
    ]);
    expect([path, await visit.violations()]).toEqual([path, []]);
  }
  for (const path of [...ofAll, '/shadow', '/testing'])
    expect([path, await open(visit, path)]).toEqual([path, expect.stringContaining(sentence)]);
  expect(await visit.violations()).toEqual([]);
  await visit.close();
});

test('the live list and the search have what belongs to the company', async () => {
  const [person, operator] = [await enter('console-tenant'), await enter('console')];
  await person.page.getByText('reads in Demo only').waitFor();
  for (const each of [person, operator]) {
    await each.open('/console/traffic');
    await each.page.getByText('Live', { exact: true }).waitFor();
  }
  const [other, own] = [await call('Other'), await call('Demo')];
  for (const { page } of [person, operator]) await page.getByRole('cell', { name: own }).waitFor();
  expect(await operator.page.getByRole('cell', { name: other }).count()).toBe(1);
  expect(await person.page.getByRole('cell', { name: other }).count()).toBe(0);
  const found = async ({ page }: Visit, text: string): Promise<number> => {
    await page.keyboard.press('Control+k');
    await typeInto(page.getByRole('combobox', { name: 'Search in the console' }), text);
    // Names of callers are loaded with the list.
    const option = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    await option.first().waitFor();
    const titles = await option.allInnerTexts();
    await page.keyboard.press('Escape');
    return titles.filter((each) => /^(?:Caller\s+ws@Company\.Other|View\s+Shadow)/.test(each)).length;
  };
  for (const text of ['ws@company', 'shadow']) {
    expect([text, await found(person, text)]).toEqual([text, 0]);
    expect(await found(operator, text)).toBeGreaterThan(0);
  }
  await Promise.all([person.close(), operator.close()]);
});

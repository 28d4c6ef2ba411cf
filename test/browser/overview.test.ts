/** Tests the first page of the console in a browser: in both colour schemes, on a phone and with the keyboard alone. */
import { expect, test } from '@jest/globals';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { until } from '../support/until.ts';

const demo = demoInBrowser();

const phone = { width: 390, height: 844 };

test.each([
  ['light', undefined],
  ['dark', undefined],
  ['light', phone],
] as const)('one click leads from the log-in to the overview: %s %o', async (colorScheme, viewport) => {
  const visit = await demo.browser.visit({ origin: demo.server.callers, colorScheme, ...(viewport && { viewport }) });
  const { page } = visit;
  const name = `${colorScheme}${viewport ? '-phone' : ''}`;
  await visit.open('/console');
  await page.getByRole('heading', { name: 'Triglyph console' }).waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture(`console/log-in-${name}`);
  await page.getByRole('button', { name: 'Enter the demo' }).click();
  await page.getByRole('cell', { name: 'Recurring Stored payment' }).waitFor();
  expect(await visit.violations()).toEqual([]);
  // Nothing is wider than the screen.
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await visit.picture(`console/overview-${name}`);
  await visit.close();
});

const listing = '/pal/servlet/Recurring/v68/listRecurringDetails';
const sendAs = async (path: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> => {
  const response = await fetch(demo.server.callers + path, { method: 'POST', headers, body });
  await response.text();
  return response.status;
};
const asJson = { 'Content-Type': 'application/json', 'X-API-Key': 'demo-api-key' };
const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

test('the last hour: rates, errors and times by format and operation, callers, and what is new', async () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-API-Key': 'demo-api-key' };
  expect([
    await sendAs(listing, asJson, JSON.stringify(shopper)),
    await sendAs(listing, asJson, '{}'),
    await sendAs(listing, form, new URLSearchParams(shopper).toString()),
    // Neither a typing error nor a scanner is a call of an operation, and the latter has no credential.
    await sendAs('/pal/servlet/Recurring/v68/listRecuringDetails', asJson, '{}'),
    await sendAs('/wp-login.php', {}, 'log=admin'),
  ]).toEqual([200, 422, 200, 404, 404]);
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  await visit.enterDemo('/console/explorer/Recurring/68/disable');
  await page.getByRole('button', { name: 'Send as JSON' }).click();
  await page.getByRole('heading', { name: 'Answer in JSON' }).waitFor();
  await visit.open('/console/overview');
  const cells = async (table: string, row: string): Promise<readonly string[]> =>
    page
      .getByRole('table', { name: table })
      .getByRole('row')
      .filter({ hasText: row })
      .getByRole('cell')
      .allInnerTexts();
  await page.getByRole('table', { name: 'Formats of the last hour' }).waitFor();
  expect((await cells('Formats of the last hour', 'FORM')).slice(0, 3)).toEqual(['FORM', '1', '0 (0 %)']);
  expect((await cells('Operations of the last hour', 'listRecurringDetails')).slice(1, 3)).toEqual(['3', '1 (33.3 %)']);
  expect((await cells('Operations of the last hour', 'listRecurringDetails'))[4]).toMatch(/^[\d.]+ m?s$/);
  expect(await page.getByText('listRecuringDetails').count()).toBe(0);
  // What the console sent is a request, and no caller: its credential is that of the demo, too.
  expect((await cells('Operations of the last hour', 'Recurring.disable'))[1]).toBe('1');
  const callers = page.getByRole('table', { name: 'Callers of the last hour' }).getByRole('row');
  expect(await callers.count()).toBe(2);
  expect((await cells('Callers of the last hour', 'API key of Demo'))[1]).toBe('3');
  // Arrow keys read the chart.
  const chart = page.getByRole('slider', { name: /^Requests in each minute/ });
  await chart.focus();
  await page.keyboard.press('End');
  const last = await chart.getAttribute('aria-valuetext');
  await page.keyboard.press('Home');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d: (Document 0, )?FORM 0, JSON 0/);
  expect(last).toMatch(/^\d\d:\d\d: /);
  expect(await chart.getAttribute('aria-valuetext')).not.toBe(last);
  const changes = page.getByRole('table', { name: 'Changes of the last 24 hours' });
  await changes.getByText('command: demo').waitFor();
  // The gateway records its callers after a while, and the page asks again after 30 s.
  await until('the call to be new', async () => {
    await visit.open('/console/overview');
    await changes.getByText('command: demo').waitFor();
    return changes.getByText('New call: Recurring.listRecurringDetails in form by').isVisible();
  });
  expect(await changes.getByText('disable').count()).toBe(0);
  expect(await visit.violations()).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await visit.violations()).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await visit.picture('console/overview-hour', { fullPage: true });
  await visit.close();
});

test('the first visit has three cards with one button each, which are hidden for good', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  await visit.enterDemo();
  const cards = page.locator('.welcome > section');
  await cards.first().waitFor();
  expect(await cards.count()).toBe(3);
  for (const [at, path] of ['/explorer', '/traffic', '/callers'].entries()) {
    expect(await cards.nth(at).getByRole('button').count()).toBe(1);
    await cards.nth(at).getByRole('button').click();
    await page.waitForURL(`**/console${path}*`);
    await visit.open('/console/overview');
    await cards.first().waitFor();
  }
  // A gateway with callers has nothing of an empty one.
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
  expect(await page.getByText('No caller has a credential yet').count()).toBe(0);
  await page.getByRole('button', { name: 'Hide' }).click();
  expect(await cards.count()).toBe(0);
  await page.reload();
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
  expect(await cards.count()).toBe(0);
  await visit.close();
});

/** Tests the search of the console in a browser: operations, callers, settings and references, by the keyboard alone. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Visit } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';

const demo = demoInBrowser();
let visit: Visit;
let page: Page;
beforeEach(async () => {
  visit = await demo.browser.visit({ origin: demo.server.callers });
  ({ page } = visit);
  await visit.enterDemo('/console/overview');
  await page.getByRole('heading', { level: 1 }).waitFor();
});
afterEach(() => visit.close());

const field = () => page.getByRole('combobox', { name: 'Search in the console' });
const option = (name: RegExp) => page.getByRole('option', { name });

test.each([
  ['store tok', /Operation.*Recurring\.storeToken v68/, '**/console/explorer/Recurring/68/storeToken'],
  ['audit', /View.*State: Audit log/, '**/console/state/audit'],
  ['port the gateway listens', undefined, undefined],
  ['REDIS_URL', /Setting REDIS_URL /, '**/console/state/settings?settings.filter=REDIS_URL'],
] as const)('%s is found and opened by the keyboard', async (text, name, path) => {
  await page.keyboard.press('Control+k');
  await field().pressSequentially(text);
  if (name === undefined) {
    await page.getByText('Nothing is found.').waitFor();
    return;
  }
  await option(name).waitFor();
  while ((await option(name).getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
  expect(await visit.violations()).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(path);
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a reference that is pasted finds its request, and what is no reference does not', async () => {
  const response = await fetch(`${demo.server.callers}/pal/servlet/Recurring/v68/listRecurringDetails`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': 'demo-api-key' },
    body: JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' }),
  });
  const reference = response.headers.get('pspReference');
  expect(reference).toMatch(/^[A-Z0-9]{16}$/);
  await page.getByRole('button', { name: /^Search/ }).click();
  await typeInto(field(), '882613128349482');
  await page.getByText('Nothing is found.').waitFor();
  await typeInto(field(), ` ${reference} `);
  await option(/its requests in the traffic/).click();
  await page.waitForURL(`**/console/traffic?reference=${reference}`);
  await page.getByRole('row').filter({ hasText: reference! }).waitFor();
});

test('a reference finds its record and its entries in the audit log, and others find none', async () => {
  const send = async (operation: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await fetch(`${demo.server.callers}/pal/servlet/Recurring/v68/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': 'demo-api-key', ...headers },
      body: JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' }),
    });
    expect(response.status).toBe(200);
    return response.headers.get('pspReference')!;
  };
  const [keyed, other] = [
    await send('disable', { 'Idempotency-Key': 'key-of-search' }),
    await send('listRecurringDetails'),
  ];
  // Who has opened the request is in the audit log.
  await visit.open(`/console/traffic?reference=${keyed}`);
  await page.getByRole('row').filter({ hasText: keyed }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Request disable' }).waitFor();
  // Views are recorded a moment later.
  await until('the entry', async () =>
    JSON.stringify(
      await page.evaluate(`fetch('/console/api/v1/state/audit?reference=${keyed}').then((each) => each.json())`),
    ).includes('"kind":"consoleView"'),
  );
  const find = async (reference: string, place: RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    await typeInto(field(), reference);
    await option(place).click();
  };
  await find(keyed, /its idempotency record/);
  await page.getByRole('heading', { name: 'Record', exact: true }).waitFor();
  await page.getByText(/-successfully-disabled/).waitFor();
  expect(await visit.violations()).toEqual([]);
  await find(keyed, /its entries in the audit log/);
  await page.getByRole('row').filter({ hasText: keyed }).waitFor();
  await find(other, /its idempotency record/);
  await page.getByText('None of the newest 20,000 records has this reference.').waitFor();
  await find(other, /its entries in the audit log/);
  await page.getByText('There is no such entry.').waitFor();
  // The fields of the views search the same.
  await typeInto(page.getByLabel('Reference'), keyed);
  await page.getByRole('row').filter({ hasText: keyed }).waitFor();
  await visit.open('/console/state/records');
  await typeInto(page.getByLabel('Reference'), keyed);
  await page.getByRole('heading', { name: 'Record', exact: true }).waitFor();
});

test('another dialog is not covered, and Escape leaves the page as it was', async () => {
  await page.keyboard.press('Control+k');
  await field().waitFor();
  await page.keyboard.press('Control+k');
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.keyboard.press('Escape');
  await field().waitFor({ state: 'detached' });
  expect(page.url()).toContain('/console/overview');
});

test('a reference that is pasted outside of the fields is searched, and another text is not', async () => {
  const paste = (text: string, selector = 'main'): Promise<unknown> =>
    page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ${JSON.stringify(text)});
      document.querySelector('${selector}').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true }));
    })()`);
  await paste('882613128349482');
  await paste('two words');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await paste(' NQV5ZGCZ5ZRZSX65 ');
  expect(await field().inputValue()).toBe('NQV5ZGCZ5ZRZSX65');
  for (const found of [
    'its requests in the traffic',
    'its idempotency record',
    'its pending request',
    'its entries in',
  ])
    await option(new RegExp(found)).waitFor();
  await page.keyboard.press('Escape');
  // What a field gets is its own.
  await visit.open('/console/traffic');
  await page.getByLabel('Reference').waitFor();
  await paste('NQV5ZGCZ5ZRZSX65', 'input');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

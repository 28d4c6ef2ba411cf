/**
 * Tests what people come for: from the first page after the log-in, each answer is a few actions away. An action is a click, a choice,
 * a key of the search, or a text. People take 5 to 10 seconds for one, so six of them are less than a minute.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Visit } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';

const demo = demoInBrowser();
const actionsMax = 6;

/** Counts what the person does. A text that is typed into one field is one action. */
const counting = `
  globalThis.actions = 0;
  let field;
  const count = () => { actions += 1; field = undefined; };
  addEventListener('pointerdown', count, true);
  addEventListener('paste', count, true);
  addEventListener('keydown', ({ key, ctrlKey }) => { if (/^(Enter|Arrow.*)$/.test(key) || (ctrlKey && key === 'k')) count(); }, true);
  addEventListener('change', ({ target }) => { if (target.tagName === 'SELECT') count(); }, true);
  addEventListener('input', ({ target }) => { if (target.tagName !== 'SELECT' && target !== field) { count(); field = target; } }, true);
`;

let visit: Visit;
let page: Page;
beforeEach(async () => {
  visit = await demo.browser.visit({ origin: demo.server.callers });
  ({ page } = visit);
  await page.addInitScript(counting);
  await visit.enterDemo('/console');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.evaluate('actions = 0');
});
afterEach(() => visit.close());

const actions = (): Promise<number> => page.evaluate('actions');
const view = (name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
const search = () => page.getByRole('combobox', { name: 'Search in the console' });

async function send(operation: string, type: string, body: string): Promise<string> {
  const response = await fetch(`${demo.server.callers}/pal/servlet/Recurring/v68/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': type, 'X-API-Key': 'demo-api-key', 'User-Agent': 'shop/7' },
    body,
  });
  await response.text();
  return response.headers.get('pspReference') ?? '';
}
const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
const listing = (more: object = {}) =>
  send('listRecurringDetails', 'application/json', JSON.stringify({ ...shopper, ...more }));
const soap = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
  <listRecurringDetails xmlns="http://recurring.services.adyen.com"><request>
  <merchantAccount>DemoMerchant</merchantAccount><shopperReference>shopper-1</shopperReference>
  </request></listRecurringDetails></s:Body></s:Envelope>`;

test('control: each way to do something counts as one action', async () => {
  await page.keyboard.press('Control+k');
  await search().pressSequentially('aud');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await actions()).toBe(4);
});

test('the request behind a reference', async () => {
  const reference = await listing();
  expect(await page.getByText(reference).count()).toBe(0);
  await page.keyboard.press('Control+k');
  await typeInto(search(), reference);
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: reference }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Request listRecurringDetails' }).waitFor();
  await page.getByText('"shopperReference": "shopper-1"').first().waitFor();
  await visit.picture('console/task-reference');
  expect(await actions()).toBeLessThanOrEqual(actionsMax);
});

test('who still uses SOAP', async () => {
  await send('listRecurringDetails', 'text/xml', soap);
  await listing();
  const row = page.getByRole('row').filter({ hasText: 'SOAP 1.1' }).filter({ hasText: 'shop/7' });
  // The records of callers are saved every few seconds.
  await until('the record', async () => {
    const answer = await page.evaluate(`fetch('/console/api/v1/callers?format=soap11').then((each) => each.json())`);
    return (answer as { readonly total: number }).total > 0;
  });
  expect(await row.count()).toBe(0);
  await view('Callers');
  await page.getByLabel('Format').selectOption({ label: 'SOAP 1.1' });
  await row.getByText('API key of Demo').waitFor();
  await page.getByText('1 row', { exact: true }).waitFor();
  await visit.picture('console/task-soap');
  expect(await actions()).toBeLessThanOrEqual(actionsMax);
});

test('why a call was refused', async () => {
  await listing({ recurring: { contract: 'ONECLIK' } });
  await listing();
  const reason = page.getByText('Invalid contract');
  expect(await reason.count()).toBe(0);
  await view('Traffic');
  await page.getByLabel('Outcome').selectOption('refused');
  await page.getByRole('row').filter({ hasText: 'listRecurringDetails' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Request listRecurringDetails' }).waitFor();
  await reason.first().waitFor();
  await visit.picture('console/task-refused');
  expect(await actions()).toBeLessThanOrEqual(actionsMax);
});

test('how to call an operation from PHP', async () => {
  const program = page.getByRole('textbox', { name: 'The program in PHP' });
  expect(await program.count()).toBe(0);
  await page.keyboard.press('Control+k');
  await typeInto(search(), 'store token');
  await page.getByRole('option', { name: /Recurring\.storeToken v68/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Show programs' }).click();
  await page.getByRole('tab', { name: 'PHP' }).click();
  await page.getByText('<?php').first().waitFor();
  await visit.picture('console/task-php');
  expect(await actions()).toBeLessThanOrEqual(actionsMax);
});

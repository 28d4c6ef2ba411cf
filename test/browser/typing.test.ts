/** Tests that what is typed into the console stays as it was typed, on slow machines too. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Visit } from '../support/browser.ts';
import { consoleViews } from '../support/console-views.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { repeatCommand } from '../support/seed.ts';
import { slowDown, typeInto, typeText } from '../support/typing.ts';
import { until } from '../support/until.ts';

const demo = demoInBrowser();
let visit: Visit;
let page: Page;
beforeEach(async () => {
  visit = await demo.browser.visit({ origin: demo.server.callers });
  ({ page } = visit);
});
afterEach(() => visit.close());

const repeat = repeatCommand('test/browser/typing.test.ts');
const typed = '{"merchantAccount":"DemoMerchant","shopperReference":"typed by hand"}';

test.each([4, 10])('a message is typed, and typed in its middle, with a CPU that is %i times slower', async (rate) => {
  await visit.enterDemo();
  for (const [path, label] of [
    ['/console/explorer/Recurring/68/listRecurringDetails', 'The request in JSON'],
    ['/console/explorer/convert', 'The message'],
  ] as const) {
    await visit.open(path);
    const editor = page.getByLabel(label, { exact: true });
    await editor.waitFor();
    if (path.includes('Recurring')) await editor.filter({ hasText: /\S/ }).waitFor();
    await slowDown(page, rate);
    await typeInto(editor, typed);
    expect([await editor.innerText(), repeat]).toEqual([typed, repeat]);
    for (let at = 0; at < '"}'.length; at += 1) await page.keyboard.press('ArrowLeft');
    await typeText(page, ', twice');
    expect([await editor.innerText(), repeat]).toEqual([typed.replace('hand', 'hand, twice'), repeat]);
    await page.getByText('typed by hand, twice').first().waitFor();
    await slowDown(page, 1);
  }
});

test.each([1, 10])('Ctrl-K takes the next key, with a CPU that is %i times slower', async (rate) => {
  await visit.enterDemo('/console/overview');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await slowDown(page, rate);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('store token');
  expect(await page.getByRole('combobox', { name: 'Search in the console' }).inputValue()).toBe('store token');
});

/** Fields that take a text, outside of the editors. */
const fieldsOf = (within: Page | Locator): Locator =>
  within.locator('main :is(input:not([type=checkbox], [type=radio]), textarea):visible');

test('each field of each view has what was typed', async () => {
  await visit.enterDemo('/console/overview');
  await slowDown(page, 4);
  let fields = 0;
  for (const { path, filled = path } of consoleViews) {
    await visit.open(`/console${filled}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await until('the view', async () => (await page.getByText(/^Loading/).count()) === 0);
    const count = await fieldsOf(page).count();
    for (let at = 0; at < count; at += 1) {
      const field = fieldsOf(page).nth(at);
      const type = await field.getAttribute('type');
      const text = type === 'datetime-local' ? '2031-02-03T04:05' : type === 'date' ? '2031-02-03' : 'a 1';
      const label = await field.evaluate('(each) => each.ariaLabel ?? each.labels[0].textContent');
      await typeInto(field, text);
      expect([filled, label, await field.inputValue(), repeat]).toEqual([filled, label, text, repeat]);
      fields += 1;
    }
  }
  expect(fields).toBeGreaterThan(20);
  // Half a value is refused by those that are asked for at once.
  expect(visit.takeFaults().filter((each) => !/status of 4(?:00|22)/.test(each))).toEqual([]);
});

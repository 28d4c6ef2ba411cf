/** Tests the explorer of the console in a browser. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Visit } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { pasteInto, typeInto } from '../support/typing.ts';

const demo = demoInBrowser();
let visit: Visit;
let page: Page;
beforeEach(async () => {
  visit = await demo.browser.visit({ origin: demo.server.callers });
  ({ page } = visit);
});
afterEach(() => visit.close());

const editor = (title: string) => page.getByLabel(`The request in ${title}`, { exact: true });
const tab = (title: string) =>
  page.getByRole('tablist', { name: 'Formats of the request' }).getByRole('tab', { name: title, exact: true });
/** Replaces the text: the first one has come before. */
const edit = async (title: string, text: string, put = typeInto): Promise<void> => {
  await editor(title).filter({ hasText: /\S/ }).waitFor();
  await put(editor(title), text);
};
const field = (name: string) => page.getByRole('form', { name: 'Fields' }).getByLabel(name);
const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
/** Waits for a value that the server computes. */
const until = async (read: () => Promise<string>, text: string): Promise<void> => {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await read()).includes(text)) return;
    await page.waitForTimeout(50);
  }
  throw new Error(`${text} did not appear: ${(await read()).slice(0, 1_000)}`);
};
const has = (title: string, text: string) => until(() => editor(title).innerText(), text);
const fieldHas = (name: string, text: string) => until(() => field(name).inputValue(), text);

test('a replay in another format, a wrong field, and a program', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/storeToken');
  await typeInto(field('merchantAccount'), 'DemoMerchant');
  await tab('SOAP 1.1').click();
  await has('SOAP 1.1', '<merchantAccount>DemoMerchant<');
  await says('Valid in every format.');
  expect(await visit.violations()).toEqual([]);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Send as SOAP 1.1' }).click();
  await page.getByRole('heading', { name: 'Answer in SOAP 1.1' }).waitFor();
  await says('200 accepted');
  await page.getByRole('button', { name: 'Again as JSON' }).click();
  await page.getByRole('heading', { name: 'Answer in JSON' }).waitFor();
  await says('replayed: the effect was not repeated');
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/explorer-replay', { fullPage: true });

  await typeInto(field('shopperReference'), '');
  await says(/field is wrong|fields are wrong/);
  expect(await page.locator('.editor mark').count()).toBeGreaterThan(0);
  await tab('JSON').click();
  await page.locator('.editor mark').first().waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/explorer-issue');
  await typeInto(field('shopperReference'), 'shopper-9');
  await says('Valid in every format.');
  await page.getByRole('button', { name: 'Show programs' }).click();
  await page.getByRole('tab', { name: 'PHP' }).click();
  await says('json_encode($body');
  expect(await visit.violations()).toEqual([]);
});

test('a text that is edited stays as it is, and the form and the other formats follow', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/disable');
  await tab('JSON').click();
  const odd = '{ "shopperReference":"typed", "merchantAccount" :  "DemoMerchant" }';
  await edit('JSON', odd);
  await fieldHas('shopperReference', 'typed');
  expect(await editor('JSON').innerText()).toBe(odd);
  await tab('FORM').click();
  await has('FORM', 'shopperReference=typed');
  await tab('SOAP 1.2').click();
  await has('SOAP 1.2', '>typed<');
  // A malformed text leaves the others.
  await tab('JSON').click();
  await edit('JSON', '{ "shopperReference": }');
  await says(/show what was read before/);
  expect(await page.locator('.editor mark').count()).toBe(1);
  expect(await visit.violations()).toEqual([]);
  // What belongs to another operation leads there.
  await edit(
    'JSON',
    'POST /pal/servlet/Recurring/v25/listRecurringDetails HTTP/1.1\nContent-Type: application/json\n\n{"shopperReference":"elsewhere"}',
    pasteInto,
  );
  await page.waitForURL('**/console/explorer/Recurring/*/listRecurringDetails');
  await fieldHas('shopperReference', 'elsewhere');
});

test('a message on one line that is pasted gets lines, so that a fault has its own; one that is typed stays', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/disable');
  await tab('JSON').click();
  const line = '{"merchantAccount":"DemoMerchant","contract":"ONECLIK","shopperReference":"s"}';
  await edit('JSON', line);
  await page.getByRole('button', { name: 'Line 1', exact: true }).waitFor();
  expect(await editor('JSON').innerText()).toBe(line);
  await pasteInto(editor('JSON'), line);
  await page.getByRole('button', { name: 'Line 3', exact: true }).waitFor();
  await has('JSON', '\n  "contract": "ONECLIK",\n');
  // The pasted text is one step back, and the button brings the lines again.
  await editor('JSON').press('ControlOrMeta+z');
  await until(() => editor('JSON').innerText(), line);
  await page.getByRole('button', { name: 'Indent' }).click();
  await has('JSON', '\n  "contract": "ONECLIK",\n');
});

test('a message has colours, folds and can be searched', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/storeToken');
  await page.getByRole('button', { name: 'All fields' }).click();
  await tab('SOAP 1.1').click();
  await has('SOAP 1.1', 'holderName');
  await says('Valid in every format.');
  const colours = await page.evaluate(`[...new Set([...document.querySelector('.editor-frame').shadowRoot
    .querySelectorAll('.cm-line span')].map((each) => getComputedStyle(each).color))].length`);
  expect(colours).toBeGreaterThan(2);
  await page.locator('.cm-foldGutter').getByTitle('Fold line').last().click();
  await page.locator('.cm-foldPlaceholder').waitFor();
  await editor('SOAP 1.1').press('ControlOrMeta+f');
  await page.locator('.cm-search').getByRole('textbox', { name: 'Find' }).pressSequentially('merchantAccount');
  await page.keyboard.press('Enter');
  await page.locator('.cm-searchMatch-selected').waitFor();
  expect(await visit.violations()).toEqual([]);
});

test('what is sent is the last edit, also right after it', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/listRecurringDetails');
  await says('Valid in every format.');
  // The form is the source: the text in SOAP follows after a while.
  await tab('SOAP 1.1').click();
  await typeInto(field('shopperReference'), 'edited-last');
  const [sent] = await Promise.all([
    page.waitForRequest('**/explorer/requests'),
    page.getByRole('button', { name: 'Send as SOAP 1.1' }).click(),
  ]);
  expect(JSON.parse(sent.postData()!).text).toContain('<shopperReference>edited-last</shopperReference>');
  await page.getByRole('heading', { name: 'Answer in SOAP 1.1' }).waitFor();
});

test('an edit that the gateway does not read is not sent in another format, and is read again', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/listRecurringDetails');
  await says('Valid in every format.');
  await page.route('**/explorer/messages', (route) => route.abort());
  await typeInto(field('shopperReference'), 'not-read');
  await says('The last edit was not read');
  expect(await page.getByRole('button', { name: 'Send as JSON' }).isDisabled()).toBe(true);
  expect(visit.takeFaults().length).toBeGreaterThan(0);
  await page.unroute('**/explorer/messages');
  await page.getByRole('button', { name: 'Try again' }).click();
  await has('JSON', 'not-read');
  expect(await page.getByRole('button', { name: 'Send as JSON' }).isDisabled()).toBe(false);
});

test('a request, its key and its answer are there after a look at the traffic', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/disable');
  await typeInto(field('shopperReference'), 'comes-back');
  await page.getByRole('button', { name: 'New key' }).click();
  const key = await page.getByLabel('Idempotency-Key').inputValue();
  await page.getByRole('button', { name: 'Send as JSON' }).click();
  await page.getByRole('heading', { name: 'Answer in JSON' }).waitFor();
  await page.getByRole('link', { name: 'Find it in the traffic' }).click();
  await page.getByRole('heading', { name: 'Traffic', level: 1 }).waitFor();
  await page.goBack();
  await has('JSON', 'comes-back');
  expect(await field('shopperReference').inputValue()).toBe('comes-back');
  expect(await page.getByLabel('Idempotency-Key').inputValue()).toBe(key);
  await page.getByRole('heading', { name: 'Answer in JSON' }).waitFor();
});

test('the explorer and the converter are in order for axe in dark colours', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await visit.enterDemo('/console/explorer/Recurring/68/storeToken');
  await says('Valid in every format.');
  await page.getByRole('button', { name: 'Send as JSON' }).click();
  await page.getByRole('heading', { name: 'Answer in JSON' }).waitFor();
  await typeInto(field('shopperReference'), '');
  await says('1 field is wrong.');
  await page.getByRole('button', { name: 'Show programs' }).click();
  await says('The request has wrong fields');
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/explorer-dark', { fullPage: true });
  await page.getByRole('link', { name: 'Converter' }).click();
  await typeInto(page.getByLabel('The message', { exact: true }), '{"errorType":"validation","errorCode":"800"}');
  await says('The message does not say what it is');
  expect(await visit.violations()).toEqual([]);
});

test('every kind of operation has an address, and a phone shows it', async () => {
  await visit.page.setViewportSize({ width: 390, height: 844 });
  await visit.enterDemo('/console/explorer/BalancePlatform/2/createAccountHolder');
  await has('HTTP', 'POST /bcl/v2/accountHolders HTTP/1.1');
  await page.getByRole('button', { name: 'All fields' }).click();
  await says('Valid in every format.');
  expect(await visit.violations()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await visit.picture('console/explorer-phone');
  // The demo has a credential of its own for each service.
  await page.getByRole('button', { name: 'Required fields' }).click();
  await page.getByRole('button', { name: 'Send as HTTP' }).click();
  await says('200 accepted');
});

test('the converter says what a message is', async () => {
  await visit.enterDemo('/console/explorer/convert');
  await pasteInto(
    page.getByLabel('The message', { exact: true }),
    'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=a&disableRequest.recurringDetailReference=',
  );
  await says('Recurring v68 disable');
  await page.getByText(/value changes|values change/).click();
  await says('empty text is absent');
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/converter');
  await page.getByRole('button', { name: 'Open in the explorer' }).click();
  await page.waitForURL('**/console/explorer/Recurring/*/disable');
});

describe('hostile input', () => {
  const hostile = '<img src=x onerror=alert(1)>"\'&\u202etxt\u0007\u0000</textarea><script>alert(1)</script>';

  test('shows as text, in every field and every format', async () => {
    await visit.enterDemo('/console/explorer/Recurring/68/disable');
    await tab('JSON').click();
    await edit(
      'JSON',
      JSON.stringify({ [hostile]: hostile, merchantAccount: hostile, shopperReference: { a: hostile } }),
      pasteInto,
    );
    await says(/fields are wrong/);
    expect(await page.locator('img[src], main script').count()).toBe(0);
    for (const title of ['SOAP 1.1', 'SOAP 1.2', 'FORM']) {
      await tab(title).click();
      await has(title, 'onerror');
    }
    await page.getByRole('button', { name: /^Send as/ }).click();
    await says(/refused/);
    expect(await page.locator('img[src], main script').count()).toBe(0);
    expect(await visit.violations()).toEqual([]);
  });

  test('a message of 1 MB does not freeze the page', async () => {
    await visit.enterDemo('/console/explorer/Recurring/68/disable');
    await tab('JSON').click();
    await edit('JSON', JSON.stringify({ merchantAccount: '<b>'.repeat(340_000), shopperReference: 'a' }), pasteInto);
    await says('1 field is wrong.');
    await typeInto(field('shopperReference'), 'still alive');
    await tab('FORM').click();
    // Of a long line, the editor renders what is seen.
    const readEnd = async (): Promise<string> => {
      await editor('FORM').press('ControlOrMeta+End');
      return await editor('FORM').innerText();
    };
    await until(readEnd, 'shopperReference=still+alive');
  });
});

test('the keyboard alone is enough', async () => {
  await visit.enterDemo('/console/explorer/Recurring/68/disable');
  await editor('JSON').waitFor();
  await tab('JSON').focus();
  await page.keyboard.press('ArrowRight');
  await editor('FORM').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.type('x');
  await says('Valid in every format.');
  await page.getByRole('button', { name: 'Send as FORM' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Answer in FORM' }).waitFor();
  await page.locator('button:focus', { hasText: 'Send as FORM' }).waitFor();
  // A button that goes away leaves the keyboard in its group.
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('storeToken');
  await page.getByRole('button', { name: 'Remove card' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('[aria-label="Add card"]:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'card' }).locator('input:focus').waitFor();
});

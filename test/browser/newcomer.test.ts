/**
 * Follows a newcomer through the demo by what the page shows: from its address to a request in two formats, a wrong field, and the
 * request as a PHP program. `PICTURES=docs npm run jest -- test/browser/newcomer.test.ts` renews the pictures of docs/console.md.
 */
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { pasteInto } from '../support/typing.ts';

const demo = demoInBrowser();

test('a newcomer sends a request in two formats, breaks it, finds it in the traffic and copies it as PHP', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page, context } = visit;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const picture = async (name: string, height: number, top = 0): Promise<void> => {
    await page.setViewportSize({ width: 1200, height });
    await page.evaluate(`scrollTo(0, ${top})`);
    // Nothing is under the pointer.
    await page.mouse.move(0, 0);
    await visit.picture(`console/${name}`);
  };
  const view = (name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
  const tab = (name: string) => page.getByRole('tab', { name, exact: true }).first().click();
  const editor = page.getByRole('textbox', { name: 'The request in JSON', exact: true });

  // The address that the demo prints.
  await visit.open('/');
  await page.getByRole('heading', { name: 'Triglyph' }).waitFor();
  await picture('start', 740);
  await page.getByRole('link', { name: 'Open the console' }).click();
  await page.getByRole('button', { name: 'Enter the demo' }).click();
  await view('Explorer');

  // One request with one key, in SOAP and in JSON.
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('disable');
  await tab('SOAP 1.1');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Send as SOAP 1.1' }).click();
  await page.getByRole('heading', { name: 'Answer in SOAP 1.1' }).waitFor();
  const status = page.getByRole('status').filter({ hasText: 'accepted' });
  await status.waitFor();
  expect(await status.textContent()).not.toContain('replayed');
  await page.getByRole('button', { name: 'Again as JSON' }).click();
  await page.getByRole('heading', { name: 'Answer in JSON' }).waitFor();
  await status.getByText('replayed: the effect was not repeated').waitFor();
  await picture('replay', 1160, 230);

  // A wrong value is marked at its field, and in the text of each format.
  await tab('JSON');
  await pasteInto(
    editor,
    '{\n  "contract": "ONECLIK",\n  "merchantAccount": "DemoMerchant",\n  "shopperReference": "shopper-1"\n}',
  );
  await page.getByText('1 field is wrong.').waitFor();
  await page.getByRole('group', { name: 'contract' }).getByText('Invalid contract').waitFor();
  expect(await page.locator('.editor mark').allTextContents()).toEqual(['"ONECLIK"']);
  await picture('wrong-field', 760);
  await tab('SOAP 1.1');
  await page.getByText(/^Line 6$/).waitFor();

  await page.getByRole('link', { name: 'Find it in the traffic' }).click();
  const calls = page.getByRole('row').filter({ hasText: 'disable' });
  await calls.nth(1).waitFor();
  expect(await calls.count()).toBe(2);
  await calls.filter({ hasText: 'replayed' }).waitFor();
  await picture('traffic', 460);
  await calls.filter({ hasText: 'SOAP 1.1' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'Request disable' }).waitFor();
  await tab('Copy as a program');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('PHP');
  await page.getByRole('button', { name: 'Copy the program' }).click();
  await page.getByText('Copied').waitFor();
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  // It has a new key: the shopper has nothing left to disable.
  expect(runPhp(copied)).toContain('"message":"Contract not found"');
  await picture('php', 1060);

  // What the overview knows of these requests, on a desk and on a phone in the dark, and the documentation.
  await visit.open('/console/overview');
  await page.getByRole('table', { name: 'Callers of the last hour' }).waitFor();
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByRole('cell', { name: 'Recurring.disable', exact: true }).waitFor();
  await picture('overview', 1080);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await visit.picture('console/overview-phone');
  await page.emulateMedia({ colorScheme: 'light' });
  await visit.open('/console/docs/callers');
  await page.getByRole('heading', { name: 'Who calls how' }).waitFor();
  await picture('docs', 620);
  await visit.close();
});

function runPhp(program: string): string {
  const env = { ...process.env, API_KEY: 'demo-api-key' };
  return execFileSync('php', { input: program, env, encoding: 'utf8', timeout: 30_000 });
}

/** Tests the first page of the console in a browser: in both colour schemes, on a phone and with the keyboard alone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let server: Server;
let browser: TestBrowser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer('demo', folder.path), startBrowser()]);
});
afterAll(async () => {
  await Promise.all([server?.stop(), browser?.close()]);
  folder.discard();
});

const phone = { width: 390, height: 844 };

test.each([
  ['light', undefined],
  ['dark', undefined],
  ['light', phone],
] as const)('one click leads from the log-in to the overview: %s %o', async (colorScheme, viewport) => {
  const visit = await browser.visit({ origin: server.callers, colorScheme, ...(viewport && { viewport }) });
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

/** Tests the first page of the console in a browser: in both colour schemes, on a phone and with the keyboard alone. */
import { expect, test } from '@jest/globals';
import { demoInBrowser } from '../support/demo-in-browser.ts';

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

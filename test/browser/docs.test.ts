/** Tests the documentation in the console: its pages, its links from views, fields and errors, and the search. */
import { expect, test } from '@jest/globals';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { typeInto } from '../support/typing.ts';

const demo = demoInBrowser();

test('each view leads to its page, each page shows, and its links lead to others', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  await visit.enterDemo('/console/state/settings');
  await page.locator('main').getByRole('link', { name: 'Documentation' }).click();
  await heading('Configuration').waitFor();
  await page.getByRole('cell', { name: 'REDIS_URL', exact: true }).waitFor();
  expect(await visit.violations()).toEqual([]);
  await page.getByRole('link', { name: 'All pages' }).click();
  const names = await page.locator('main ul a').evaluateAll((links) => links.map((each) => each.getAttribute('href')));
  expect(names.length).toBeGreaterThan(50);
  expect(names).toEqual(expect.arrayContaining(['/console/docs/callers', '/console/docs/reference/disable']));
  // Decisions and what embedders read are not in the console: links to them are texts.
  expect(names.filter((each) => /decisions|\/api$/.test(each ?? ''))).toEqual([]);
  await visit.open('/console/docs/console');
  await heading('The console').waitFor();
  await page.getByText('The explorer shows every operation of every version').waitFor();
  expect(await page.locator('article a[href*="decisions"], article img').count()).toBe(0);
  await page.locator('article').getByRole('link', { name: 'upstreams' }).first().click();
  await heading('In front of an existing server').waitFor();
  // A link to a heading scrolls to it.
  await visit.open('/console/docs/callers#deprecations');
  await page.locator('#deprecations').waitFor();
  expect(await page.locator('#deprecations').evaluate((each) => each.getBoundingClientRect().top < 400)).toBe(true);
  expect(await visit.violations()).toEqual([]);
  // A fragment that is no encoded text, or that someone made up.
  for (const fragment of ['%', '%E0%A4%A', 'javascript:alert(1)', '"><img src=x onerror=alert(1)>']) {
    await visit.open(`/console/docs/callers#${fragment}`);
    await page.reload();
    await page.locator('#deprecations').waitFor();
  }
  expect(await visit.violations()).toEqual([]);
  await visit.open('/console/docs/nothing');
  await page.getByText('The documentation has no such page.').waitFor();
  await visit.close();
});

test('search finds a page by a heading, a field leads to its reference, and an error to what to do', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers, colorScheme: 'dark' });
  const { page } = visit;
  await visit.enterDemo('/console/explorer/Recurring/68/disable');
  await page.getByRole('link', { name: 'Reference of each field' }).click();
  await page.waitForURL('**/console/docs/reference/disable');
  await page.getByRole('cell', { name: 'shopperReference' }).first().waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search in the console' });
  await typeInto(field, 'no such words in any heading');
  await page.getByText('Nothing is found.').waitFor();
  await typeInto(field, 'without a restart');
  await page.getByRole('option', { name: /Page.*without a restart/ }).click();
  await page.waitForURL('**/console/docs/callers#deprecations-without-a-restart');
  await page.locator('#deprecations-without-a-restart').waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.open('/console/traffic/1-999999');
  await page.getByRole('alert').getByRole('link', { name: 'What to do about errors' }).click();
  await page.getByRole('heading', { name: 'Troubleshooting', level: 1 }).waitFor();
  visit.takeFaults();
  await visit.close();
});

test('every page of the documentation shows, and every link in it leads to a heading that exists', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  await visit.enterDemo('/console/docs');
  await page.locator('main ul a').first().waitFor();
  const broken = await page.evaluate(`(async () => {
    const load = async (address) => (await fetch(address)).json();
    const { pages: general, builtIn } = await load(document.querySelector('link[rel=help]').href);
    const index = [...general, ...(await load(builtIn))];
    const anchors = new Set(index.flatMap(({ name, headings }) =>
      ['/docs/' + name, ...headings.map(([id]) => '/docs/' + name + '#' + id)]));
    const linksIn = (node) => typeof node === 'string' ? [] :
      [...(node[0] === 'a' ? [node[1]] : []), ...node[2].flatMap(linksIn)];
    const pages = await Promise.all(index.map(({ file }) => load(file)));
    return pages.flatMap((nodes) => nodes.flatMap(linksIn)).filter((to) => to.startsWith('/docs/') && !anchors.has(to));
  })()`);
  expect(broken).toEqual([]);
  await visit.close();
});

/** Tests every view of the console as people with other eyes, hands and screens use it, and what it weighs. */
import { expect, test } from '@jest/globals';
import type { Visit } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';

const demo = demoInBrowser();

const paths = [
  ...['/overview', '/explorer', '/explorer/Recurring/68/disable', '/explorer/convert', '/traffic'],
  ...['/callers/list', '/callers/readiness', '/callers/report', '/callers/deprecations', '/shadow'],
  ...['webhooks', 'records', 'pending', 'jobs', 'services', 'upstreams'].map((name) => `/state/${name}`),
  ...['store', 'processes', 'keys', 'settings', 'audit'].map((name) => `/state/${name}`),
  ...['/actions', '/docs', '/docs/console', '/testing', '/nothing'],
];

async function openView({ page, open }: Visit, path: string): Promise<void> {
  await open(`/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
}

test.each(['light', 'dark'] as const)('axe finds nothing in any view in %s colours', async (colorScheme) => {
  const visit = await demo.browser.visit({ origin: demo.server.callers, colorScheme });
  await visit.enterDemo();
  for (const path of paths) {
    await openView(visit, path);
    expect([path, await visit.violations()]).toEqual([path, []]);
  }
  // The control: axe sees a fault in this page.
  await visit.page.evaluate('document.querySelector("main").append(document.createElement("button"))');
  expect((await visit.violations()).join()).toContain('button-name');
  await visit.close();
});

test('at 200 % zoom nothing is wider than the screen', async () => {
  // The screen of 1280 × 860 has half as many pixels of a page.
  const visit = await demo.browser.visit({ origin: demo.server.callers, viewport: { width: 640, height: 430 } });
  const fits = (): Promise<unknown> => visit.page.evaluate('document.documentElement.scrollWidth <= innerWidth');
  await visit.enterDemo();
  for (const path of paths) {
    await openView(visit, path);
    expect([path, await fits()]).toEqual([path, true]);
  }
  await visit.page.evaluate('document.querySelector("main").append("x".repeat(400))');
  expect(await fits()).toBe(false);
  await visit.close();
});

test('with forced colours, the open view, a pressed button and the focus are seen by their shape', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  await page.emulateMedia({ forcedColors: 'active' });
  await visit.enterDemo('/console/traffic');
  await openView(visit, '/traffic');
  const shapeOf = (selector: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const { outlineStyle, outlineWidth, borderTopWidth } = getComputedStyle(document.querySelector('${selector}'));
      return { outlineStyle, outlineWidth, borderTopWidth };
    })()`);
  expect(await shapeOf('nav [aria-current]')).not.toEqual(await shapeOf('nav a:not([aria-current])'));
  const pause = 'main .button[aria-pressed]';
  const before = await shapeOf(pause);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
  expect(await shapeOf(pause)).not.toEqual(before);
  await page.keyboard.press('Tab');
  expect(await shapeOf(':focus-visible')).toMatchObject({ outlineStyle: 'solid' });
  await visit.close();
});

test('right-to-left text in a message has its own direction, line by line', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  await visit.enterDemo('/console/explorer/convert');
  const editor = page.getByRole('textbox').first();
  await editor.fill('שלום עולם\nhello world');
  const sides = (): Promise<unknown> =>
    page.evaluate(`[...document.querySelector('.editor-frame').shadowRoot.querySelectorAll('.cm-line')].map((line) => {
      const range = document.createRange();
      range.selectNodeContents(line);
      const [text, whole] = [range.getBoundingClientRect(), line.getBoundingClientRect()];
      return text.left - whole.left < whole.right - text.right ? 'left' : 'right';
    })`);
  expect(await sides()).toEqual(['right', 'left']);
  await visit.close();
});

test('all views together weigh less than 250 kB, compressed', async () => {
  const weigh = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const visit = await demo.browser.visit({ origin: demo.server.callers });
    await visit.context.setExtraHTTPHeaders(headers);
    const sizes: Promise<number>[] = [];
    visit.page.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/console/assets/'))
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await visit.enterDemo();
    for (const { name } of [{ name: 'overview' }, { name: 'explorer/Recurring/68/disable' }, { name: 'traffic' }])
      await openView(visit, `/${name}`);
    for (const name of ['callers', 'shadow', 'state', 'actions', 'docs/console', 'testing'])
      await openView(visit, `/${name}`);
    const total = (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
    await visit.close();
    return total;
  };
  expect(await weigh({})).toBeLessThan(250_000);
  // The control: the same files without compression.
  expect(await weigh({ 'Accept-Encoding': 'identity' })).toBeGreaterThan(250_000);
});

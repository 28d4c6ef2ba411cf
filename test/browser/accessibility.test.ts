/** Tests every view of the console as people with other eyes, hands and screens use it, and what it weighs. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Visit } from '../support/browser.ts';
import { consoleViews } from '../support/console-views.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';

const demo = demoInBrowser();

const paths = [...consoleViews.map(({ path, filled = path }) => filled), '/nothing'];

const isLoaded =
  'document.querySelector("main .loading") === null && [...document.querySelectorAll(".editor-frame")].every((each) => each.shadowRoot)';

async function openView({ page, open }: Visit, path: string): Promise<void> {
  await open(`/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await until('the view and its editors to load', async () => (await page.evaluate(isLoaded)) === true);
}

/** Elements that move by themselves or when they change. */
const moving = `[...document.querySelectorAll('body *')].filter((each) => {
  const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(each);
  return !/^(0s(, )?)+$/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth';
}).map((each) => each.outerHTML.slice(0, 80))`;

/** In forced colours: what is chosen, and has the shape of what is not; and lines of charts that have the colour of their ground. */
const shapeless = `[
  ...[...document.querySelectorAll('[aria-current], [aria-pressed=true], [aria-selected=true]')]
    .filter((each) => getComputedStyle(each).outlineStyle === 'none'),
  ...[...document.querySelectorAll('.chart-line, .step-part')].filter((each) => {
    const { stroke, fill } = getComputedStyle(each);
    return [stroke, fill].every((colour) => colour === 'none' || colour === getComputedStyle(document.body).backgroundColor);
  }),
].map((each) => each.outerHTML.slice(0, 80))`;

/** On a desk: tables with columns that are out of sight. On a phone each row is a block. */
const clipped = `innerWidth < 1280 ? [] : [...document.querySelectorAll('.table')].filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.getAttribute('aria-label'))`;

interface Eyes {
  readonly title: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'active' | 'none';
  readonly viewport?: { readonly width: number; readonly height: number };
}

const phone = { width: 390, height: 844 };
const eyes: readonly Eyes[] = [
  { title: 'in light colours' },
  { title: 'in dark colours', colorScheme: 'dark' },
  { title: 'on a phone in dark colours', colorScheme: 'dark', viewport: phone },
  // The screen of 1280 × 860 has half as many pixels of a page.
  { title: 'at 200 % zoom', viewport: { width: 640, height: 430 } },
  { title: 'in forced colours', forcedColors: 'active' },
  { title: 'in forced colours on a dark phone', forcedColors: 'active', colorScheme: 'dark', viewport: phone },
];

async function lookWith({ page, violations }: Visit, each: Eyes) {
  await changeEyes(page, each);
  return {
    violations: await violations(),
    moving: await page.evaluate(moving),
    fits: await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    clipped: await page.evaluate(clipped),
    shapeless: each.forcedColors === undefined ? [] : await page.evaluate(shapeless),
  };
}

async function changeEyes(page: Page, { forcedColors = 'none', colorScheme = 'light', viewport }: Eyes): Promise<void> {
  await page.setViewportSize(viewport ?? { width: 1280, height: 860 });
  await page.emulateMedia({ forcedColors, colorScheme });
}

/** The outlines of the element that the keyboard reaches next. */
async function outlinesOfFocus({ page }: Visit): Promise<ReadonlySet<unknown>> {
  await page.keyboard.press('Tab');
  const outlines = new Set<unknown>();
  for (const each of eyes) {
    await changeEyes(page, each);
    outlines.add(await page.evaluate("getComputedStyle(document.querySelector(':focus-visible')).outlineStyle"));
  }
  return outlines;
}

describe('with all eyes, axe finds nothing, nothing moves, and nothing is wider than the screen', () => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await demo.browser.visit({ origin: demo.server.callers });
    await visit.enterDemo();
  });
  afterAll(() => visit.close());

  test.each(paths)('%s', async (path) => {
    await openView(visit, path);
    for (const each of eyes)
      expect([each.title, await lookWith(visit, each)]).toEqual([
        each.title,
        { violations: [], moving: [], fits: true, clipped: [], shapeless: [] },
      ]);
    expect(await outlinesOfFocus(visit)).toEqual(new Set(['solid']));
  });

  test('the control: a page with each of these faults', async () => {
    await openView(visit, '/state/settings');
    await visit.page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('td { min-width: 60rem !important } nav * { transition: color 1s !important } nav [aria-current], :focus-visible { outline: none !important }');
    document.adoptedStyleSheets = [sheet];
    document.querySelector('main').append(document.createElement('button'), 'x'.repeat(400));
    document.querySelector('nav a').setAttribute('aria-current', 'page');
  })()`);
    for (const each of eyes) {
      const { violations, moving: moved, fits, clipped: cut, shapeless: flat } = await lookWith(visit, each);
      expect(violations.join()).toContain('button-name');
      expect(fits).toBe(false);
      expect((moved as readonly string[]).length).toBeGreaterThan(0);
      expect((cut as readonly string[]).length > 0).toBe(each.viewport === undefined);
      expect((flat as readonly string[]).length > 0).toBe(each.forcedColors !== undefined);
    }
    expect(await outlinesOfFocus(visit)).toEqual(new Set(['none']));
  });
});

test('each link to a view or a section is in the table of views', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  await visit.enterDemo();
  const found = new Set<string>();
  for (const path of ['/overview', '/explorer', '/state']) {
    await openView(visit, path);
    const links = (await visit.page.evaluate(
      `[...document.querySelectorAll('nav a, .subviews a, .actions a[class]')].map((each) => each.pathname.replace('/console', ''))`,
    )) as readonly string[];
    for (const each of links) found.add(each);
  }
  await openView(visit, '/callers');
  for (const tab of await visit.page.getByRole('tab').all()) {
    await tab.click();
    found.add(new URL(visit.page.url()).pathname.replace('/console', ''));
  }
  expect(found.size).toBeGreaterThan(20);
  const known = consoleViews.map(({ path }) => path);
  // The link of the navigation shows the first section.
  expect([...found].filter((path) => !known.some((each) => each === path || each.startsWith(`${path}/`)))).toEqual([]);
  await visit.close();
});

test('with forced colours, the open view and a pressed button differ from the others by their shape', async () => {
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
  await visit.close();
});

test('right-to-left text in a message has its own direction, line by line', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  await visit.enterDemo('/console/explorer/convert');
  const editor = page.getByLabel('The message', { exact: true });
  await typeInto(editor, 'שלום עולם\nhello world');
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
    await visit.page.waitForLoadState('networkidle');
    const total = (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
    await visit.close();
    return total;
  };
  expect(await weigh({})).toBeLessThan(250_000);
  // The control: the same files without compression.
  expect(await weigh({ 'Accept-Encoding': 'identity' })).toBeGreaterThan(250_000);
});

/** Tests tables of 10,000 rows in a browser: the page has the visible ones only, for the eye, the keyboard, a screen reader and the printer. */
import { expect, test } from '@jest/globals';
import { downloadCsv, type Visit, type VisitOptions } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';

const demo = demoInBrowser();
const count = 10_000;

const callers = Array.from({ length: count }, (_, at) => ({
  ...{ id: `use-${at}`, credential: `cr_${String(at).padStart(12, '0')}`, format: 'json' },
  // Some rows have more lines than others.
  client: `shop-${at}/1.0${at < 3_000 ? ' of a shop with a long name'.repeat(at % 3) : ''}`,
  ...{ service: 'Recurring', operation: at % 2 === 0 ? 'disable' : 'storeToken', version: 68, lastOutcome: 'ok' },
  ...{ firstUsedAt: '2026-01-01T00:00:00Z', lastUsedAt: '2026-01-02T00:00:00Z', deprecation: 'none' },
  ...{ succeeded: at, refused: 0, failed: 0, switchedOff: 0, exempt: 0, trend: [at] },
}));

async function openCallers(options: Partial<VisitOptions> = {}, query = ''): Promise<Visit> {
  const visit = await demo.browser.visit({ origin: demo.server.callers, ...options });
  await visit.page.route('**/console/api/v1/callers?*', (route) =>
    route.fulfill({ json: { isRecorded: true, total: count, since: '2026-01-01T00:00:00Z', callers } }),
  );
  await visit.enterDemo(`/console/callers${query}`);
  await visit.page.getByText('10,000 rows', { exact: true }).waitFor();
  return visit;
}

interface Seen {
  /** Rows of the body that are in the page. */
  readonly rows: number;
  /** The first one below the headings, and the last one: their numbers, from 1. */
  readonly first: number;
  readonly last: number;
  /** Whether rows fill the box from its headings to its end. */
  readonly isFilled: boolean;
  /** Where each row is, in pixels from the top of the box. */
  readonly places: Readonly<Record<string, number>>;
}

async function see({ page }: Visit): Promise<Seen> {
  return (await page.evaluate(`(() => {
    const box = document.querySelector('.table');
    const rows = [...box.querySelectorAll('tbody tr[aria-rowindex]')];
    const { top, bottom } = box.getBoundingClientRect();
    const { height } = box.querySelector('thead').getBoundingClientRect();
    const start = height > 10 ? top + height : top;
    const inSight = rows.filter((row) => row.getBoundingClientRect().bottom > start + 1 && row.getBoundingClientRect().top < bottom - 1);
    const numberOf = (row) => Number(row.getAttribute('aria-rowindex')) - 1;
    return {
      rows: box.querySelectorAll('tbody tr:not(.sizes)').length, first: numberOf(inSight[0]), last: numberOf(inSight.at(-1)),
      isFilled: inSight[0].getBoundingClientRect().top <= start + 1 && inSight.at(-1).getBoundingClientRect().bottom >= bottom - 3,
      places: Object.fromEntries(rows.map((row) => [numberOf(row), row.getBoundingClientRect().top - top])),
    };
  })()`)) as Seen;
}

/** Scrolls as a reader who pulls the bar. `top`: in pixels. */
async function scrollTo(visit: Visit, top: number): Promise<Seen> {
  await visit.page.evaluate(`document.querySelector('.table').scrollTop = ${top}`);
  await visit.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return see(visit);
}

test.each([
  ['on a desk', {}],
  ['at 200 % zoom', { viewport: { width: 640, height: 430 } }],
  ['on a phone', { viewport: { width: 390, height: 844 } }],
] as const)('%s, the page has some dozens of 10,000 rows, wherever a reader scrolls', async (_, options) => {
  const visit = await openCallers(options);
  const { page } = visit;
  expect(await see(visit)).toMatchObject({ first: 1, isFilled: true });
  const reached: number[] = [];
  for (const top of [150, 1_000, 300_000, 299_000, 10_000]) {
    const { rows, isFilled, first } = await scrollTo(visit, top);
    expect([rows < 60, isFilled]).toEqual([true, true]);
    reached.push(first);
  }
  expect(reached[2]).toBeGreaterThan(reached[3]!);
  expect(reached[3]).toBeGreaterThan(reached[4]!);
  expect((await scrollTo(visit, 1e9)).last).toBe(count);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await visit.violations()).toEqual([]);
  // A shorter table has all of its rows, and no box that scrolls.
  await scrollTo(visit, 0);
  await typeInto(page.getByRole('searchbox', { name: 'Filter Callers' }), 'shop-99');
  await page.getByText('111 of 10,000 rows').waitFor();
  expect(await page.locator('.table.long').count()).toBe(1);
  await typeInto(page.getByRole('searchbox', { name: 'Filter Callers' }), 'shop-999');
  await page.getByText('11 of 10,000 rows').waitFor();
  expect(await page.locator('.table.long').count()).toBe(0);
  expect(await page.getByRole('table', { name: 'Callers' }).getAttribute('aria-rowcount')).toBeNull();
  await visit.close();
});

test('rows of other heights that come in above do not move those in sight', async () => {
  const visit = await openCallers();
  const { page } = visit;
  // None of the rows above was in the page before.
  await scrollTo(visit, 100_000);
  await page.locator('.table').hover();
  for (let turn = 0; turn < 6; turn += 1) {
    const before = await see(visit);
    const at = await page.evaluate('document.querySelector(".table").scrollTop');
    await page.mouse.wheel(0, -160);
    await until('the wheel', async () => (await page.evaluate('document.querySelector(".table").scrollTop')) !== at);
    const after = await see(visit);
    const row = before.first + 1;
    expect([row, Math.round(after.places[row]! - before.places[row]!)]).toEqual([row, 160]);
  }
  await visit.close();
});

test('a screen reader gets a real table with the number of all rows, on a desk and a phone', async () => {
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 390, height: 844 },
  ]) {
    const visit = await openCallers({ viewport });
    const { first } = await scrollTo(visit, 300_000);
    const session = await visit.context.newCDPSession(visit.page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const roles = new Map<string, number>();
    for (const { ignored, role } of nodes)
      if (!ignored) roles.set(String(role?.value), (roles.get(String(role?.value)) ?? 0) + 1);
    const { rows } = await see(visit);
    expect([roles.get('table'), roles.get('columnheader')]).toEqual([1, 11]);
    expect([roles.get('row'), roles.get('cell')]).toEqual([rows + 1, rows * 11]);
    const table = visit.page.getByRole('table', { name: 'Callers' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(count + 1));
    const row = table.locator(`tr[aria-rowindex="${first + 1}"]`);
    expect(await row.innerText()).toContain(`cr_${String(first - 1).padStart(12, '0')}`);
    await visit.close();
  }
});

test('the keyboard scrolls the table, goes from row to row, and is not lost with a row', async () => {
  const visit = await openCallers();
  const { page } = visit;
  const inFocus = (): Promise<unknown> =>
    page.evaluate(
      'document.activeElement.closest("tr")?.getAttribute("aria-rowindex") ?? document.activeElement.className',
    );
  await page.locator('.table').focus();
  await page.keyboard.press('PageDown');
  let reached = 0;
  await until('a page down, and its end', async () => {
    const before = reached;
    reached = Number(await page.evaluate('document.querySelector(".table").scrollTop'));
    return reached > 400 && reached === before;
  });
  await page.keyboard.press('End');
  await until('the end', async () => (await see(visit)).last === count);
  await page.keyboard.press('Home');
  await until('the start', async () => (await see(visit)).first === 1);
  // Each row has a button and the id of its credential.
  await page
    .getByRole('button', { name: /The last call of/ })
    .first()
    .focus();
  let row = 2;
  const press = async (key: string): Promise<void> => {
    await page.keyboard.press(key);
    await page.evaluate('new Promise(requestAnimationFrame)');
  };
  for (let presses = 0; row < 42 && presses < 100; presses += 1) {
    await press('Tab');
    const next = Number(await inFocus());
    expect([row, row + 1]).toContain(next);
    row = next;
  }
  expect(row).toBe(42);
  // The headings cover none of the row with the focus.
  const isCovered = (): Promise<unknown> =>
    page.evaluate(
      'document.activeElement.getBoundingClientRect().top < document.querySelector("th").getBoundingClientRect().bottom',
    );
  for (let presses = 0; presses < 20; presses += 1) await press('Shift+Tab');
  expect(await isCovered()).toBe(false);
  await scrollTo(visit, 200_000);
  await until('the table', async () => (await inFocus()) === 'table long');
  const { first } = await see(visit);
  await page.keyboard.press('Tab');
  while ((await inFocus()) === '1') await page.keyboard.press('Tab');
  await until('a row in sight', async () => Math.abs(Number(await inFocus()) - first) < 15);
  await visit.close();
});

test('the address keeps the row, the order and the filter, and another order begins at its first row', async () => {
  const visit = await openCallers({}, '?callers.row=5000&callers.sort=-OK');
  const { page } = visit;
  await until('the row', async () => (await see(visit)).first === 5_000);
  // The table sorts from 9,999 downwards.
  expect(await page.locator('tr[aria-rowindex="5001"]').innerText()).toContain('shop-5000/');
  const { first } = await scrollTo(visit, 100_000);
  await page.waitForURL((url) => Math.abs(Number(url.searchParams.get('callers.row')) - first) < 2);
  await page.reload();
  await until('the same row', async () => Math.abs((await see(visit)).first - first) < 2);
  await page.getByRole('table', { name: 'Callers' }).getByRole('button', { name: 'OK', exact: true }).click();
  await until('the first row', async () => (await see(visit)).first === 1);
  await page.waitForURL((url) => !url.searchParams.has('callers.row'));
  const filter = page.getByRole('searchbox', { name: 'Filter Callers' });
  await typeInto(filter, 'shop-9999/ storetoken');
  await page.getByText('1 of 10,000 rows').waitFor();
  expect(await page.getByRole('row').nth(1).innerText()).toContain('shop-9999/1.0');
  // The value is in another column than the one that is filtered.
  await page.getByLabel('Column to filter in Callers').selectOption('Format');
  await page.getByText('0 of 10,000 rows').waitFor();
  await page.getByLabel('Column to filter in Callers').selectOption('Client');
  await typeInto(filter, 'shop-123/');
  await page.getByText('1 of 10,000 rows').waitFor();
  expect(page.url()).toMatch(/callers\.filter=shop-123.*callers\.of=Client/);
  await page.reload();
  await page.getByText('1 of 10,000 rows').waitFor();
  expect(await filter.inputValue()).toBe('shop-123/');
  // A row that the table does not have.
  await visit.open('/console/callers?callers.row=999999');
  await until('the last row', async () => (await see(visit)).last === count);
  await visit.close();
});

test('columns keep their widths while rows come and go', async () => {
  const visit = await openCallers();
  const widths = (): Promise<unknown> =>
    visit.page.evaluate(
      '[...document.querySelectorAll("th")].map((each) => Math.round(each.getBoundingClientRect().width)).join()',
    );
  const before = await widths();
  await scrollTo(visit, 300_000);
  expect(await widths()).toBe(before);
  // The control: without the row of the longest texts, they follow what is in sight.
  await visit.page.evaluate('document.querySelector(".sizes").remove()');
  expect(await widths()).not.toBe(before);
  await visit.close();
});

test('the printer gets all rows, and so does the file of a table', async () => {
  const visit = await openCallers();
  const { page } = visit;
  // A thousand: Chromium takes long for the pages of more.
  const some = callers.slice(0, 1_000);
  await page.route('**/console/api/v1/callers?*', (route) =>
    route.fulfill({ json: { isRecorded: true, total: 1_000, since: '2026-01-01T00:00:00Z', callers: some } }),
  );
  await page.reload();
  await page.getByText('1,000 rows', { exact: true }).waitFor();
  await scrollTo(visit, 20_000);
  const { first } = await see(visit);
  const printed = async (): Promise<number> => (await page.pdf({ format: 'A4' })).length;
  const whole = await printed();
  await until('the visible rows again', async () => (await see(visit)).first === first);
  await until('some dozens of them', async () => (await see(visit)).rows < 60);
  // The control: a page that does not know of the printer has those in sight.
  await page.addInitScript('addEventListener("beforeprint", (event) => event.stopImmediatePropagation())');
  await page.reload();
  await page.getByText('1,000 rows', { exact: true }).waitFor();
  expect(whole).toBeGreaterThan(5 * (await printed()));

  const pending = Array.from({ length: count }, (_, at) => ({
    ...{ id: `REQUEST${String(at).padStart(9, '0')}`, state: 'unknown', service: 'Orders', operation: 'placeOrder' },
    ...{ upstream: 'shop', tenant: 'Demo', startedAt: '2026-01-01T00:00:00+00:00' },
  }));
  await page.route('**/console/api/v1/state/pendingRequests*', (route) =>
    route.fulfill({ json: { requests: pending } }),
  );
  await visit.open('/console/state/pending?pending.sort=-Request');
  await page.getByText('10,000 rows', { exact: true }).waitFor();
  const lines = await downloadCsv(page);
  expect([lines.length, lines[1]!.split(',')[0]]).toEqual([count + 1, 'REQUEST000009999']);
  await visit.close();
});

test('nothing of a long table moves by itself, and its chosen column has a shape in forced colours', async () => {
  const visit = await openCallers({ reducedMotion: 'reduce' });
  const { page } = visit;
  expect(
    await page.evaluate(
      '[...document.querySelectorAll(".table.long, .table.long *")].filter((each) => getComputedStyle(each).scrollBehavior === "smooth").length',
    ),
  ).toBe(0);
  await page.emulateMedia({ forcedColors: 'active' });
  // Rows below the headings do not shine through.
  const background = 'getComputedStyle(document.querySelector("thead th")).backgroundColor';
  expect(await page.evaluate(background)).toMatch(/^rgb\(/);
  expect(await visit.violations()).toEqual([]);
  await visit.close();
});

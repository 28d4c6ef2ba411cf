/** Tests the state views and the test API view in a browser: every section, a dead letter, the clock and a reset. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import { createStore } from '../../src/stores/store.ts';
import { downloadCsv, type Visit, type VisitOptions } from '../support/browser.ts';
import { triglyph } from '../support/commands.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { ask } from '../support/server.ts';
import { typeInto } from '../support/typing.ts';

const demo = demoInBrowser(['--test-api']);

const enter = async (path: string, more: Partial<VisitOptions> = {}): Promise<Visit> => {
  const visit = await demo.browser.visit({ origin: demo.server.callers, ...more });
  await visit.enterDemo(path);
  return visit;
};
const isNoWider = 'document.documentElement.scrollWidth <= innerWidth';
/** Words in the cells of tables that stand on more than one line. */
const brokenWords = `[...document.querySelectorAll('td :is(code, .text)')].filter((each) => each.checkVisibility({ contentVisibilityAuto: true }))
  .map((each) => [each.getClientRects().length, each.textContent]).filter(([lines, text]) => lines > 1 && /^\\w+$/.test(text))`;

const sections = [
  ['webhooks', 'Endpoints'],
  ['records', 'Find a record by its key'],
  ['pending', 'Pending requests'],
  ['jobs', 'Jobs by kind'],
  ['services', 'Account updater'],
  ['upstreams', 'Upstreams'],
  ['store', 'Store and Redis'],
  ['processes', 'Certificates'],
  ['keys', 'Keys'],
  ['settings', 'Settings'],
  ['audit', 'Audit log'],
] as const;

test('every section of the state loads, is in order for axe, and fits a phone', async () => {
  const visit = await enter('/console/state');
  const { page } = visit;
  for (const [name, heading] of sections) {
    await page.getByRole('list', { name: 'Sections' }).locator(`a[href="/console/state/${name}"]`).click();
    await page.getByRole('heading', { name: heading, level: 2 }).waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    expect([name, await visit.violations()]).toEqual([name, []]);
    await visit.picture(`console/state-${name}`);
    await page.setViewportSize({ width: 390, height: 844 });
    expect([name, await page.evaluate(isNoWider)]).toEqual([name, true]);
    await page.setViewportSize({ width: 780, height: 860 });
    expect([name, await page.evaluate(brokenWords)]).toEqual([name, []]);
    await page.setViewportSize({ width: 1280, height: 860 });
  }
  await visit.close();
});

test('a section that cannot be read says so, and does not seem to load', async () => {
  const visit = await enter('/console/state/webhooks');
  const { page } = visit;
  for (const [name, path] of [
    ['pending', 'pendingRequests'],
    ['audit', 'audit'],
    ['settings', 'settings'],
  ]) {
    await page.route(`**/console/api/v1/state/${path}*`, (route) => route.abort());
    await page.locator(`a[href="/console/state/${name}"]`).click();
    await page.getByText('The gateway did not answer.').waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
    await page.unroute(`**/console/api/v1/state/${path}*`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The gateway did not answer.').waitFor({ state: 'detached' });
  }
  expect(visit.takeFaults().length).toBeGreaterThan(0);
  await visit.close();
});

test('settings are found by the words of their description, in which code is no punctuation', async () => {
  const visit = await enter('/console/state/settings?settings.filter=unsafe+configuration');
  const { page } = visit;
  const table = page.getByRole('table', { name: 'Settings' });
  await table.getByText('ENVIRONMENT', { exact: true }).waitFor();
  expect(await table.getByText('DATA_DIR', { exact: true }).count()).toBe(0);
  await table.locator('.hint code', { hasText: 'live' }).waitFor();
  expect(await table.innerText()).not.toContain('`');
  // The control: the description has it. Its file is for programs.
  expect((await downloadCsv(page)).join()).toContain('`live`');
  await visit.close();
});

test('a request of unknown outcome is settled from the page', async () => {
  await leaveUnknown('UNKNOWN000000001');
  const visit = await enter('/console');
  const { page } = visit;
  await page.getByRole('link', { name: /outcome/ }).click();
  await page.getByRole('link', { name: 'UNKNOWN000000001' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pending request UNKNOWN000000001' });
  await dialog.getByText('the connection was reset').waitFor();
  await dialog.getByText('"shopperReference": "anna"').waitFor();
  await typeInto(dialog.getByLabel('Output as JSON'), '{"response":7}');
  await dialog.getByRole('button', { name: 'Settle' }).click();
  await dialog.getByRole('alert').waitFor();
  expect(visit.takeFaults()).toEqual([expect.stringContaining('422')]);
  await visit.picture('console/state-settle');
  await typeInto(dialog.getByLabel('Output as JSON'), '{"response":"[detail-successfully-disabled]"}');
  await dialog.getByRole('button', { name: 'Settle' }).click();
  await dialog.getByText('The request is settled. A retry gets the output.').waitFor();
  expect(await visit.violations()).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('No request is pending.').waitFor();
  await visit.close();
});

test('the file of a table has all rows in their order, and no formula', async () => {
  const visit = await enter('/console/state/pending?pending.sort=-Request');
  const { page } = visit;
  const requests = Array.from({ length: 250 }, (_, at) => ({
    id: `REQUEST${String(at).padStart(9, '0')}`,
    state: 'unknown',
    service: 'Orders',
    operation: 'placeOrder',
    upstream: 'shop',
    tenant: ['=HYPERLINK("http://example.com")', 'Demo;@SUM(1)'][at] ?? 'Demo',
    startedAt: '2026-01-01T00:00:00+00:00',
  }));
  await page.route('**/console/api/v1/state/pendingRequests*', (route) => route.fulfill({ json: { requests } }));
  await page.reload();
  await page.getByText('250 rows', { exact: true }).waitFor();
  const lines = await downloadCsv(page);
  expect(lines).toHaveLength(251);
  expect(lines.at(-1)).toContain(`"'=HYPERLINK(""http://example.com"")"`);
  // Where the comma is the decimal sign, a semicolon begins another cell.
  expect(lines.join('\n')).toContain("Demo;'@SUM(1)");
  expect(await visit.violations()).toEqual([]);
  await visit.close();
});

test('a key leads to its record, and a wrong one to none', async () => {
  const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
  const headers = { 'Idempotency-Key': 'key-for-the-console' };
  expect((await ask(demo.server.callers, 'disable', shopper, undefined, headers)).status).toBe(200);
  const visit = await enter('/console/state/records', { colorScheme: 'dark' });
  const { page } = visit;
  await typeInto(page.getByLabel('Tenant', { exact: false }).first(), 'Demo');
  await typeInto(page.getByLabel('Idempotency-Key'), 'key-for-the-console');
  await page.keyboard.press('Enter');
  await page.getByLabel('Stored outcome').waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/state-record-dark');
  await typeInto(page.getByLabel('Idempotency-Key'), 'another');
  await page.keyboard.press('Enter');
  await page.getByText('There is no record of this key').waitFor();
  await visit.close();
});

test('the overview names a dead letter, which is retried from the page', async () => {
  await addDeadLetter();
  const visit = await enter('/console');
  const { page } = visit;
  const link = page.getByRole('link', { name: '1 webhook could not be delivered.' });
  await link.waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/overview-attention');
  await link.click();
  const region = page.getByRole('region', { name: 'Dead letters' });
  await region.getByRole('cell', { name: 'HTTP 500' }).waitFor();
  // Markup from a receiver is text.
  expect(await region.textContent()).toContain('<b>oops</b>');
  await visit.picture('console/state-dead-letter');
  await region.getByRole('button', { name: /^Retry / }).click();
  await page.getByText('1 webhook is delivered again.').waitFor();
  await page.getByText('Every webhook was delivered, or still waits.').waitFor();
  await visit.close();
});

test('the clock advances, a fault is set, and a reset brings the data back', async () => {
  const visit = await enter('/console/testing');
  const { page } = visit;
  await page.getByRole('button', { name: 'Advance 31 days' }).click();
  await page.getByText('The clock is 31 days ahead.').waitFor();
  const { now } = (await (await fetch(`${demo.server.admin}/_test/clock`)).json()) as { readonly now: string };
  expect(Date.parse(now) - Date.now()).toBeGreaterThan(30 * 86_400_000);
  await page.getByLabel('Operation').selectOption('listRecurringDetails');
  await page.getByRole('button', { name: 'Set fault' }).click();
  await page.getByRole('list', { name: 'Faults that can still happen' }).getByText('1 times').waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/testing', { fullPage: true });
  const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
  expect((await ask(demo.server.callers, 'listRecurringDetails', shopper)).status).not.toBe(200);
  await ask(demo.server.callers, 'disable', shopper);
  expect((await ask(demo.server.callers, 'listRecurringDetails', shopper)).answer).not.toHaveProperty('details');
  await page.getByRole('button', { name: 'Reset the demo' }).click();
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByText('The demo is as it was after its start.').waitFor();
  expect((await ask(demo.server.callers, 'listRecurringDetails', shopper)).answer).toHaveProperty('details');
  await visit.close();
});

test('the data of the demo is opened from a shopper to its cards, and from a platform down', async () => {
  const visit = await enter('/console/testing');
  const { page } = visit;
  await page.getByRole('button', { name: 'Open Stored details of shopper-1' }).first().click();
  await page
    .getByRole('cell', { name: /•••• \d{4}/ })
    .first()
    .waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/testing-details');
  await page.getByLabel('Data').selectOption('Balance platforms');
  await page.getByRole('button', { name: /^Open Account holders of/ }).click();
  await page
    .getByRole('button', { name: /^Open Balance accounts of/ })
    .first()
    .waitFor();
  await visit.close();
});

/** As a gateway leaves it that gets no answer of another server. */
const leaveUnknown = async (id: string): Promise<void> => {
  const engine = openSqlite({ dataDir: demo.server.dataDir, exclusive: false });
  await createStore(engine).write(async (tx) => {
    const recordKey = `key of ${id}`;
    await tx.idempotencyRecords.reservePending(recordKey, {
      requestHash: 'h',
      operation: 'disable',
      requestReference: id,
    });
    await tx.pendingRequests.add({
      ...{ id, recordKey, upstream: 'payments', service: 'Recurring', operation: 'disable', tenant: 'Demo' },
      ...{ credential: 'ws@Company.Demo', process: 'host 7', inFlightMs: 0, repeatableMs: 0 },
      input: '{"merchantAccount":"DemoMerchant","shopperReference":"anna"}',
    });
    await tx.pendingRequests.leave({ id }, id, 'OutcomeUnknown: the connection was reset');
  });
  await engine.close();
};

/** The endpoint and its event are made by the program; the delivery is given up by hand, as no test waits for days. */
const addDeadLetter = async (): Promise<void> => {
  const environment = { DATA_DIR: demo.server.dataDir, KEY_FILE: join(demo.server.dataDir, 'keys') };
  const added = await triglyph(
    ['webhooks', 'endpoint', 'add', 'Demo', 'http://127.0.0.1:9/hooks'],
    demo.folder,
    environment,
  );
  expect(added.code).toBe(0);
  const shopper = { merchantAccount: 'DemoMerchantNL', shopperReference: 'shopper-of-the-console' };
  const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2030', holderName: 'Anna' };
  const stored = await ask(demo.server.callers, 'storeToken', {
    ...shopper,
    card,
    recurring: { contract: 'RECURRING' },
    shopperEmail: 'a@example.com',
  });
  expect(stored.status).toBe(200);
  const database = new DatabaseSync(join(demo.server.dataDir, 'triglyph.db'), { timeout: 10_000 });
  database.exec(
    `update job set dead_since = 1774000000000, due_at = null, lease_owner = null, last_failure = 'HTTP 500 <b>oops</b>' where kind = 'webhook'`,
  );
  database.close();
};

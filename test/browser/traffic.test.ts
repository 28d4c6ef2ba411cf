/** Tests the view of traffic in a browser: live requests, one of them, charts, hostile content, and many requests at a time. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Schema } from '../../src/core/contract/schema.ts';
import { newestRecurring as newest } from '../../src/payments/recurring/versions.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { until } from '../support/until.ts';

const demo = demoInBrowser();

const authorization = `Basic ${Buffer.from('ws@Company.Demo:demo-password').toString('base64')}`;

async function send(operation: string, body: object | string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${demo.server.callers}/pal/servlet/Recurring/v68/${operation}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  await answer.text();
  return answer.headers.get('pspreference')!;
}

/** Details take at most 40 ms of a second: a request that follows at once on a busy machine has none. */
async function sendAlone(...parameters: Parameters<typeof send>): Promise<string> {
  await setTimeout(1_000);
  return send(...parameters);
}

const shopper = (shopperReference: string) => ({ merchantAccount: 'DemoMerchant', shopperReference });
const soap = (shopperReference: string) =>
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><listRecurringDetails xmlns="http://recurring.services.adyen.com">' +
  `<request><merchantAccount>DemoMerchant</merchantAccount><shopperReference>${shopperReference}</shopperReference></request>` +
  '</listRecurringDetails></s:Body></s:Envelope>';

/** Requests in several formats, some of them refused. */
async function sendSome(): Promise<void> {
  const key = { 'idempotency-key': 'a-key-of-the-browser-test' };
  const card = { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName: 'Anna', cvc: '737' };
  const stored = { ...shopper('browser-1'), card, recurring: { contract: 'RECURRING' } };
  for (let count = 0; count < 3; count += 1) {
    await send('listRecurringDetails', shopper('shopper-1'));
    await send('listRecurringDetails', soap('shopper-1'), { 'content-type': 'text/xml', soapaction: '""' });
    await send('listRecurringDetails', 'merchantAccount=DemoMerchant&shopperReference=shopper-1', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    await send('storeToken', stored, key);
  }
  await send('disable', { ...shopper('shopper-1'), shoperReference: 'x' });
}

interface StepRow {
  querySelector(selector: string): { readonly textContent: string | null } | null;
}

/** Milliseconds of each row, and whether it is a part of the one before. */
function timesOfSteps(rows: readonly StepRow[]): { readonly ms: number; readonly isInner: boolean }[] {
  return rows
    .filter((row) => row.querySelector('td') !== null)
    .map((row) => {
      const [, number, unit] = /([\d.]+) (m?s)/.exec(row.querySelector('[data-name=Time]')?.textContent ?? '') ?? [];
      return { ms: Number(number) * (unit === 's' ? 1_000 : 1), isInner: row.querySelector('.step-inner') !== null };
    });
}

test.each([
  ['light', undefined],
  ['dark', undefined],
  ['light', { width: 390, height: 844 }],
] as const)(
  'requests appear as they are answered, and one opens with its details: %s %o',
  async (colorScheme, viewport) => {
    const visit = await demo.browser.visit({ origin: demo.server.callers, colorScheme, ...(viewport && { viewport }) });
    const { page } = visit;
    const name = `${colorScheme}${viewport ? '-phone' : ''}`;
    await visit.enterDemo('/console/traffic');
    await page.getByText('Live', { exact: true }).waitFor();
    await sendSome();
    // Its details are opened.
    const reference = await sendAlone(
      'storeToken',
      {
        ...shopper(`browser-${name}`),
        card: { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName: 'Anna', cvc: '737' },
        recurring: { contract: 'RECURRING' },
      },
      { 'idempotency-key': `the-key-of-${name}` },
    );
    await page.getByRole('cell', { name: reference }).waitFor();
    await page.locator('.chart-legend li', { hasText: 'json' }).first().waitFor();
    expect(await visit.violations()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await visit.picture(`console/traffic-${name}`, { fullPage: true });
    await page.getByRole('row').filter({ hasText: reference }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Request storeToken' }).waitFor();
    await page.locator('h1:focus').waitFor();
    // The steps that are no part of others are the total. The control: with their parts, they are more.
    const rows = page.getByRole('table', { name: 'Time by step' }).getByRole('row');
    await rows.last().waitFor();
    const steps = await rows.evaluateAll(timesOfSteps);
    const total = steps.at(-1)!.ms;
    const sumOf = (some: typeof steps): number => some.slice(0, -1).reduce((sum, { ms }) => sum + ms, 0) / total;
    const outer = sumOf(steps.filter(({ isInner }) => !isInner));
    expect(outer).toBeCloseTo(1, 1);
    expect(sumOf(steps)).toBeGreaterThan(outer);
    expect(await visit.violations()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await visit.picture(`console/traffic-request-${name}`, { fullPage: true });
    await visit.close();
  },
);

test('the list goes on after the gateway has refused it, or was away', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  await visit.enterDemo('/console');
  await page.route('**/traffic/requests*', (route) => route.abort());
  await page.route('**/traffic/events*', (route) => route.fulfill({ status: 429, body: '' }));
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Traffic' }).click();
  await page.getByText('Not connected', { exact: true }).waitFor();
  await page.unroute('**/traffic/requests*');
  await page.getByText('Connecting again', { exact: true }).waitFor();
  await page.unroute('**/traffic/events*');
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  const reference = await send('listRecurringDetails', shopper('again'));
  await page.getByRole('cell', { name: reference }).waitFor();
  expect(visit.takeFaults().length).toBeGreaterThan(1);
  await visit.close();
});

/** Markup, an override of the direction, a control character and a line break. */
const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202Egnp.exe\u0007\n"&amp;';
/** What of it would have become an element or run. */
const injected =
  'document.querySelectorAll("main img, main script, main iframe").length + (/^[12]$/.test(document.title) ? 1 : 0)';

test('hostile content in every field shows as text, also a megabyte of it', async () => {
  const visit = await demo.browser.visit({ origin: demo.server.callers });
  const { page } = visit;
  const { operations } = newest;
  const body = hostileIn(operations.get('storeToken')!.input, 'DemoMerchant');
  const references = [
    await sendAlone('storeToken', body as object, { 'user-agent': 'agent <img src=x>', 'x-request-id': 'a<img>' }),
    await sendAlone('storeToken', { ...(body as object), [hostile]: hostile }),
    await sendAlone('disable', { ...shopper(hostile), recurringDetailReference: hostile }),
    await sendAlone('disable', `{${hostile}`),
    await sendAlone('disable', { merchantAccount: 'DemoMerchant' }),
    await sendAlone('listRecurringDetails', soap(`<![CDATA[${hostile.replace('\u0007', '')}]]>`), {
      'content-type': 'text/xml',
    }),
    await sendAlone('listRecurringDetails', { ...shopper('x'), filler: hostile.repeat(9_000) }),
  ];
  await visit.enterDemo('/console/traffic');
  for (const reference of references) {
    await page.getByRole('row').filter({ hasText: reference }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Messages' }).waitFor();
    // A small window at a zoom of 200 %.
    await page.setViewportSize({ width: 640, height: 430 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.setViewportSize({ width: 1280, height: 860 });
    for (const tab of ['Received', 'Canonical', 'Answer', 'Copy as a program']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await page.evaluate(injected)).toBe(0);
    }
    await page.getByRole('link', { name: 'All requests' }).click();
    expect(await page.evaluate(injected)).toBe(0);
  }
  // An override of the direction is a word.
  await page.getByRole('row').filter({ hasText: references[0]! }).getByRole('link').first().click();
  await page.getByText('U+202E').first().waitFor();
  // The control: rendered as markup, the text of the message has elements.
  const text = (await page.evaluate(
    'document.querySelector("main .editor-frame").shadowRoot.querySelector(".cm-content").textContent',
  )) as string;
  const control = await visit.context.newPage();
  await control.setContent(`<main>${text}</main>`);
  expect(await control.evaluate(injected)).toBeGreaterThan(0);
  await visit.close();
});

/** An input in which every text is hostile. */
function hostileIn(schema: Schema, account: string, name = ''): unknown {
  switch (schema.kind) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.fields).map(([field, each]) => [field, hostileIn(each.schema, account, field)]),
      );
    case 'list':
      return schema.joined ? hostile : [hostileIn(schema.item, account, name)];
    case 'map':
      return { [hostile]: hostile };
    default:
      return name === 'merchantAccount' ? account : hostile;
  }
}

describe('10,000 requests in a minute', () => {
  /** Four seconds at this rate, a request in each event. */
  const count = 660;

  interface Measured {
    /** How often the list was drawn, which is what blocks a page. Its time depends on what else the machine does. */
    readonly drawings: number;
    /** Rows that are in the page while requests come fast. */
    readonly rows: number;
  }

  /** Replaces the stream by one that the test feeds. `isBatched`: as the page does it, or with a drawing for each event. */
  async function measure(isBatched: boolean): Promise<Measured> {
    const visit = await demo.browser.visit({ origin: demo.server.callers });
    const { page } = visit;
    await page.addInitScript(`
      globalThis.EventSource = class { constructor() { globalThis.stream = this; setTimeout(() => this.onopen?.(), 0); } close() {} };
      if (!${isBatched}) {
        const later = globalThis.setTimeout;
        globalThis.setTimeout = (work, ms, ...rest) => ms === 200 ? void queueMicrotask(work) : later(work, ms, ...rest);
      }`);
    await visit.enterDemo('/console/traffic');
    await until(
      'the page reads the stream',
      async () => (await page.evaluate('globalThis.stream?.onmessage != null')) === true,
    );
    const measured = (await page.evaluate(`new Promise((resolve) => {
      let drawings = 0;
      new MutationObserver(() => { drawings += 1; }).observe(document.querySelector('.traffic-list'), { childList: true, subtree: true });
      const line = (at) => ({ id: '1-' + at, at: Date.now(), method: 'POST', format: 'json', service: 'Recurring', version: 68, operation: 'disable',
        caller: 'cr_1', outcome: 'ok', isFailure: false, status: 200, ms: 1.5, bytesIn: 10, bytesOut: 10, key: 'new', reference: 'R' + at, hasDetails: false });
      let sent = 0;
      // 10,000 in a minute are one in 6 ms.
      const tick = () => {
        for (const at of [1, 2, 3]) { sent += 1; globalThis.stream.onmessage({ data: JSON.stringify({ requests: [line(sent)], missed: 0 }) }); }
        if (sent < ${count}) new Promise((next) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = next; setTimeout(() => port2.postMessage(0), 18); }).then(tick);
        else resolve({ drawings, rows: document.querySelectorAll('main .traffic-list tbody tr').length });
      };
      tick();
    })`)) as Measured;
    await page.getByText(`R${count}`, { exact: true }).waitFor();
    expect(await page.getByRole('table', { name: 'Requests' }).getAttribute('aria-rowcount')).toBe('201');
    await visit.close();
    return measured;
  }

  test('leave the page responsive, and its list has an end', async () => {
    const [unbatched, batched] = [await measure(false), await measure(true)];
    expect(batched.rows).toBeLessThan(60);
    // The control draws for each request.
    expect(batched.drawings * 4).toBeLessThan(unbatched.drawings);
  });

  test('can be paused, and go on', async () => {
    const visit = await demo.browser.visit({ origin: demo.server.callers });
    const { page } = visit;
    await visit.enterDemo('/console/traffic');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const reference = await send('listRecurringDetails', shopper('paused'));
    await page.getByText('Paused, 1 new').waitFor();
    expect(await page.getByRole('cell', { name: reference }).count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('cell', { name: reference }).waitFor();
    // A filter is a part of the address.
    await page.getByLabel('Format', { exact: true }).selectOption('soap11');
    await page.waitForURL('**/console/traffic?format=soap11');
    await page.getByRole('cell', { name: reference }).waitFor({ state: 'detached' });
    await visit.close();
  });
});

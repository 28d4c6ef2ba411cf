/**
 * Opens each view of the console of a gateway with data, and finds none of them empty. `PICTURES=docs npm run jest -- test/browser/pictures.test.ts`
 * does so on a desk and on a phone, in light and in dark colours, and writes pictures to `.cache/pictures` and `docs/images`.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { planUpstreams } from '../../src/backend/upstreams/plan.ts';
import { readSources } from '../../src/config/variable-sources.ts';
import { builtInServices } from '../../src/payments/index.ts';
import { sealKeys } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { statement } from '../../src/stores/sql/engine.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { consoleViews } from '../support/console-views.ts';
import { pasteInto, typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';
import { answerJson, startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

/** What this gateway does not have. */
const emptyParts: Readonly<Record<string, readonly string[]>> = {
  'state-processes': ['The gateway presents no certificate of its own.'],
};

const screens = [
  { name: 'desk-light', colorScheme: 'light', viewport: { width: 1200, height: 760 } },
  { name: 'desk-dark', colorScheme: 'dark', viewport: { width: 1200, height: 760 } },
  { name: 'phone-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

const soap = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">
  <s:Body>
    <listRecurringDetails xmlns="http://recurring.services.adyen.com">
      <request>
        <merchantAccount>DemoMerchant</merchantAccount>
        <shopperReference>shopper-1</shopperReference>
      </request>
    </listRecurringDetails>
  </s:Body>
</s:Envelope>`;

/** What the documentation shows of all pictures. */
const shown =
  /^(?!state-(?:records|jobs|services|upstreams|store|processes|keys|settings)).*-(?:desk-light|phone-dark)$/;

let server: ConsoleServer;
let browser: TestBrowser;
let upstreams: readonly UpstreamServer[];

beforeAll(async () => {
  upstreams = await Promise.all(
    ['Contract not found', 'No such contract'].map((message) =>
      startUpstreamServer((to) =>
        answerJson(to, 422, { status: 422, errorCode: '800', message, errorType: 'validation' }),
      ),
    ),
  );
  const [url, shadowUrl] = upstreams.map((each) => each.url) as [string, string];
  const shadow = { url: shadowUrl, credentials: 'none', writes: 'sandbox', idempotency: 'header' } as const;
  const { plan, faults } = planUpstreams(
    {
      upstreams: { erp: { url, credentials: 'none', shadow } },
      answeredBy: { 'Recurring.scheduleAccountUpdater': 'erp' },
    },
    builtInServices,
    readSources(),
  );
  if (plan === undefined) throw new Error(faults.join(' '));
  [server, browser] = await Promise.all([
    startConsoleServer({ variables: { TRAFFIC: 'always' }, overrides: { upstreams: plan } }),
    startBrowser(),
  ]);
  await addData(server);
});
afterAll(async () => {
  await Promise.all([
    browser?.close(),
    server?.stop(),
    ...(upstreams ?? []).map((each) => each[Symbol.asyncDispose]()),
  ]);
});

test('no view of a gateway with data is empty', async () => {
  const person = await addPerson(server);
  const taken = process.env.PICTURES === 'docs' ? screens : screens.slice(0, 1);
  for (const { name: screen, ...options } of taken) {
    const visit = await browser.visit({ origin: server.admin, ...options });
    const { page } = visit;
    const take = async (name: string): Promise<void> => {
      await page.mouse.move(0, 0);
      const picture = `${name}-${screen}`;
      await visit.picture(`console/views/${picture}`, { isOfDocs: shown.test(picture) });
    };
    await visit.open('/console');
    await typeInto(page.getByRole('textbox', { name: /^One-time code/ }), person.recoveryCodes.pop()!);
    await take('log-in');
    await visit.logIn(person.username, person.secret);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    for (const { name: view, path, filled = path } of consoleViews) {
      await visit.open(`/console${filled}`);
      await loaded(page);
      if (view === 'converter') {
        await pasteInto(page.getByLabel('The message', { exact: true }), soap);
        await page.locator('main .empty').waitFor({ state: 'detached' });
      }
      expect([view, await page.locator('main .empty').allInnerTexts()]).toEqual([view, emptyParts[view] ?? []]);
      await take(view);
    }
    // The control: a filter that finds nothing.
    await visit.open('/console/callers/list?credential=nobody');
    await page.locator('main .empty').getByText('No such caller in these days').waitFor();
    await visit.open('/console/traffic?operation=storeToken');
    await page.getByRole('row').filter({ hasText: 'storeToken' }).getByRole('link').first().click();
    await loaded(page);
    await take('request');
    await visit.close();
  }
});

async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await until('the view to load', async () => (await page.locator('main .loading').count()) === 0);
}

/** Adds calls in each format, and what waits or was given up. */
async function addData({ backend, callers, call }: ConsoleServer): Promise<void> {
  const endpoint = { tenant: 'Demo', endpointId: 'we_4f1c2d3a5b6e' };
  await backend.endpoints.add({
    ...{ ...endpoint, url: 'https://shop.example.com/webhooks', format: 'tokenization' },
    sealed: sealKeys(backend.context.vault, endpoint, { key: 'key-of-the-pictures' }),
    createdAt: backend.context.clock.now(),
  });
  const send = async (operation: string, type: string, body: string, agent: string, key?: string): Promise<void> => {
    const response = await fetch(`${callers}/pal/servlet/Recurring/v68/${operation}`, {
      method: 'POST',
      headers: {
        ...{ 'Content-Type': type, 'X-API-Key': 'demo-api-key', 'User-Agent': agent },
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      body,
    });
    await response.text();
  };
  const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
  const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna' };
  const json = (more: object = {}): string => JSON.stringify({ ...shopper, ...more });
  for (let at = 0; at < 6; at += 1) {
    await send('listRecurringDetails', 'text/xml', soap, 'JAX-WS RI 2.3.5');
    await send('listRecurringDetails', 'application/json', json(), 'shop/7');
    await send(
      'listRecurringDetails',
      'application/x-www-form-urlencoded',
      String(new URLSearchParams(shopper)),
      'PHP',
    );
    await send(
      'storeToken',
      'application/json',
      json({ card, recurring: { contract: 'RECURRING' } }),
      'shop/7',
      `key-${at}`,
    );
    await send('disable', 'application/json', json({ contract: 'ONECLIK' }), 'shop/7');
    await send(
      'scheduleAccountUpdater',
      'application/json',
      json({ reference: `update-${at}`, selectedRecurringDetailReference: 'LATEST' }),
      'shop/7',
    );
  }
  await send('disable', 'application/json', json(), 'shop/7', 'key-of-disable');
  await backend.store.write(async (tx) => {
    await tx.query(giveUp, []);
    const recordKey = backend.requestHasher.recordKey({ tenant: 'Demo' }, 'key-of-an-order');
    const record = { requestHash: 'hash', operation: 'scheduleAccountUpdater', requestReference: '8816080397613514' };
    await tx.idempotencyRecords.reservePending(recordKey, record);
    await tx.pendingRequests.add({
      ...{
        id: '8816080397613514',
        recordKey,
        upstream: 'erp',
        service: 'Recurring',
        operation: 'scheduleAccountUpdater',
      },
      ...{
        tenant: 'Demo',
        credential: 'cr_unknown',
        process: 'gateway-1 4711',
        input: json(),
        inFlightMs: 0,
        repeatableMs: 0,
      },
    });
  });
  const rule = { format: ['soap11'], deprecatedSince: '2026-01-01', sunset: '2027-06-30' };
  await call('operator', 'POST', '/callers/deprecations', { rule });
  await until('the callers', async () => Number((await call('viewer', 'GET', '/callers')).body.total) >= 5);
}

const giveUp = statement(
  'picture-give-up',
  `update job set dead_since = now_ms(), due_at = null, lease_owner = null, last_failure = 'HTTP 500' where kind = 'webhook'`,
);

async function addPerson({ backend }: ConsoleServer) {
  const username = 'anna@Company.Demo';
  const { id, secret } = await backend.registry.addCredential({
    ...{ tenant: 'Demo', kind: 'basic', username, roles: ['console-admin'], grants: {} },
  });
  return {
    username,
    secret,
    ...(await backend.secondFactors.set(id)),
    recoveryCodes: [...(await backend.secondFactors.replaceRecoveryCodes(id))],
  };
}

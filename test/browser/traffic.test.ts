/** Tests the view of traffic in a browser: live requests, one of them, charts, hostile content, and many requests at a time. */
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

const authorization = `Basic ${Buffer.from('ws@Company.Demo:demo-password').toString('base64')}`;

async function send(operation: string, body: object | string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${server.callers}/pal/servlet/Recurring/v68/${operation}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  await answer.text();
  return answer.headers.get('pspreference')!;
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

test.each([
  ['light', undefined],
  ['dark', undefined],
  ['light', { width: 390, height: 844 }],
] as const)(
  'requests appear as they are answered, and one opens with its details: %s %o',
  async (colorScheme, viewport) => {
    const visit = await browser.visit({ origin: server.callers, colorScheme, ...(viewport && { viewport }) });
    const { page } = visit;
    const name = `${colorScheme}${viewport ? '-phone' : ''}`;
    await visit.enterDemo('/console/traffic');
    await page.getByText('Live', { exact: true }).waitFor();
    await sendSome();
    const reference = await send(
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
    await visit.picture(`console/traffic-${name}`);
    await page.getByRole('row').filter({ hasText: reference }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Request storeToken' }).waitFor();
    expect(await visit.violations()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await visit.picture(`console/traffic-request-${name}`, { fullPage: true });
    await visit.close();
  },
);

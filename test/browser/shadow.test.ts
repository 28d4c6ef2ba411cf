/** Tests the view of shadows in a browser: live differences, an acceptance with its reason, the share, the switch, and who only reads. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { planUpstreams } from '../../src/backend/upstreams/plan.ts';
import { readSources } from '../../src/config/variable-sources.ts';
import { builtInServices } from '../../src/payments/index.ts';
import { startBrowser, type TestBrowser, type Visit } from '../support/browser.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';
import { answerJson, startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

let server: ConsoleServer;
let browser: TestBrowser;
let old: UpstreamServer;
let next: UpstreamServer;
const hostile = '<img src=x onerror=alert(1)>';
const people = ['viewer', 'operator'] as const;
const usernames: Record<string, { readonly username: string; readonly secret: string }> = {};

beforeAll(async () => {
  const answer = (message: string) =>
    startUpstreamServer((to) =>
      answerJson(to, 422, { status: 422, errorCode: '800', message, errorType: 'validation' }),
    );
  [old, next] = await Promise.all([answer('Contract not found'), answer(hostile)]);
  const url = next.url;
  const shadow = { url, credentials: 'none', writes: 'sandbox', idempotency: 'header' } as const;
  const upstreams = { erp: { url: old.url, credentials: 'none', shadow } } as const;
  const { plan, faults } = planUpstreams(
    { upstreams, answeredBy: { 'Recurring.disable': 'erp' } },
    builtInServices,
    readSources(),
  );
  if (plan === undefined) throw new Error(faults.join(' '));
  [server, browser] = await Promise.all([startConsoleServer({ overrides: { upstreams: plan } }), startBrowser()]);
  const { registry } = server.backend;
  for (const person of people) {
    const username = `${person}@Company.Demo`;
    const roles = [person === 'viewer' ? 'console' : 'console-admin'];
    const { secret } = await registry.addCredential({ tenant: 'Demo', kind: 'basic', username, roles, grants: {} });
    usernames[person] = { username, secret };
  }
  const response = await fetch(`${server.callers}/pal/servlet/Recurring/v25/disable`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': server.secrets[2]! },
    body: JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' }),
  });
  expect(await response.json()).toMatchObject({ errorCode: '800', message: 'Contract not found' });
  await until('the difference', async () => (await listed()).length === 1);
});
afterAll(async () => {
  await Promise.all([server?.stop(), browser?.close(), old?.[Symbol.asyncDispose](), next?.[Symbol.asyncDispose]()]);
});

const listed = async () =>
  ((await server.call('viewer', 'GET', '/shadow/differences')).body.differences ?? []) as readonly {
    readonly id: string;
    readonly reason?: string;
  }[];

async function enter(person: (typeof people)[number]): Promise<Visit> {
  const visit = await browser.visit({ origin: server.admin });
  await visit.open('/console/shadow');
  await visit.logIn(usernames[person]!.username, usernames[person]!.secret);
  await visit.page.getByRole('heading', { name: 'Shadow', level: 1 }).waitFor();
  return visit;
}

test('differences are live, accepted with a reason, and shares are set', async () => {
  const visit = await enter('operator');
  const { page } = visit;
  const table = page.getByRole('table', { name: 'Differences' });
  // A value of a server is text.
  await table.getByText(hostile).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await visit.violations()).toEqual([]);
  await table.getByRole('button', { name: 'Accept (message)' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Accept', exact: true }).isDisabled()).toBe(true);
  await typeInto(dialog.getByLabel('Reason'), 'It says it in other words.');
  await dialog.getByRole('button', { name: 'Accept', exact: true }).click();
  await table.getByText('It says it in other words.').waitFor();
  expect((await listed()).map(({ reason }) => reason)).toEqual(['It says it in other words.']);

  await page.getByRole('button', { name: 'Change the copies of erp' }).click();
  await page.getByLabel('Percent').selectOption('10');
  await page.getByRole('button', { name: 'Save' }).click();
  const shares = page.getByRole('table', { name: 'Shares of erp' });
  await shares.getByText('10 %').waitFor();
  await page.getByRole('button', { name: 'Switch erp', exact: true }).click();
  await page.getByLabel('Percent').selectOption('50');
  await page.getByRole('button', { name: 'Switch', exact: true }).click();
  await shares.getByText('50 %').waitFor();
  expect(await visit.violations()).toEqual([]);
  await visit.picture('console/shadow');
  await page.getByRole('button', { name: 'Switch back erp' }).click();
  await page.getByRole('button', { name: 'Switch back', exact: true }).click();
  await shares.getByText('50 %').waitFor({ state: 'detached' });
  await table.getByRole('button', { name: 'Reopen (message)' }).click();
  await table.getByRole('button', { name: 'Accept (message)' }).waitFor();
});

test('who only reads sees the differences, and changes nothing, not even by hand', async () => {
  const { page } = await enter('viewer');
  await page.getByRole('table', { name: 'Differences' }).waitFor();
  expect(await page.getByRole('button', { name: /Accept|Switch|Copies|Reopen/ }).count()).toBe(0);
  const [found] = await listed();
  const bodies: Readonly<Record<string, object>> = {
    [`/shadow/differences/${found?.id}/accept`]: { reason: 'x' },
    '/shadow/erp/share': { percent: 1 },
    '/shadow/erp/switch': { percent: 1 },
    '/shadow/erp/back': {},
  };
  for (const [path, body] of Object.entries(bodies)) {
    for (const user of ['viewer', 'caller', 'nobody'] as const)
      expect([401, 403]).toContain((await server.call(user, 'POST', path, body)).status);
  }
  expect((await server.call('caller', 'GET', '/shadow/differences')).status).toBe(403);
});

test('what was changed is in the audit log, and what cannot be is refused', async () => {
  const log = server.backend.auditLog;
  await server.backend.audit.flush();
  expect(log).toBeDefined();
  const entries = (await server.call('viewer', 'GET', '/state/audit?max=1000')).text;
  for (const kind of [
    'shadowDifferenceAccepted',
    'shadowDifferenceReopened',
    'shadowShareChanged',
    'shadowSwitched',
    'shadowSwitchedBack',
  ])
    expect(entries).toContain(kind);
  const refused = async (path: string, body: object) => (await server.call('operator', 'POST', path, body)).text;
  expect(await refused('/shadow/none/switch', { percent: 1 })).toContain('none has no shadow; those with one: erp');
  expect(await refused('/shadow/erp/switch', { percent: 1, operation: 'Recurring.none' })).toContain(
    'has the operation',
  );
  expect(await refused('/shadow/erp/switch', { percent: 1, operation: 'Recurring.disable' })).toContain('is a sandbox');
  expect(await refused('/shadow/differences/none/accept', { reason: 'x' })).toContain('no difference has the id none');
  expect(await refused('/shadow/erp/share', { percent: 101 })).toContain('percent');
});

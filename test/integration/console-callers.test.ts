/** The callers in the service of the console: who calls how, what replaces it, and deprecations that are set while it runs. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ConsoleServer, type ConsoleUser, startConsoleServer } from '../support/console-server.ts';
import { demoAuthorization } from '../support/server.ts';
import { until } from '../support/until.ts';

let server: ConsoleServer;

const form = 'application/x-www-form-urlencoded';
const card = {
  'card.number': '4111111111111111',
  'card.cvc': '737',
  'card.holderName': 'Anna',
  'card.expiryMonth': '3',
};
const store = new URLSearchParams({
  merchantAccount: 'DemoMerchant',
  shopperReference: 'shopper-9',
  'recurring.contract': 'RECURRING',
  ...card,
  'card.expiryYear': '2030',
}).toString();
const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
const list = JSON.stringify(shopper);
const listForm = new URLSearchParams(shopper).toString();

async function send(
  operation: string,
  type: string,
  body: string,
  agent: string,
  also: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${server.callers}/pal/servlet/Recurring/v25/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': type, Authorization: demoAuthorization, 'User-Agent': agent, ...also },
    body,
  });
  return { status: response.status, text: await response.text() };
}

const formula = '=HYPERLINK("http://evil.example")';
interface Listed {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** The members that the tests look at. */
interface Answer {
  readonly total: number;
  readonly text: string;
  readonly csv: string;
  readonly fileName: string;
  readonly detail: string;
  readonly masked: readonly string[];
  readonly faults: readonly string[];
  readonly deprecations: readonly Listed[];
  readonly callers: readonly (Listed & {
    readonly credential: string;
    readonly trend: readonly number[];
    readonly remaining: readonly Listed[];
  })[];
}

const get = async (path: string, user: ConsoleUser = 'viewer') =>
  (await server.call(user, 'GET', path)).body as unknown as Answer;
const post = async (path: string, body: object, user: ConsoleUser = 'operator') =>
  server.call(user, 'POST', path, body);
const rule = { format: ['form'], deprecatedSince: '2026-01-01' };

let credential: string;

beforeAll(async () => {
  server = await startConsoleServer({
    overrides: {
      deprecations: [{ format: 'adapter', deprecatedSince: '2026-01-01' }],
      configFile: 'triglyph.config.ts',
    },
  });
  expect((await send('storeToken', form, store, 'PHP/8.2')).status).toBe(200);
  expect((await send('listRecurringDetails', form, 'merchantAccount=DemoMerchant', formula)).status).toBe(422);
  expect((await send('listRecurringDetails', 'application/json', list, 'node/26')).status).toBe(200);
  expect((await send('listRecurringDetails', form, 'x', 'curl/8', { Authorization: 'Basic eDp5' })).status).toBe(401);
  // The recorder saves every few seconds.
  await until('the records', async () => (await get('/callers')).total >= 4);
  credential = (await get('/callers?format=json')).callers[0]!.credential;
});
afterAll(() => server?.stop());

test('the list names each use with its counts, and filters find it', async () => {
  const all = await get('/callers');
  expect(all).toMatchObject({ isRecorded: true, total: 4, formats: ['form', 'json'], services: ['Recurring'] });
  expect(all.callers).toHaveLength(4);
  const [stored] = (await get('/callers?operation=storeToken')).callers as [Answer['callers'][number]];
  expect(stored).toMatchObject({
    tenant: 'Demo',
    username: 'ws@Company.Demo',
    operation: 'storeToken',
    version: 25,
    format: 'form',
    client: 'PHP/8.2',
    succeeded: 1,
    refused: 0,
    deprecation: 'none',
  });
  expect(stored.trend).toHaveLength(30);
  expect(stored.trend.at(-1)).toBe(1);
  expect((await get('/callers?credential=none')).callers).toMatchObject([{ client: 'curl/8', refused: 1 }]);
  expect((await get('/callers?format=soap11')).total).toBe(0);
  expect((await get('/callers?max=1')).callers).toHaveLength(1);
  expect((await server.call('viewer', 'GET', '/callers?deprecation=dp_none')).status).toBe(422);
});

test('the last call is shown as its replacement, without its secrets', async () => {
  const id = (await get('/callers?operation=storeToken')).callers[0]!.id;
  const { text, masked } = await get(`/callers/${id}/replacement`);
  expect(masked).toEqual(['card.cvc', 'card.number']);
  expect(JSON.parse(text)).toMatchObject({
    method: 'POST',
    url: `${server.callers}/pal/servlet/Recurring/v25/storeToken`,
    body: { card: { cvc: '<masked>', number: '<masked, ends in 1111>', holderName: 'Anna' } },
  });
  expect((await get(`/callers/${id}/replacement?as=php`)).text).toContain('<?php');
  expect((await get('/callers/0000000000000000/replacement')).detail).toBe(
    'no caller has the id 0000000000000000: `triglyph callers` prints them',
  );
  const [other] = (await get('/callers?credential=none')).callers;
  expect((await get(`/callers/${other!.id}/replacement`)).detail).toBe(
    'this caller has sent no request that could be read and stored, or its last request was erased',
  );
  for (const each of ['/callers', `/callers/${id}/replacement`, '/callers/export', '/callers/readiness'])
    expect((await server.call('viewer', 'GET', each)).text).not.toMatch(/4111111111111111|"737"/);
});

test('the export is CSV in which no text is a formula, and is recorded', async () => {
  const { csv, fileName } = await get('/callers/export?format=form');
  expect(fileName).toMatch(/^callers-\d{4}-\d\d-\d\d\.csv$/);
  const lines = csv.trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^id,tenant,credential,username,service,operation,version,format,client,/);
  expect(lines).toHaveLength(4);
  expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
  await server.backend.audit.flush();
  const [entry] = await server.backend.auditLog.list({ kind: 'export', max: 10 });
  expect(entry).toMatchObject({ actorType: 'credential', subject: 'callers', detail: '{"format":"csv"}' });
});

test('readiness names what remains to be changed, and who has another way already', async () => {
  const { callers } = await get('/callers/readiness');
  // A request without a valid credential is no caller's.
  expect(callers.map(({ username, state }) => [username, state])).toEqual([['ws@Company.Demo', 'notBegun']]);
  const own = callers.find(({ username }) => username !== undefined)!.remaining;
  expect(own.find((each) => each.operation === 'storeToken')!.replacedBy).toBeUndefined();
  expect(own.find((each) => each.operation === 'listRecurringDetails')!.replacedBy).toEqual({
    format: 'json',
    version: 25,
  });
  expect((await get('/callers/readiness?format=soap11')).callers ?? []).toEqual([]);
});

test('a reader sees and previews deprecations, and changes none', async () => {
  const { deprecations } = await get('/callers/deprecations');
  expect(deprecations).toMatchObject([
    { source: 'triglyph.config.ts', isStored: false, calls: 'format adapter', state: 'announced' },
  ]);
  const before = await server.backend.deprecations.revision();
  const preview = await post('/callers/preview', { rule }, 'viewer');
  expect(preview).toMatchObject({ status: 200, body: { credentials: 1, requests: 2, total: 2 } });
  for (const path of ['', `/${deprecations[0]!.id}`, `/${deprecations[0]!.id}/remove`])
    expect((await post(`/callers/deprecations${path}`, { rule }, 'viewer')).status).toBe(403);
  for (const path of ['exempt', 'endExemption'])
    expect((await post(`/callers/deprecations/${deprecations[0]!.id}/${path}`, { credential }, 'viewer')).status).toBe(
      403,
    );
  expect(await server.backend.deprecations.revision()).toBe(before);
});

test('an operator sets a brown-out, exempts a caller, and ends both', async () => {
  const statuses = async () =>
    Promise.all([
      send('listRecurringDetails', form, listForm, 'a'),
      send('listRecurringDetails', 'application/json', list, 'a'),
    ]).then((all) => all.map(({ status }) => status));
  expect(await statuses()).toEqual([200, 200]);
  const brownOuts = [
    { every: 'day', from: '00:00', to: '12:00' },
    { every: 'day', from: '12:00', to: '00:00' },
  ];
  const added = await post('/callers/deprecations', { rule: { ...rule, brownOuts } });
  expect(added.status).toBe(200);
  const id = String(added.body.id);
  // This process has taken it over already.
  expect(await statuses()).toEqual([410, 200]);
  const [, stored] = (await get('/callers/deprecations')).deprecations;
  expect(stored).toMatchObject({ id, isStored: true, state: 'brownOut', revision: 1, rule: { brownOuts } });
  expect((await get(`/callers?deprecation=${id}`)).callers[0]!.deprecation).toBe('deprecated');
  expect((await post(`/callers/deprecations/${id}/exempt`, { credential })).status).toBe(200);
  expect(await statuses()).toEqual([200, 200]);
  expect((await post(`/callers/deprecations/${id}/endExemption`, { credential })).status).toBe(200);
  expect(await statuses()).toEqual([410, 200]);
  const changed = await post(`/callers/deprecations/${id}`, { rule, seen: stored!.revision });
  expect(changed.status).toBe(200);
  expect(await statuses()).toEqual([200, 200]);
  expect(await post(`/callers/deprecations/${id}/remove`, { seen: stored!.revision })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('meanwhile') },
  });
  expect((await post(`/callers/deprecations/${id}/remove`, {})).status).toBe(200);
  expect((await get('/callers/deprecations')).deprecations).toHaveLength(1);
  await server.backend.audit.flush();
  const kinds = ['deprecationAdded', 'exemptionAdded', 'exemptionRemoved', 'deprecationChanged', 'deprecationRemoved'];
  for (const kind of kinds)
    expect(await server.backend.auditLog.list({ kind, max: 10 })).toMatchObject([
      { actor: expect.stringMatching(/^cr_/), subject: id },
    ]);
});

test('a rule with faults is refused with all of them', async () => {
  const wrong = { operation: ['disabel'], deprecatedSince: '2026-01-32', credential: ['cr_none'] };
  const { body } = await post('/callers/preview', { rule: wrong });
  expect(body.faults).toEqual([
    'deprecation.operation: "disabel" is not an operation of these services: did you mean disable?',
    'deprecation.deprecatedSince: "2026-01-32" is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.',
  ]);
  const refused = await post('/callers/deprecations', { rule: wrong });
  expect(refused).toMatchObject({ status: 422 });
  expect(refused.text).toContain('did you mean disable?');
  expect(await post('/callers/deprecations', { rule: { ...rule, credential: ['cr_none'] } })).toMatchObject({
    status: 422,
  });
  expect(await post('/callers/deprecations/dp_none/exempt', { credential })).toMatchObject({
    status: 422,
    body: { detail: 'no deprecation has the id dp_none' },
  });
});

/** The state views of the console: who reads and who acts, what they show, and that no secret is in any answer. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { viewOperations } from '../../src/console/contract.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import { operationsBySubject } from '../../src/operators/subjects.ts';
import { demoCredentials } from '../../src/program/testing/demo/published.ts';
import { createSigningKey, sealKeys } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { statement } from '../../src/stores/sql/engine.ts';
import { consoleV1, contributed } from '../support/console-contract.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';

const giveUp = statement(
  'test-give-up',
  `update job set dead_since = now_ms(), due_at = null, lease_owner = null, last_failure = 'HTTP 500' where kind = 'webhook'`,
);
const bringBack = statement(
  'test-bring-back',
  `update job set dead_since = null, due_at = now_ms() + 600000 where kind = 'webhook'`,
);
const hookSecret = 'secret-of-the-receiver';
const adminToken = 'admin-token-of-the-test';
const signingKey = createSigningKey();
const cardNumber = '4111111111111111';
const key = 'key-of-the-caller';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.discard());

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  let server: ConsoleServer;
  let secrets: readonly (readonly [string, string])[];
  beforeAll(async () => {
    const variables = engine === 'SQLite' ? {} : { DATABASE_URL: await postgres.createDatabase() };
    server = await startConsoleServer({ variables: { ...variables, ADMIN_TOKEN: adminToken } });
    await seedState(server);
    secrets = [
      ...server.keys.match(/[0-9a-f]{64}/g)!.map((hex, at) => [`key ${at}`, hex] as const),
      ...demoCredentials.map(({ presented }) => ['a password of the demo', presented.secret] as const),
      ...server.secrets.map((secret) => ['an API key', secret] as const),
      ['the query of an endpoint', hookSecret],
      ['the key that signs webhooks', signingKey],
      ['the admin token', adminToken],
      ['a card number', cardNumber],
      ['an account number', 'NL13TEST0123456789'],
      ['the password of the database', postgres.password],
    ];
  });
  afterAll(() => server.stop());

  const read = async (path: string) => (await server.call('viewer', 'GET', `/state/${path}`)).body;
  const find = async (given: string, tenant = 'Demo') =>
    (await server.call('viewer', 'POST', '/state/idempotencyRecord', { tenant, key: given })).body;
  const found = (text: string) => secrets.flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

  const inputs: Readonly<Record<string, string>> = {
    getPendingRequest: '/state/pendingRequests/8816000000000001',
    listTestRows: `/testing/tables/stored-details?parent=${encodeURIComponent('["Other","OtherMerchant","shopper-1"]')}`,
  };
  const bodies: Readonly<Record<string, object>> = { findIdempotencyRecord: { tenant: 'Demo', key } };

  test('every reading operation of the state answers, and none of them a secret', async () => {
    const { state, testing, overview, actions } = viewOperations;
    const all: readonly Operation[] = [
      ...[...operationsBySubject(contributed).values()].flat(),
      ...state,
      ...testing,
      ...overview,
      ...actions,
    ];
    const isComplete = ({ name, http }: Operation) =>
      inputs[name] !== undefined || bodies[name] !== undefined || (http?.method === 'GET' && !http.path.includes('{'));
    const reading = all.filter((each) => each.effect === 'reads' && isComplete(each));
    expect(reading.length).toBeGreaterThan(25);
    for (const { name, http } of reading) {
      const { status, text } = await server.call(
        'viewer',
        http!.method as 'GET',
        inputs[name] ?? http!.path,
        bodies[name],
      );
      expect([name, status, found(text)]).toEqual([name, 200, []]);
    }
    const rows = await server.call('viewer', 'GET', '/state/keys?countRows=true');
    expect([rows.status, found(rows.text)]).toEqual([200, []]);
  });

  test('control: the search finds each secret where it is', async () => {
    const endpoints = await server.backend.endpoints.list();
    expect(found(JSON.stringify(endpoints))).toEqual(['the query of an endpoint']);
    for (const [name, secret] of secrets) expect(found(`"${secret}"`)).toContain(name);
  });

  test('console reads, console-admin acts, and others do neither', async () => {
    for (const { name, http, effect } of consoleV1.operations.values()) {
      if (http === undefined || /^[/](?:explorer|traffic)/.test(http.path)) continue;
      const path = http.path.replaceAll(/\{\w+\}/g, 'none');
      const statusFor = async (user: 'viewer' | 'operator' | 'caller' | 'nobody') =>
        (await server.call(user, http.method as 'GET', path, http.method === 'POST' ? {} : undefined)).status;
      expect([name, await statusFor('nobody')]).toEqual([name, 401]);
      expect([name, await statusFor('caller')]).toEqual([name, 403]);
      // Those that read may refuse the input.
      const expected = effect === 'writes' ? [403] : [200, 422];
      const status = await statusFor('viewer');
      expect({ name, status, isExpected: expected.includes(status) }).toMatchObject({ isExpected: true });
      // Control: one who may act is refused for the input alone.
      if (!['retryAllDeadLetters', 'rotateKeys', 'applyRetention'].includes(name))
        expect(await statusFor('operator')).not.toBe(403);
    }
  });

  test('the overview names what needs attention, and forgets it when it is done', async () => {
    const texts = async () => {
      const { items = [] } = (await server.call('viewer', 'GET', '/overview/attention')).body;
      return (items as readonly { readonly text: string }[]).map(({ text }) => text).join(' ');
    };
    expect(await texts()).toContain('could not be delivered');
    await server.backend.store.write((tx) => tx.query(bringBack, []));
    expect(await texts()).not.toContain('could not be delivered');
    await server.backend.store.write((tx) => tx.query(giveUp, []));
  });

  test('the data of the demo is browsed from a shopper and a platform down, and cards are masked', async () => {
    const rows = async (table: string, parent = '') => {
      const query = parent === '' ? '' : `?parent=${encodeURIComponent(parent)}`;
      return (await server.call('viewer', 'GET', `/testing/tables/${table}${query}`)).body.rows as readonly {
        readonly cells: readonly string[];
        readonly below?: readonly { readonly table: string; readonly parent: string }[];
      }[];
    };
    const shopper = (await rows('shoppers')).find(({ cells }) => cells[4] !== '0')!;
    const [details] = shopper.below!;
    expect((await rows(details!.table, details!.parent)).length).toBe(Number(shopper.cells[4]));
    let [next] = (await rows('balance-platforms'))[0]!.below!;
    const seen: string[] = [];
    for (; next !== undefined; ) {
      const [row] = await rows(next.table, next.parent);
      seen.push(next.table);
      next = row?.below?.[0];
    }
    expect(seen).toEqual(['accountHolder', 'balanceAccount', 'paymentInstrument']);
    expect((await server.call('operator', 'POST', '/testing/reset', {})).status).toBe(422);
  });

  test('the permits of a detail are browsed while they are valid', async () => {
    const rows = async (table: string, parent: string) =>
      (await server.call('viewer', 'GET', `/testing/tables/${table}?parent=${encodeURIComponent(parent)}`)).body
        .rows as readonly {
        readonly cells: readonly string[];
        readonly below: readonly { readonly table: string; readonly parent: string; readonly title: string }[];
      }[];
    const post = async (operation: string, body: object) => {
      const response = await fetch(`${server.callers}/pal/servlet/Recurring/v68/${operation}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': 'demo-api-key' },
        body: JSON.stringify({ merchantAccount: 'DemoMerchant', ...body }),
      });
      expect(response.status).toBe(200);
      return (await response.json()) as { readonly permitResultList?: readonly { readonly token: string }[] };
    };
    const shopperReference = 'permits';
    for (const number of [cardNumber, '5555444433331111']) {
      const card = { number, expiryMonth: '8', expiryYear: '2031', holderName: 'Anna' };
      await post('storeToken', { shopperReference, card, recurring: { contract: 'RECURRING' } });
    }
    const details = await rows('stored-details', JSON.stringify(['Demo', 'DemoMerchant', shopperReference]));
    const [detail, other] = [details[0]!, details[1]!];
    const recurringDetailReference = detail.cells[0]!;
    const { table, parent, title } = detail.below[0]!;
    expect(title).toBe(`Permits of ${recurringDetailReference}`);
    expect(await rows(table, parent)).toEqual([]);
    const amount = (value: number) => ({ currency: 'EUR', value });
    const permits = [
      { resultKey: 'first', partnerId: 'partner-1', restriction: { maxAmount: amount(1000), singleUse: true } },
      {
        profileReference: 'profile-1',
        restriction: { singleTransactionLimit: amount(500) },
        validTillDate: '2099-12-31T00:00:00Z',
      },
    ];
    const created = await post('createPermit', { shopperReference, recurringDetailReference, permits });
    const tokens = created.permitResultList!.map(({ token }) => token);
    expect(tokens).toHaveLength(2);
    const shown = async () => (await rows(table, parent)).map(({ cells }) => cells.slice(0, 6)).sort();
    const of = [
      [tokens[0], 'first', 'partner-1', '', 'up to EUR 1000 in all, one payment', 'the end of the detail'],
      [tokens[1], '', '', 'profile-1', 'up to EUR 500 in one payment', '2099-12-31T00:00:00.000Z'],
    ];
    expect(await shown()).toEqual(of.toSorted());
    expect(await rows(other.below[0]!.table, other.below[0]!.parent)).toEqual([]);
    await post('disablePermit', { token: tokens[0] });
    expect(await shown()).toEqual([of[1]]);
  });

  test('a record is found by its key and company only, with its outcome masked', async () => {
    const record = await find(key);
    expect(record).toMatchObject({ found: true, status: 'completed', operation: 'disable' });
    expect(JSON.parse(String(record.outcome))).toMatchObject({ output: { response: expect.any(String) } });
    expect(String(record.requestHash)).toHaveLength(8);
    expect(await find('another-key')).toEqual({ found: false });
    expect(await find(key, 'Other')).toEqual({ found: false });
    expect(await find('pending-key')).toMatchObject({ status: 'inFlight', pendingRequest: '8816000000000001' });
  });

  test('endpoints show their backlog, and a dead letter is retried once by an operator', async () => {
    expect(await read('webhooks')).toMatchObject({
      endpoints: [{ id: 'we_test', address: 'http://127.0.0.1:9/hooks', dead: expect.any(Number) }],
    });
    const { letters } = (await read('deadLetters')) as { letters: readonly { id: string; tenant: string }[] };
    expect(letters.length).toBeGreaterThan(0);
    expect(letters[0]).toMatchObject({ tenant: 'Demo', because: 'HTTP 500', endpoint: 'http://127.0.0.1:9/hooks' });
    const { id, tenant } = letters[0]!;
    const retry = (user: 'viewer' | 'operator') =>
      server.call(user, 'POST', '/state/deadLetters/retry', { id, tenant });
    expect((await retry('viewer')).status).toBe(403);
    expect(await read('deadLetters')).toEqual({ letters });
    expect((await retry('operator')).body).toMatchObject({ retried: 1 });
    expect((await read('deadLetters')).letters ?? []).toHaveLength(letters.length - 1);
    expect((await retry('operator')).body).toMatchObject({
      detail: `no dead letter has the id ${id}: \`triglyph webhooks list\` prints them`,
    });
    const all = await server.call('operator', 'POST', '/state/deadLetters/retryAll', {});
    expect(all.body).toMatchObject({ retried: letters.length - 1 });
    expect(await read('jobs')).toMatchObject({ kinds: [{ kind: 'webhook', dead: 0 }] });
  });

  test('a pending request is shown, and settled only when no process waits for it', async () => {
    const { requests } = (await read('pendingRequests')) as { requests: readonly object[] };
    expect(requests).toMatchObject([{ id: '8816000000000001', state: 'inFlight', upstream: 'orders', hasKey: true }]);
    const settle = (body: object) =>
      server.call('operator', 'POST', '/state/pendingRequests/8816000000000001/settle', body);
    expect((await settle({ result: 'notDone' })).status).toBe(422);
    await server.backend.store.write((tx) =>
      tx.pendingRequests.leave({ id: '8816000000000001' }, '8816000000000001', 'reset'),
    );
    expect((await settle({ result: 'refused' })).status).toBe(422);
    expect((await settle({ result: 'notDone' })).body).toMatchObject({ consequence: 'A retry is executed.' });
    expect(await find('pending-key')).toEqual({ found: false });
    expect((await settle({ result: 'notDone' })).body).toMatchObject({
      detail: 'no request with the id 8816000000000001 is pending: `triglyph pending list` prints them',
    });
  });

  test('settings have their source and meaning, and secrets are hidden', async () => {
    const { settings } = (await read('settings')) as { settings: readonly Record<string, unknown>[] };
    const setting = (name: string) => settings.find((each) => each.name === name);
    expect(setting('PORT')).toMatchObject({
      value: '0',
      isDefault: false,
      source: 'environment',
      doc: expect.any(String),
    });
    expect(setting('ADMIN_TOKEN')).toMatchObject({ value: '(hidden)' });
    expect(setting('TRIGLYPH_KEYS')).toMatchObject({ value: '(hidden)' });
    expect(setting('WORKERS')).toMatchObject({ value: '1', isDefault: true });
  });

  test('the store, the processes and the keys are described', async () => {
    expect(await read('store')).toMatchObject({
      engine,
      redis: false,
      migration: expect.any(Number),
      bytes: expect.any(Number),
    });
    expect(await read('processes')).toMatchObject({ processes: [{ pid: process.pid, role: 'server' }] });
    const { keys } = (await server.call('viewer', 'GET', '/state/keys?countRows=true')).body as {
      keys: readonly object[];
    };
    const [current] = keys as readonly { readonly kind: string; readonly state: string; readonly rows: number }[];
    expect(current).toMatchObject({ kind: 'wrapping', state: 'current' });
    expect(current!.rows).toBeGreaterThan(0);
    expect(keys).toMatchObject([{}, { id: 'index' }, { id: 'pepper' }]);
    const panels = (await read('panels')).panels;
    expect(panels).toEqual(expect.any(Array));
  });

  test('the audit log is paged, filtered and verified, and has what was done here', async () => {
    await server.backend.audit.flush();
    const first = (await read('audit?max=2')) as { entries: readonly { sequence: number }[]; hasMore: boolean };
    expect(first.entries).toHaveLength(2);
    expect(first.hasMore).toBe(true);
    const next = (await read(`audit?max=2&before=${first.entries[1]!.sequence}`)) as typeof first;
    expect(next.entries[0]!.sequence).toBe(first.entries[1]!.sequence - 1);
    const actions = (await read('audit?kind=consoleAction&subject=retryDeadLetter')) as {
      entries: readonly { detail: string }[];
    };
    expect(actions.entries.length).toBeGreaterThan(0);
    expect(actions.entries[0]!.detail).toContain('"tenant":"Demo"');
    expect(await read('audit/verification')).toMatchObject({ isWhole: true, entries: expect.any(Number) });
  });
});

async function seedState({ backend, callers }: ConsoleServer): Promise<void> {
  const { vault, clock } = backend.context;
  const endpoint = { tenant: 'Demo', endpointId: 'we_test' };
  await backend.endpoints.add({
    ...endpoint,
    url: `http://127.0.0.1:9/hooks?token=${hookSecret}`,
    format: 'tokenization',
    sealed: sealKeys(vault, endpoint, { key: signingKey }),
    createdAt: clock.now(),
  });
  const response = await fetch(`${callers}/pal/servlet/Recurring/v25/disable`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': 'demo-api-key', 'Idempotency-Key': key },
    body: JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' }),
  });
  expect(response.status).toBe(200);
  await backend.store.write(async (tx) => {
    await tx.query(giveUp, []);
    const recordKey = backend.requestHasher.recordKey({ tenant: 'Demo' }, 'pending-key');
    const id = '8816000000000001';
    const record = { requestHash: 'hash-of-the-request', operation: 'placeOrder', requestReference: id };
    await tx.idempotencyRecords.reservePending(recordKey, record);
    await tx.pendingRequests.add({
      ...{ id, recordKey, upstream: 'orders', service: 'Orders', operation: 'placeOrder', tenant: 'Demo' },
      ...{ credential: 'c', process: 'host 1', input: '{"number":"A-1"}', inFlightMs: 600_000, repeatableMs: 0 },
    });
  });
}

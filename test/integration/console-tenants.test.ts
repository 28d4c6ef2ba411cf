/** People of one company at the console: they ask each operation and the stream for what belongs to another company. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isOfTenant } from '../../src/console/bound-tenant.ts';
import { describeOperation } from '../../src/console/form/describe-operation.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import { sealKeys } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { statement } from '../../src/stores/sql/engine.ts';
import { consoleV1, contributed } from '../support/console-contract.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { hangMsMax, until } from '../support/until.ts';

const giveUp = statement(
  'test-give-up-all',
  `update job set dead_since = now_ms(), due_at = null, lease_owner = null, last_failure = 'HTTP 500' where kind = 'webhook'`,
);
const since = '2026-01-01';

interface Person {
  readonly id: string;
  readonly username: string;
  readonly secret: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at members of many answers.
  readonly body: any;
}

/** What the store and the memory of the server have of one company. */
interface Seeded {
  readonly admin: Person;
  readonly reader: Person;
  /** The credential of its caller. */
  readonly caller: string;
  readonly pending: string;
  readonly endpoint: string;
  readonly deadLetter: string;
  readonly deprecation: string;
  /** The record of its caller. */
  readonly use: string;
  readonly reference: string;
  readonly traffic: string;
}

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.discard());

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  let server: ConsoleServer;
  let operator: Person;
  let own: Seeded;
  let other: Seeded;

  const addPerson = async (tenant: string, ...roles: readonly string[]): Promise<Person> => {
    const username = `${roles.join('-')}${Math.random().toString(36).slice(2)}@Company.${tenant}`;
    const { id, secret } = await server.backend.registry.addCredential({
      ...{ tenant, kind: 'basic', username, roles, grants: {} },
    });
    return { id, username, secret };
  };
  const ask = async ({ username, secret }: Person, method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${server.admin}/console/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: text === '' ? {} : JSON.parse(text) };
  };
  const get = async (person: Person, path: string) => (await ask(person, 'GET', path)).body;
  const call = async (tenant: string, operation = 'listRecurringDetails', also: object = {}): Promise<string> => {
    const response = await fetch(`${server.callers}/pal/servlet/Recurring/v68/${operation}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Key': `${tenant.toLowerCase()}-api-key`,
        'User-Agent': `client-of-${tenant}/1`,
        'Idempotency-Key': `key-of-${tenant}-${operation}`,
      },
      body: JSON.stringify({ merchantAccount: `${tenant}Merchant`, shopperReference: 'shopper-1', ...also }),
    });
    expect(response.status).toBe(200);
    await response.text();
    return response.headers.get('pspreference')!;
  };

  const seedCompany = async (tenant: string, number: number): Promise<Seeded> => {
    const { backend } = server;
    const { vault, clock } = backend.context;
    const admin = await addPerson(tenant, 'console-tenant-admin');
    const reader = await addPerson(tenant, 'console-tenant');
    const endpoint = { tenant, endpointId: `we_${tenant}` };
    const sealed = sealKeys(vault, endpoint, { key: 'signing-key-of-the-test' });
    await backend.endpoints.add({
      ...{ ...endpoint, url: `http://127.0.0.1:9/hooks-of-${tenant}`, format: 'tokenization', sealed },
      createdAt: clock.now(),
    });
    const reference = await call(tenant, 'storeToken', {
      shopperReference: `shopper-of-${tenant}`,
      card: { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: `Anna-of-${tenant}` },
      recurring: { contract: 'RECURRING' },
    });
    const [line] = (await get(operator, `/traffic/requests?reference=${reference}`)).requests;
    await call(tenant, 'disable', { shopperReference: `shopper-of-${tenant}` });
    const pending = `881600000000000${number}`;
    await backend.store.write(async (tx) => {
      await tx.query(giveUp, []);
      const recordKey = backend.requestHasher.recordKey({ tenant }, `pending-key-of-${tenant}`);
      const record = { requestHash: 'hash', operation: 'placeOrder', requestReference: pending };
      await tx.idempotencyRecords.reservePending(recordKey, record);
      await tx.pendingRequests.add({
        ...{ id: pending, recordKey, upstream: 'orders', service: 'Orders', operation: 'placeOrder', tenant },
        ...{ credential: line.caller, process: 'host 1', input: `{"number":"input-of-${tenant}"}` },
        ...{ inFlightMs: 0, repeatableMs: 0 },
      });
    });
    const owner = { name: `owner-of-${tenant}`, address: 'x' };
    expect((await ask(operator, 'POST', `/callers/owners/${line.caller}`, owner)).status).toBe(200);
    const rule = { format: ['soap11'], credential: [line.caller], deprecatedSince: since };
    const { id: deprecation } = (await ask(operator, 'POST', '/callers/deprecations', { rule })).body;
    await until(`the records of ${tenant}`, async () =>
      ((await get(operator, '/callers')).callers ?? []).some(
        (each: { readonly tenant?: string }) => each.tenant === tenant,
      ),
    );
    const { callers } = await get(operator, '/callers?operation=storeToken');
    const { letters } = await get(operator, `/state/deadLetters?tenant=${tenant}`);
    // Its person has been here, which is in the audit log.
    await get(admin, `/traffic/requests/${line.id}`);
    return {
      ...{ admin, reader, caller: line.caller, pending, endpoint: endpoint.endpointId, deprecation, reference },
      ...{ use: callers.find((each: { readonly tenant: string }) => each.tenant === tenant).id, traffic: line.id },
      deadLetter: letters[0].id,
    };
  };

  beforeAll(async () => {
    const variables = engine === 'SQLite' ? {} : { DATABASE_URL: await postgres.createDatabase() };
    server = await startConsoleServer({ variables: { ...variables, TRAFFIC: 'always' } });
    // An operator of the same company, whose entries in the audit log are about others.
    operator = await addPerson('Demo', 'console-admin');
    // Together: both wait until the records of callers are saved.
    [own, other] = await Promise.all([seedCompany('Demo', 1), seedCompany('Other', 2)]);
    const exempted = { rule: { format: ['soap12'], deprecatedSince: since, except: [other.caller, own.caller] } };
    expect((await ask(operator, 'POST', '/callers/deprecations', exempted)).status).toBe(200);
    const result = { compared: 1, different: 0, unanswered: 0, unsent: 0, differences: [] };
    await server.backend.comparisons.save({ name: 'comparison-of-Other', result, savedBy: 'user anna' });
    expect((await ask(operator, 'POST', `/credentials/${other.admin.id}/secondFactor`)).status).toBe(200);
    await server.backend.audit.flush();
  });
  afterAll(() => server.stop());

  /** What no answer to a person of the company may have. */
  const marksIn = (text: string): readonly string[] => {
    const { admin, reader, deadLetter: _, ...ids } = other;
    const foreign = [
      ...Object.values(ids),
      admin.id,
      reader.id,
      'OtherMerchant',
      'Company.Other',
      '-of-Other',
      '"Other"',
    ];
    return foreign.filter((mark) => text.includes(mark));
  };

  /** Asks for what belongs to the other company: its ids wherever an operation takes one. `leaked`: marks, without those that a refusal repeats. */
  const attack = async (person: Person, operation: Operation) => {
    const ids: Readonly<Record<string, string>> = {
      '/credentials': other.caller,
      '/callers/deprecations': other.deprecation,
      '/callers': other.use,
      '/state/pendingRequests': other.pending,
      '/traffic': other.traffic,
      '/webhooks': other.endpoint,
      '/state/deadLetters': other.deadLetter,
    };
    const { method, path } = operation.http!;
    const [, id] = Object.entries(ids).find(([prefix]) => path.startsWith(prefix)) ?? [];
    const known: Readonly<Record<string, unknown>> = {
      ...{ id, tenant: 'Other', credential: other.caller, caller: other.caller, reference: other.reference },
      ...{ key: 'key-of-Other-storeToken', merchantAccount: 'OtherMerchant', shopperReference: 'shopper-of-Other' },
      ...{
        demoCredential: 'Other by API key',
        platform: 'DemoPlatform',
        result: 'notDone',
        actor: other.admin.id,
        format: 'json',
      },
    };
    const taken = Object.keys(operation.input.fields).flatMap((name) =>
      known[name] === undefined ? [] : [[name, known[name]] as const],
    );
    const input = { ...JSON.parse(describeOperation(consoleV1, operation).minimal), ...Object.fromEntries(taken) };
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
    const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
    const query = method === 'GET' ? `?${new URLSearchParams(rest as Record<string, string>)}` : '';
    const answer = await ask(person, method, filled + query, method === 'GET' ? undefined : rest);
    const repeated = answer.status >= 400 ? marksIn(JSON.stringify(input)) : [];
    return { ...answer, leaked: marksIn(answer.text).filter((mark) => !repeated.includes(mark)) };
  };
  const operations = [...consoleV1.operations.values()];
  const ofAll = (text: string) => text.includes('this is about all tenants');

  test('control: the same questions show people who operate the gateway the other company', async () => {
    const showing: string[] = [];
    for (const each of operations.filter(({ effect }) => effect === 'reads'))
      if ((await attack(operator, each)).leaked.length > 0) showing.push(each.name);
    expect(showing).toEqual(
      expect.arrayContaining([
        ...[
          'listCredentials',
          'listCallers',
          'exportCallers',
          'assessReadiness',
          'listDeprecations',
          'listCallerOwners',
        ],
        ...['getMigrationReport', 'exportMigrationReport', 'listWebhooks', 'listDeadLetters', 'listPendingRequests'],
        ...['getPendingRequest', 'listAuditEntries', 'listTraffic', 'getTrafficRequest', 'getLastHour', 'listChanges'],
        ...['listMerchantAccounts', 'printTrafficRequest'],
      ]),
    );
    // These answers have no name of the company.
    for (const name of ['getReplacementCall', 'findIdempotencyRecord', 'showShopper']) {
      const { status, body } = await attack(operator, consoleV1.operations.get(name)!);
      expect([name, status, body.found ?? true]).toEqual([name, 200, true]);
    }
  });

  test.each(['reader', 'admin'] as const)('no operation shows or changes another company: %s', async (who) => {
    const before = await snapshot();
    for (const each of operations) {
      const { status, text, leaked } = await attack(own[who], each);
      expect([each.name, leaked]).toEqual([each.name, []]);
      const mayAsk = each.effect === 'reads' || who === 'admin';
      if (mayAsk && !isOfTenant(each, { services: { actions: contributed } }))
        expect([each.name, status, ofAll(text)]).toEqual([each.name, 403, true]);
      if (!mayAsk) expect([each.name, status]).toEqual([each.name, 403]);
      // Another company is as good as none.
      if (['getTrafficRequest', 'printTrafficRequest'].includes(each.name))
        expect([each.name, status]).toEqual([each.name, 404]);
      if (['getPendingRequest', 'getReplacementCall', 'showShopper'].includes(each.name))
        expect([each.name, status]).toEqual([each.name, 422]);
    }
    expect(await snapshot()).toEqual(before);
  });

  /** What operators see of the other company. */
  const snapshot = async () => {
    const [credentials, hooks, letters, pending, deprecations, shopper] = await Promise.all([
      get(operator, '/credentials'),
      get(operator, '/state/webhooks'),
      get(operator, '/state/deadLetters?tenant=Other'),
      get(operator, '/state/pendingRequests?tenant=Other'),
      get(operator, '/callers/deprecations'),
      ask(operator, 'POST', '/shoppers/show', {
        merchantAccount: 'OtherMerchant',
        shopperReference: 'shopper-of-Other',
      }),
    ]);
    const ofOther = (list: readonly { readonly tenant: string }[]) => list.filter(({ tenant }) => tenant === 'Other');
    return {
      credentials: ofOther(credentials.credentials).map((each) => ({ ...each, lastUsedAt: undefined })),
      hooks: ofOther(hooks.endpoints).map((each) => ({ ...each, oldestMs: undefined })),
      ...{ letters, pending, deprecations: deprecations.deprecations, shopper: shopper.body },
    };
  };

  test('each shows the own company', async () => {
    await server.backend.store.write((tx) => tx.query(giveUp, []));
    const { reader } = own;
    const ids = async (path: string, list: string, name = 'id') =>
      ((await get(reader, path))[list] ?? []).map((each: Readonly<Record<string, unknown>>) => each[name]);
    expect(await ids('/credentials', 'credentials')).toEqual(expect.arrayContaining([own.caller, reader.id]));
    expect(await ids('/callers', 'callers')).toContain(own.use);
    expect(await ids('/callers/deprecations', 'deprecations')).toContain(own.deprecation);
    expect(await ids('/state/pendingRequests', 'requests')).toEqual([own.pending]);
    expect(await ids('/state/webhooks', 'endpoints')).toEqual([own.endpoint]);
    expect(await ids('/traffic/requests', 'requests')).toContain(own.traffic);
    expect(await ids('/overview/hour', 'callers', 'name')).toContain(own.caller);
    expect(await ids('/state/audit', 'entries', 'actor')).toContain(own.admin.id);
    expect(await ids('/callers/owners', 'owners', 'credential')).toEqual([own.caller]);
    expect((await get(reader, '/callers/report')).callers).toMatchObject([{ credential: own.caller }]);
    expect((await get(reader, `/traffic/requests/${own.traffic}`)).details.received.body).toContain('shopper-of-Demo');
    expect((await ask(reader, 'GET', `/callers/${own.use}/replacement`)).status).toBe(200);
    const question = { tenant: 'Demo', key: 'key-of-Demo-storeToken' };
    expect((await ask(reader, 'POST', '/state/idempotencyRecord', question)).body).toMatchObject({ found: true });
    // A record has no company, so its reference alone finds none: not even the own one. The control is an operator.
    for (const { reference } of [own, other]) {
      const search = async (person: Person) =>
        (await ask(person, 'POST', '/state/idempotencyRecord', { reference })).body;
      expect((await search(reader)).detail).toBe('a record does not say whose it is: name its key');
      expect(await search(operator)).toMatchObject({ found: true, operation: 'storeToken', status: 'completed' });
    }
    expect((await ask(operator, 'POST', '/state/idempotencyRecord', { reference: own.pending })).body).toMatchObject({
      ...{ found: true, operation: 'placeOrder', pendingRequest: own.pending },
    });
    expect((await ask(operator, 'POST', '/state/idempotencyRecord', { reference: 'NQV5ZGCZ5ZRZSX65' })).body).toEqual({
      found: false,
    });
    // What the reader has just looked at may be in the log, too.
    const actors = await ids(`/state/audit?reference=${own.reference}`, 'entries', 'actor');
    expect(actors).toContain(own.admin.id);
    expect([own.admin.id, reader.id]).toEqual(expect.arrayContaining(actors));
    expect(await ids(`/state/audit?reference=${other.reference}`, 'entries', 'actor')).toEqual([]);
    const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-of-Demo' };
    expect((await ask(reader, 'POST', '/shoppers/show', shopper)).status).toBe(200);
    const { items } = await get(reader, '/overview/attention');
    expect(items.map(({ text }: { readonly text: string }) => text)).toEqual([
      expect.stringMatching(/^\d+ webhooks? could not be delivered/),
      'The outcome of 1 request to other servers is unknown.',
    ]);
  });

  test('people of a company act on it, and give no more than it has', async () => {
    const { admin, caller } = own;
    const act = (path: string, body: object = {}) => ask(admin, 'POST', path, body);
    const add = async (role: readonly string[], also: object = {}) => {
      const body = { tenant: 'Demo', kind: 'apiKey', role, ...also };
      const { status, body: added } = await act('/credentials', body);
      return { status, id: String(added.id), detail: String(added.detail) };
    };
    const added = await add(['recurring'], { grants: [{ name: 'merchantAccount', values: ['DemoMerchant'] }] });
    expect(added.status).toBe(200);
    expect((await add(['console-tenant'])).status).toBe(200);
    for (const role of ['console', 'console-admin', 'audit', 'invented']) expect((await add([role])).status).toBe(422);
    expect((await add(['recurring'], { tenant: 'Other' })).status).toBe(403);
    const foreign = [{ name: 'merchantAccount', values: ['OtherMerchant'] }];
    expect(await add(['recurring'], { grants: foreign })).toMatchObject({
      status: 422,
      detail: 'no writing credential of Demo has OtherMerchant: ask an operator',
    });
    for (const role of ['console', 'console-admin'])
      expect((await act(`/credentials/${admin.id}`, { role: [role] })).status).toBe(422);
    expect((await act(`/credentials/${added.id}`, { readOnly: true })).status).toBe(200);
    expect((await act(`/credentials/${added.id}/rotate`)).status).toBe(200);
    expect((await act(`/credentials/${added.id}/revoke`)).status).toBe(200);
    expect((await act(`/credentials/${own.reader.id}/secondFactor`)).status).toBe(200);
    expect((await act(`/credentials/${own.reader.id}/secondFactor/remove`)).status).toBe(200);
    // Operators may have a credential of the same company.
    const { credentials } = await get(operator, '/credentials');
    const colleague = credentials.find(({ username }: Person) => username === 'console@Company.Demo').id;
    for (const action of ['rotate', 'revoke', 'secondFactor'])
      expect([action, (await act(`/credentials/${colleague}/${action}`)).status]).toEqual([action, 422]);
    await server.backend.store.write((tx) => tx.query(giveUp, []));
    expect((await act('/state/deadLetters/retryAll')).body.retried).toBeGreaterThan(0);
    expect(
      (await get(operator, '/state/deadLetters')).letters.map((each: { tenant: string }) => each.tenant),
    ).toContain('Other');
    expect((await act(`/state/pendingRequests/${own.pending}/settle`, { result: 'notDone' })).status).toBe(200);
    expect((await act(`/callers/deprecations/${own.deprecation}/exempt`, { credential: caller })).status).toBe(403);
    // Control: the platform role is one of Demo, and none of Other.
    const ofOther = await addPerson('Other', 'console-tenant-admin');
    const platform = { tenant: 'Other', kind: 'apiKey', role: ['balancePlatform'] };
    expect((await ask(ofOther, 'POST', '/credentials', platform)).body.detail).toContain(
      'no writing credential of Other has',
    );
    // What reads only does not become what writes.
    const reading = await server.backend.registry.addCredential({
      ...{ tenant: 'Other', kind: 'apiKey', roles: ['recurring:list'], grants: {}, readOnly: true },
    });
    const role = ['recurring:list'];
    const asOther = (path: string, body: object) => ask(ofOther, 'POST', path, body);
    expect((await asOther('/credentials', { tenant: 'Other', kind: 'apiKey', role })).status).toBe(422);
    expect((await asOther('/credentials', { tenant: 'Other', kind: 'apiKey', role, readOnly: true })).status).toBe(200);
    expect((await asOther(`/credentials/${reading.id}`, { readOnly: false })).status).toBe(422);
    expect((await asOther(`/credentials/${reading.id}`, { expires: '90d' })).status).toBe(200);
  });

  test('a role of a company binds, whatever other roles there are', async () => {
    for (const wide of ['console', 'console-admin']) {
      const both = await addPerson('Demo', wide, 'console-tenant');
      expect(marksIn((await ask(both, 'GET', '/credentials')).text)).toEqual([]);
      expect((await ask(both, 'GET', '/state/settings')).status).toBe(403);
    }
  });

  test('the stream has the requests of the company, and ends when its person is bound', async () => {
    const wide = await addPerson('Demo', 'console');
    const streams = await Promise.all([own.reader, wide].map((person) => openStream(server.admin, person)));
    const [bound, free] = streams as [Stream, Stream];
    const foreign = await call('Other');
    const reference = await call('Demo');
    for (const each of streams) await until('the own request', () => each.text().includes(reference));
    expect(free.text()).toContain(foreign);
    expect(marksIn(bound.text())).toEqual([]);
    expect(bound.text()).not.toContain(foreign);
    await server.backend.registry.editCredential(wide.id, { roles: ['console', 'console-tenant'] });
    await free.ended;
    bound.close();
  });
});

interface Stream {
  text(): string;
  readonly ended: Promise<void>;
  close(): void;
}

/** Logs in as the page does, and reads the stream of requests. */
async function openStream(origin: string, { username, secret }: Person): Promise<Stream> {
  const logIn = await fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, secret }),
  });
  const [cookie = ''] = (logIn.headers.get('set-cookie') ?? '').split('; ');
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(hangMsMax)]);
  const response = await fetch(`${origin}/console/api/v1/traffic/events`, { headers: { Cookie: cookie }, signal });
  expect(response.status).toBe(200);
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  };
  const ended = read().catch((thrown: unknown) => {
    if (!left.signal.aborted) throw thrown;
  });
  await until('the stream', () => text.includes('heartbeat'));
  return { text: () => text, ended, close: () => left.abort() };
}

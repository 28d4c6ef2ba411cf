/** The gateway that tests of users run: seeds, clock, faults, calls and reset. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { createGateway } from '../../src/program/api/index.ts';
import { builtIn, type TestGateway, type TestGatewayOptions, withControls } from '../../src/program/api/testing.ts';

const open: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
});

const start = async (options: Partial<TestGatewayOptions> = {}): Promise<TestGateway> => {
  const gateway = await createGateway(withControls({ ...builtIn(), clock: '2026-01-01T00:00:00Z', ...options }));
  open.push(gateway);
  return gateway;
};

const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

const ask = (gateway: TestGateway, operation: string, input: object, headers: Record<string, string> = {}) =>
  gateway.fetch(
    new Request(`http://gateway/pal/servlet/Recurring/v25/${operation}`, {
      method: 'POST',
      headers: { 'x-api-key': 'demo-api-key', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    }),
  );

const listed = async (gateway: TestGateway): Promise<number> => {
  const { details = [] } = (await (await ask(gateway, 'listRecurringDetails', shopper)).json()) as { details?: [] };
  return details.length;
};

const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
const storeCard = { ...shopper, recurring: { contract: 'RECURRING' }, shopperEmail: 'shopper@example.com', card };

test('the same seed gives the same answers, another one does not', async () => {
  const answers = async (seed: number) => {
    const gateway = await start({ seed });
    const stored = await ask(gateway, 'storeToken', storeCard);
    return [await stored.text(), await (await ask(gateway, 'listRecurringDetails', shopper)).text()];
  };
  const first = await answers(7);
  expect(first[0]).toContain('recurringDetailReference');
  expect(await answers(7)).toEqual(first);
  expect(await answers(8)).not.toEqual(first);
});

test('reset brings back data, clock, identifiers, calls and faults', async () => {
  const gateway = await start();
  const before = await (await ask(gateway, 'listRecurringDetails', shopper)).text();
  for (let round = 0; round < 2; round++) {
    expect((await ask(gateway, 'disable', shopper)).status).toBe(200);
    expect(await listed(gateway)).toBe(0);
    gateway.clock.advance({ days: 31 });
    gateway.faults.always({ answer: 'internal' });
    await gateway.reset();
    expect([gateway.calls, gateway.clock.now()]).toEqual([[], Date.UTC(2026, 0, 1)]);
    expect(await (await ask(gateway, 'listRecurringDetails', shopper)).text()).toBe(before);
  }
});

test('credentials that were added survive a reset, and those of the start are as they were', async () => {
  const gateway = await start();
  const { credentials } = gateway;
  const first = await credentials.listCredentials();
  const ofStart = first.find(({ username = '' }) => username === 'ws@Company.Demo')!;
  const { id, tenant, roles, grants, username = '' } = ofStart;
  const parts = { tenant, roles, grants };
  const { secret } = await credentials.addCredential({ ...parts, kind: 'apiKey' });
  const statusOf = async (headers: Record<string, string>) =>
    (await ask(gateway, 'listRecurringDetails', shopper, headers)).status;
  for (let round = 0; round < 2; round++) {
    expect(await statusOf({ 'x-api-key': secret })).toBe(200);
    // Its name is given to another one, which a reset removes.
    await credentials.revokeCredential(id);
    await credentials.addCredential({ ...parts, kind: 'basic', username });
    await gateway.reset();
    const listed = await credentials.listCredentials();
    expect(listed.filter((each) => each.kind !== 'apiKey' || first.some((one) => one.id === each.id))).toEqual(first);
    expect(listed).toHaveLength(first.length + 1);
  }
  expect(await statusOf({ 'x-api-key': secret })).toBe(200);
  expect(await statusOf({ 'x-api-key': 'wrong' })).toBe(401);
});

test('an idempotency record expires when the clock is advanced', async () => {
  const gateway = await start();
  const key = { 'idempotency-key': 'key-of-a-stored-card' };
  const replayed = async () => (await ask(gateway, 'storeToken', storeCard, key)).headers.get('idempotent-replayed');
  expect([await replayed(), await replayed()]).toEqual([null, 'true']);
  gateway.clock.advance({ days: 40 });
  expect(await replayed()).toBeNull();
});

test('calls show what was received, with sensitive members masked', async () => {
  const gateway = await start();
  await ask(gateway, 'storeToken', { ...storeCard, card: { ...card, cvc: '737' } });
  await ask(gateway, 'storeToken', { ...storeCard, card: { ...card, number: 'x' } });
  await ask(gateway, 'disable', shopper, { 'x-api-key': 'wrong' });
  expect(gateway.calls).toMatchObject([
    {
      operation: 'storeToken',
      format: 'json',
      outcome: 'ok',
      input: { card: { number: '************1111', cvc: '***', holderName: 'Anna van Dijk' } },
      at: Date.UTC(2026, 0, 1),
    },
    { operation: 'storeToken', outcome: expect.not.stringMatching(/^ok$/), input: undefined },
    { operation: 'disable', outcome: 'unauthorized', status: 401, input: undefined },
  ]);
  expect(JSON.stringify(gateway.calls)).not.toContain(card.number);
});

describe('faults', () => {
  test('a refusal by name has no effect, and hits the fitting request only', async () => {
    const gateway = await start();
    gateway.faults.next({ operation: 'disable', answer: 'internal' });
    expect(await listed(gateway)).toBe(3);
    expect((await ask(gateway, 'disable', shopper)).status).toBe(500);
    expect(await listed(gateway)).toBe(3);
    expect((await ask(gateway, 'disable', shopper)).status).toBe(200);
  });

  test.each([
    ['before', 3],
    ['after', 0],
  ] as const)('a connection that drops %s the effect', async (drop, left) => {
    const gateway = await start();
    const key = { 'idempotency-key': 'key-of-a-dropped-call' };
    gateway.faults.next({ drop });
    await expect(ask(gateway, 'disable', shopper, key)).rejects.toThrow('fetch failed');
    expect(await listed(gateway)).toBe(left);
    const again = await ask(gateway, 'disable', shopper, key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, left === 0 ? 'true' : null]);
  });

  test('a connection drops on a port, too', async () => {
    const gateway = await start();
    const url = await gateway.listen();
    gateway.faults.next({ drop: 'after', times: 2 });
    const call = () =>
      fetch(`${url}/pal/servlet/Recurring/v25/disable`, {
        method: 'POST',
        headers: { 'x-api-key': 'demo-api-key', 'content-type': 'application/json' },
        body: JSON.stringify(shopper),
      });
    await expect(call()).rejects.toThrow('fetch failed');
    expect(await listed(gateway).catch((thrown: Error) => thrown.message)).toBe('fetch failed');
    expect(await listed(gateway)).toBe(0);
  });

  test('a delay holds the key: a second request with it meets one in flight, and a third has the outcome', async () => {
    const gateway = await start();
    const key = { 'idempotency-key': 'key-of-a-slow-call' };
    gateway.faults.next({ operation: 'disable', delayMs: 1_000 });
    const first = ask(gateway, 'disable', shopper, key);
    const second = await ask(gateway, 'disable', shopper, key);
    expect([second.status, await second.json()]).toMatchObject([409, { errorCode: '704' }]);
    expect(await listed(gateway)).toBe(3);
    const { status, headers } = await first;
    expect([status, headers.get('idempotent-replayed'), await listed(gateway)]).toEqual([200, null, 0]);
    const third = await ask(gateway, 'disable', shopper, key);
    expect([third.status, third.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });

  test('a malformed answer, a delay and a rate', async () => {
    const gateway = await start();
    gateway.faults.next({ malformed: true, delayMs: 5 });
    const text = await (await ask(gateway, 'listRecurringDetails', shopper)).text();
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    gateway.faults.always({ rate: 0.5, answer: 'internal' });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await ask(gateway, 'listRecurringDetails', shopper)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
  });

  test('a fault that cannot be is refused', async () => {
    const { faults } = await start();
    expect(() => faults.next({ answer: 'no such problem' })).toThrow(TypeError);
    expect(() => faults.next({ rate: 2 })).toThrow(TypeError);
    expect(() => faults.next({ operaton: 'disable' } as object)).toThrow(/operaton/);
  });
});

test('a resource is read again only where it has changed, and HEAD has the headers of GET', async () => {
  const gateway = await start();
  const url = `${await gateway.listen()}/bcl/v2/accountHolders`;
  const key = { 'x-api-key': 'demo-platform-key' };
  const created = await fetch(url, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ legalEntityId: 'LE00000000000000000000001' }),
  });
  const { id } = (await created.json()) as { readonly id: string };
  const ask = (method: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}/${id}`, { method, headers: { ...key, ...headers } });
  const [get, head] = [await ask('GET'), await ask('HEAD')];
  const body = await get.text();
  for (const name of ['etag', 'content-type', 'content-length'])
    expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  expect([get.status, head.status, await head.text(), body.length]).toEqual([
    200,
    200,
    '',
    Number(get.headers.get('content-length')),
  ]);
  const etag = get.headers.get('etag')!;
  for (const method of ['GET', 'HEAD'])
    for (const [tag, status] of [
      [etag, 304],
      [`W/${etag}`, 304],
      [`"0", ${etag}`, 304],
      ['*', 304],
      ['"0"', 200],
    ] as const) {
      const answer = await ask(method, { 'if-none-match': tag });
      expect([method, tag, answer.status, answer.headers.get('etag')]).toEqual([method, tag, status, etag]);
      expect(await answer.text()).toBe(status === 304 || method === 'HEAD' ? '' : body);
    }
  expect((await fetch(`${url}/AH0`, { method: 'HEAD', headers: key })).status).toBe(
    (await fetch(`${url}/AH0`, { headers: key })).status,
  );
  expect((await fetch(`${url}/${id}`, { method: 'HEAD' })).status).toBe(401);
});

test('a browser at a wrong address gets a page, and no format has a call', async () => {
  const gateway = await start();
  const url = await gateway.listen();
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const get = (path: string, headers: Readonly<Record<string, string>>) => fetch(`${url}${path}`, { headers });
  for (const [path, status] of [
    ['/nowhere', 404],
    ['/pal/servlet/Recurring/v9999/disable', 404],
    ['/pal/servlet/soap/nowhere', 404],
    ['/bcl/v2/accountHolders', 405],
  ] as const) {
    const {
      headers,
      status: answered,
      ...response
    } = await get(path, { accept }).then(async (each) => ({
      headers: each.headers,
      status: each.status,
      body: await each.text(),
    }));
    expect([path, answered, headers.get('content-type')]).toEqual([path, status, 'text/html; charset=utf-8']);
    expect(response.body).toContain(`<a href="${url}/">The start page</a>`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('allow')).toBe(status === 405 ? 'POST' : null);
  }
  expect(gateway.calls.filter(({ format }) => format !== 'document')).toEqual([]);
  // Programs are refused in a format, and so is a browser by an operation that finds nothing.
  const key = { 'x-api-key': 'demo-platform-key' };
  expect((await get('/nowhere', { accept: 'text/xml' })).headers.get('content-type')).toContain('text/xml');
  expect((await get('/nowhere', {})).headers.get('content-type')).toContain('application/json');
  const found = await get('/bcl/v2/accountHolders/AH0', { accept, ...key });
  expect(found.headers.get('content-type')).toContain('json');
});

test('many gateways in one process do not disturb each other', async () => {
  const gateways = await Promise.all(Array.from({ length: 50 }, () => start()));
  await Promise.all(gateways.map((gateway, index) => (index % 2 === 0 ? ask(gateway, 'disable', shopper) : undefined)));
  const counts = await Promise.all(gateways.map(listed));
  expect(counts).toEqual(counts.map((_, index) => (index % 2 === 0 ? 0 : 3)));
});

/** The traffic of a server in the console: lines, details, programs, rates, the stream of events, and who has opened what. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { trafficEvents } from '../../src/console/traffic/events.ts';
import { languageNames } from '../../src/convert/call-source.ts';
import { demoCredentials } from '../../src/program/testing/demo/published.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { until } from '../support/until.ts';

const key = 'key-of-the-caller-88f1';
const publicUrl = 'https://api.example.com';
const cardNumber = '4111111111111111';
const { presented } = demoCredentials.find(({ presented: each }) => each.kind === 'basic')!;
const authorization = `Basic ${Buffer.from(`${presented.kind === 'basic' ? presented.username : ''}:${presented.secret}`).toString('base64')}`;
const secrets = [key, cardNumber, presented.secret, authorization.slice(6)];
const path = '/pal/servlet/Recurring/v25';

type Line = Readonly<Record<string, unknown>> & { readonly id: string };

let server: ConsoleServer;
beforeAll(async () => {
  server = await startConsoleServer({ variables: { PUBLIC_URL: publicUrl } });
});
afterAll(() => server.stop());

const send = (operation: string, body: object | string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.callers}${path}/${operation}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const list = async (query = ''): Promise<readonly Line[]> =>
  (await server.call('viewer', 'GET', `/traffic/requests${query}`)).body.requests as readonly Line[];
const open = async (reference: string) => {
  const [line] = await list(`?reference=${reference}`);
  return server.call('viewer', 'GET', `/traffic/requests/${line!.id}`);
};
const store = {
  card: { number: cardNumber, expiryMonth: '03', expiryYear: '2030', cvc: '737', holderName: '<b>Anna</b>' },
  merchantAccount: 'DemoMerchant',
  recurring: { contract: 'RECURRING' },
  shopperReference: 'traffic-1',
};

describe('a request that was answered', () => {
  test('its details: what was received, its steps and its answer, and nothing secret', async () => {
    const answer = await send('storeToken', store, { 'idempotency-key': key, 'x-request-id': `id-${key}` });
    const reference = answer.headers.get('pspreference')!;
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    const { status, text, body } = await open(reference);
    expect(status).toBe(200);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    // The control: the search finds them in what was sent.
    const sent = JSON.stringify([store, key, authorization, presented.secret]);
    expect(secrets.filter((secret) => sent.includes(secret))).toEqual(secrets);
    expect(body).toMatchObject({
      operation: 'storeToken',
      format: 'json',
      key: 'new',
      outcome: 'ok',
      hasDetails: true,
    });
    const details = body.details as {
      readonly received: { readonly body: string };
      readonly steps: readonly { readonly name: string }[];
      readonly canonical: string;
    };
    expect(details.received.body).toContain('"holderName":"<b>Anna</b>"');
    expect(details.received.body).toContain('"number":"<masked>"');
    expect(JSON.parse(details.canonical)).toMatchObject({ card: { number: '<masked, ends in 1111>' } });
    expect(new Set(details.steps.map(({ name }) => name))).toEqual(
      new Set(['receive', 'decode', 'authorize', 'execute', 'transaction', 'answer']),
    );
    expect(body.details).toMatchObject({
      keyLength: key.length,
      answer: { body: expect.stringContaining('"result":"Success"') },
    });
    const again = await send('storeToken', store, { 'idempotency-key': key });
    await again.text();
    expect((await list(`?reference=${reference}&outcome=replayed`)).map((line) => line.key)).toEqual(['replayed']);
  });

  test('issues at their places, and a body that cannot be read as its structure', async () => {
    const refused = await send('disable', { merchantAccount: 'DemoMerchant', shoperReference: cardNumber });
    const { body } = await open(refused.headers.get('pspreference')!);
    expect(body.details).toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ problem: expect.any(String), at: expect.any(String) }),
      ]),
      received: { body: '{"merchantAccount":"DemoMerchant","shoperReference":"<masked>"}', isReadable: true },
    });
    const broken = await send('disable', `{"merchantAccount":"Demo" "${cardNumber}`);
    const found = await open(broken.headers.get('pspreference')!);
    expect(found.body.details).toMatchObject({
      received: { body: '{"merchantAccount":"xxxx" "0000000000000000', isReadable: false },
    });
  });

  test('as a program in every language, with placeholders', async () => {
    const answer = await send('storeToken', { ...store, shopperReference: 'traffic-2' });
    const [line] = await list(`?reference=${answer.headers.get('pspreference')}`);
    for (const language of languageNames) {
      const { status, body } = await server.call('viewer', 'GET', `/traffic/requests/${line!.id}/programs/${language}`);
      expect([language, status]).toEqual([language, 200]);
      expect(body.source).toContain('masked, ends in 1111');
      expect(body.source).not.toContain(cardNumber);
      // The address of callers, and not that of this machine.
      expect(body.source).toContain('api.example.com');
      expect(body.source).not.toContain('127.0.0.1');
    }
  });

  test('who has opened it is in the audit log', async () => {
    const answer = await send('listRecurringDetails', { merchantAccount: 'DemoMerchant', shopperReference: 'nobody' });
    const reference = answer.headers.get('pspreference')!;
    await open(reference);
    await server.backend.audit.flush();
    const entries = JSON.stringify(await server.backend.auditLog.list({ kind: 'consoleView', max: 100 }));
    expect(entries).toContain(reference);
  });

  test('filters, and requests that are not kept', async () => {
    await send('listRecurringDetails', { merchantAccount: 'DemoMerchant', shopperReference: 'nobody' });
    const found = await list('?operation=listRecurringDetails&format=json&outcome=ok&limit=1');
    expect(found).toHaveLength(1);
    expect(await list('?format=soap12')).toEqual([]);
    expect((await server.call('viewer', 'GET', '/traffic/requests/1-999999')).status).toBe(404);
    expect((await server.call('nobody', 'GET', '/traffic/requests')).status).toBe(401);
    expect((await server.call('caller', 'GET', '/traffic/requests')).status).toBe(403);
  });
});

test('rates by format', async () => {
  await send('listRecurringDetails', { merchantAccount: 'DemoMerchant', shopperReference: 'nobody' });
  const { body } = await server.call('viewer', 'GET', '/traffic/rates?period=day');
  expect(body.formats).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ format: 'json', points: [expect.objectContaining({ p50: expect.any(Number) })] }),
    ]),
  );
});

describe('the stream of events', () => {
  /** As a browser reads it. */
  async function openStream(query = '', lastEventId?: string) {
    const left = new AbortController();
    const response = await fetch(`${server.admin}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiKey: server.secrets[0] }),
    });
    const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
    const { csrfToken } = ((await response.json()) as { session: { csrfToken: string } }).session;
    const stream = await fetch(`${server.admin}/console/api/v1/traffic/events${query}`, {
      headers: { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
      signal: left.signal,
    });
    let text = '';
    let hasEnded = false;
    const reading = (async () => {
      for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) text += piece;
    })()
      .catch(() => {})
      .finally(() => {
        hasEnded = true;
      });
    return {
      status: stream.status,
      text: () => text,
      hasEnded: () => hasEnded,
      lastId: () => /.*\nid: (\S+)/s.exec(text)?.[1],
      logOut: () =>
        fetch(`${server.admin}/console/session`, {
          method: 'DELETE',
          headers: { cookie, 'x-console-token': csrfToken },
        }),
      leave: async () => {
        left.abort();
        await reading;
      },
    };
  }

  const ask = async (shopperReference: string) =>
    (await send('listRecurringDetails', { merchantAccount: 'DemoMerchant', shopperReference })).headers.get(
      'pspreference',
    )!;

  test('tells new requests, and goes on where a browser was disconnected', async () => {
    const stream = await openStream('?format=json');
    expect(stream.status).toBe(200);
    await until('the stream begins', () => stream.text().includes(': heartbeat'));
    const first = await ask('nobody');
    await until('the request is told', () => stream.text().includes(first));
    const id = stream.lastId();
    await stream.leave();
    const missed = await ask('nobody');
    const again = await openStream('?format=json', id);
    await until('the request is told', () => again.text().includes(missed));
    expect(again.text()).not.toContain(first);
    await again.leave();
  });

  test('only with a session', async () => {
    const { status } = await fetch(`${server.admin}/console/api/v1/traffic/events`);
    expect(status).toBe(401);
  });

  test('a reader that does not read gets the count of what it has missed, and the server buffers nothing', async () => {
    const after = 'pages' as const;
    const reads: (string | undefined)[] = [];
    const reader = {
      watch: () => {},
      read: async (cursor: string | undefined) => {
        reads.push(cursor);
        return { lines: [], cursor: `1:${reads.length}`, missed: reads.length === 2 ? 17 : 0 };
      },
    };
    const left = new AbortController();
    const events = trafficEvents(reader as never, { everyMs: 1, heartbeatMs: 60_000 }).open({
      caller: { credential: after, roles: new Set() } as never,
      query: new URLSearchParams('after=1:0'),
      lastEventId: undefined,
      signal: left.signal,
      isValid: async () => true,
    });
    const pieces = events[Symbol.asyncIterator]();
    const next = async () => (await pieces.next()).value as string;
    expect([await next(), await next()]).toEqual(['retry: 2000\n\n', ': heartbeat\n\n']);
    // Nobody asks for the next piece, so nothing is read.
    const before = reads.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads.length).toBe(before);
    expect(await next()).toContain('"missed":17');
    left.abort();
    expect((await pieces.next()).done).toBe(true);
  });

  test('ends where the session has ended', async () => {
    let isValid = true;
    const left = new AbortController();
    const events = trafficEvents(
      { watch: () => {}, read: async () => ({ lines: [], cursor: '', missed: 0 }) } as never,
      { everyMs: 1, heartbeatMs: 1 },
    ).open({
      caller: { roles: new Set() } as never,
      query: new URLSearchParams(),
      lastEventId: undefined,
      signal: left.signal,
      isValid: async () => isValid,
    });
    let count = 0;
    for await (const _ of events) {
      count += 1;
      if (count === 3) isValid = false;
    }
    expect(count).toBeGreaterThanOrEqual(3);
  });
});

test('with TRAFFIC=off nothing is recorded', async () => {
  const quiet = await startConsoleServer({ variables: { TRAFFIC: 'off' } });
  const { status, text } = await quiet.call('viewer', 'GET', '/traffic/requests');
  const hour = await quiet.call('viewer', 'GET', '/overview/hour');
  expect(hour).toMatchObject({ status: 200, body: { isRecorded: false } });
  await quiet.stop();
  expect([status, text]).toEqual([404, expect.stringContaining('TRAFFIC is off')]);
});

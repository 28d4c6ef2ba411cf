/** Tests who gets into the console: log-ins, locks, sessions and their ends, requests of other sites. Each attack has its control. */
import { get, request as send } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { startConsole, type TestConsole, type TestConsoleOptions } from '../support/console.ts';

let opened: TestConsole | undefined;
afterEach(async () => {
  await opened?.stop();
  opened = undefined;
});

async function open(options?: TestConsoleOptions): Promise<TestConsole> {
  opened = await startConsole(options);
  return opened;
}

const overview = '/console/api/v1/overview';
const minute = 60_000;
const hour = 60 * minute;

test('a credential with the role logs in; its session reads, and ends with the log-out', async () => {
  const console = await open();
  const person = await console.addCredential(['console']);
  const { headers, attributes } = await console.logIn(person);
  expect(attributes).toBe('Path=/console; HttpOnly; SameSite=Strict');
  expect((await console.ask(overview)).status).toBe(401);
  expect((await console.ask(overview, { headers })).status).toBe(200);
  const ended = await console.ask('/console/session', { method: 'DELETE', headers });
  expect(ended.status).toBe(200);
  expect(ended.headers.get('set-cookie')).toMatch(
    /^triglyph-console-\d+=; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=0$/,
  );
  expect((await console.ask(overview, { headers })).status).toBe(401);
  const byPerson = { actor: person.id, subject: person.id };
  expect(await console.audited('consoleLogin')).toEqual([
    { ...byPerson, outcome: 'ok' },
    { ...byPerson, outcome: 'loggedOut' },
  ]);
  expect(await console.audited('consoleView')).toEqual([{ actor: person.id, subject: 'overview', outcome: undefined }]);
});

test('a program calls the service with its credential, and needs no session', async () => {
  const console = await open();
  const { username, secret } = await console.addCredential(['console']);
  const other = await console.addCredential(['recurring']);
  const authorization = (name: string, password: string) => ({
    Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  expect((await console.ask(overview, { headers: authorization(username, secret) })).status).toBe(200);
  expect((await console.ask(overview, { headers: authorization(username, 'wrong') })).status).toBe(401);
  expect((await console.ask(overview, { headers: authorization(other.username, other.secret) })).status).toBe(403);
});

test('a credential without the role is refused, and that is recorded', async () => {
  const console = await open();
  const { id, username, secret } = await console.addCredential(['recurring']);
  const refused = await console.ask('/console/session', { method: 'POST', body: { username, secret } });
  expect(refused.status).toBe(403);
  expect(refused.headers.get('set-cookie')).toBeNull();
  expect(await console.audited('consoleLogin')).toEqual([{ actor: id, subject: id, outcome: 'notAllowed' }]);
});

test.each([
  ['with a lock', '5', [401, 401, 401, 401, 401, 429, 429]],
  ['without one, as the control', '0', [401, 401, 401, 401, 401, 401, 200]],
] as const)('guesses of a password %s', async (_, max, statuses) => {
  const console = await open({ settings: { LOGIN_FAILURES_MAX: max } });
  const { username, secret } = await console.addCredential(['console']);
  const found: number[] = [];
  for (const guess of ['1', '2', '3', '4', '5', '6', secret])
    found.push((await console.ask('/console/session', { method: 'POST', body: { username, secret: guess } })).status);
  expect(found).toEqual(statuses);
});

test('a session ends without use, and after its longest time', async () => {
  const console = await open();
  const person = await console.addCredential(['console']);
  const statusAfter = async (ms: number, headers: Readonly<Record<string, string>>): Promise<number> => {
    console.pass(ms);
    return (await console.ask(overview, { headers })).status;
  };
  const unused = await console.logIn(person);
  expect(await statusAfter(14 * minute, unused.headers)).toBe(200);
  expect(await statusAfter(14 * minute, unused.headers)).toBe(200);
  expect(await statusAfter(15 * minute, unused.headers)).toBe(401);
  const used = await console.logIn(person);
  for (let times = 0; times < 51; times++) expect(await statusAfter(14 * minute, used.headers)).toBe(200);
  expect(await statusAfter(14 * minute, used.headers)).toBe(401);
});

test.each([
  ['revoked', (console: TestConsole, id: string) => console.revoke(id), 401],
  ['given a new secret at once', (console: TestConsole, id: string) => console.rotate(id, 0), 401],
  ['deprived of its role', (console: TestConsole, id: string) => console.edit(id, ['recurring']), 401],
  ['given a new secret beside the old one', (console: TestConsole, id: string) => console.rotate(id, hour), 200],
  ['left alone, as the control', async () => {}, 200],
] as const)('the session of a credential that is %s', async (_, change, status) => {
  const console = await open();
  const person = await console.addCredential(['console']);
  const { headers } = await console.logIn(person);
  expect((await console.ask(overview, { headers })).status).toBe(200);
  await change(console, person.id);
  console.pass(2_000);
  expect((await console.ask(overview, { headers })).status).toBe(status);
});

test('a session is bound to the networks of its credential', async () => {
  const console = await open({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  const person = await console.addCredential(['console'], { networks: ['127.0.0.0/8'] });
  const { headers } = await console.logIn(person);
  expect((await console.ask(overview, { headers })).status).toBe(200);
  const elsewhere = { ...headers, 'X-Forwarded-For': '203.0.113.7' };
  expect((await console.ask(overview, { headers: elsewhere })).status).toBe(401);
});

test('behind TLS the cookie is bound to the host, and is not sent in the clear', async () => {
  const console = await open({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { username, secret } = await console.addCredential(['console']);
  const secured = { 'X-Forwarded-Proto': 'https' };
  const body = { username, secret };
  const { headers } = await console.ask('/console/session', { method: 'POST', body, headers: secured });
  expect(headers.get('set-cookie')).toMatch(
    /^__Host-triglyph-console-\d+=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  );
});

const logOut = { method: 'DELETE' } as const;

test.each([
  ['without the token of its page', { 'X-Console-Token': '' }, 403],
  ['with the token of another session', { 'X-Console-Token': 'x'.repeat(43) }, 403],
  ['from a page of another site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ['from another port of the host, which has the cookie', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['with the Origin of another page', { Origin: 'http://evil.example' }, 403],
  ['with no Origin of a page', { Origin: 'null' }, 403],
  ['of the page itself, as the control', {}, 200],
] as const)('a request that changes something %s', async (_, changes, status) => {
  const console = await open();
  const { headers } = await console.logIn(await console.addCredential(['console']));
  expect((await console.ask('/console/session', { ...logOut, headers: { ...headers, ...changes } })).status).toBe(
    status,
  );
});

test('another site cannot log somebody in with a form', async () => {
  const console = await open();
  const { username, secret } = await console.addCredential(['console']);
  const body = JSON.stringify({ username, secret });
  const post = (headers: Record<string, string>) => console.ask('/console/session', { method: 'POST', body, headers });
  expect((await post({ 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await post({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  expect((await post({})).status).toBe(200);
});

test('before a log-in, nobody makes the server read much', async () => {
  const console = await open();
  const { username, secret } = await console.addCredential(['console']);
  const logIn = (length: number) => {
    const body = JSON.stringify({ username, secret }).padEnd(length);
    return console.ask('/console/session', { method: 'POST', body });
  };
  expect((await logIn(16_384)).status).toBe(200);
  expect((await logIn(16_385)).status).toBe(413);
  // Refused before the body is read, as the operations of the service are.
  const headers = { 'Content-Type': 'application/json', Expect: '100-continue', 'Content-Length': '2000000' };
  expect(await interimAnswers(`${console.origin}/console/session`, headers)).toEqual([413]);
  expect(await interimAnswers(`${console.origin}/console/api/v1/explorer/messages`, headers)).toEqual([401]);
  expect(await interimAnswers(`${console.origin}/console/session`, { ...headers, 'Content-Length': '2' })).toEqual([
    100, 400,
  ]);
});

/** Sends `{}` as the body if it is asked for, and returns the statuses. */
function interimAnswers(address: string, headers: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const answered: number[] = [];
  return new Promise((resolve, reject) => {
    const request = send(address, { method: 'POST', headers, agent: false });
    request.on('continue', () => {
      answered.push(100);
      request.end('{}');
    });
    request.on('response', (response) => {
      response.resume();
      resolve([...answered, response.statusCode ?? 0]);
      request.destroy();
    });
    request.on('error', reject);
    request.flushHeaders();
  });
}

test('a log-in ends the session before it, and 21 log-ins end the first', async () => {
  const console = await open();
  const person = await console.addCredential(['console']);
  const first = await console.logIn(person);
  const body = { username: person.username, secret: person.secret };
  await console.ask('/console/session', { method: 'POST', body, headers: { Cookie: first.cookie } });
  expect((await console.ask(overview, { headers: first.headers })).status).toBe(401);
  const oldest = await console.logIn(person);
  for (let times = 0; times < 19; times++) await console.logIn(person);
  expect((await console.ask(overview, { headers: oldest.headers })).status).toBe(200);
  await console.logIn(person);
  expect((await console.ask(overview, { headers: oldest.headers })).status).toBe(401);
});

test('one click logs in where the server offers it, and nowhere else', async () => {
  const body = { oneClick: true };
  const closed = await open();
  expect((await closed.ask('/console/session', { method: 'POST', body })).status).toBe(401);
  expect((await closed.ask(`${closed.callers}/console/session`)).status).toBe(404);
  await closed.stop();
  const demo = await open({ oneClick: { kind: 'basic', username: 'nobody@Company.Acme', secret: 'unknown' } });
  expect(JSON.parse((await demo.ask('/console/session')).body)).toEqual({ oneClick: true });
  // The credential was revoked: the click helps nobody.
  expect((await demo.ask('/console/session', { method: 'POST', body })).status).toBe(401);
});

test('the token of the admin port is for programs; people log in to the console', async () => {
  const console = await open({ settings: { ADMIN_TOKEN: 'a-token-of-the-admin-port-0123456789' } });
  expect((await console.ask('/metrics')).status).toBe(401);
  expect((await console.ask(overview)).status).toBe(401);
  const { headers } = await console.logIn(await console.addCredential(['console']));
  expect((await console.ask(overview, { headers })).status).toBe(200);
  expect((await console.ask('/metrics', { headers: { Cookie: headers.Cookie! } })).status).toBe(401);
});

test('a page that refreshes itself does not keep the session', async () => {
  const console = await open();
  const person = await console.addCredential(['console']);
  const statuses = async (also: Readonly<Record<string, string>>): Promise<readonly number[]> => {
    const { headers } = await console.logIn(person);
    const found: number[] = [];
    for (const ms of [10 * minute, 10 * minute]) {
      console.pass(ms);
      found.push((await console.ask(overview, { headers: { ...headers, ...also } })).status);
    }
    return found;
  };
  expect(await statuses({ 'X-Console-Refresh': '1' })).toEqual([200, 401]);
  // The control: somebody uses it.
  expect(await statuses({})).toEqual([200, 200]);
});

const events = '/console/api/v1/traffic/events';

test('streams of events leave connections to probes', async () => {
  const console = await open();
  const { headers } = await console.logIn(await console.addCredential(['console']));
  const streams: { readonly status: number | undefined; end(): Promise<void> }[] = [];
  const openStream = () =>
    new Promise<(typeof streams)[number]>((resolve, reject) => {
      const request = get(
        console.origin + events,
        { headers: { Cookie: headers.Cookie! }, agent: false },
        (response) => {
          const ended = new Promise<void>((done) => response.once('close', done));
          response.once('error', () => {}).resume();
          const end = (): Promise<void> => {
            request.destroy();
            return ended;
          };
          resolve({ status: response.statusCode, end });
        },
      ).once('error', reject);
    });
  try {
    for (let times = 0; times < 33; times++) streams.push(await openStream());
    expect(streams.map(({ status }) => status)).toEqual([...Array(32).fill(200), 429]);
    expect((await console.ask('/livez')).status).toBe(200);
  } finally {
    await Promise.all(streams.map((each) => each.end()));
  }
  expect((await console.ask(events, { method: 'HEAD', headers })).status).toBe(405);
});

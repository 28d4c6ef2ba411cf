/** Sessions of the gateway at an upstream: in front of PHP's SoapServer, by a header and by a cookie, and of a JSON server. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { UpstreamOptions } from '../../src/backend/upstreams/options.ts';
import { service as declare, object, operation, optional, required, string } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { freePort, listenLocally } from '../support/listen-locally.ts';
import { endGroup, type Group, startGroup } from '../support/process-group.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const wsdl = join(import.meta.dirname, '../wsdl/desk.wsdl');
const program = join(import.meta.dirname, '../interop/servers/session.php');
const folder = tempFolder();
afterAll(() => folder.discard());

async function deskGateway(url: string, options: Partial<UpstreamOptions>, location = wsdl) {
  const { services } = await importWsdl(location, { allowNetwork: false, reads: ['Get*'] });
  const { service } = services[0]!;
  const contract = declare({ ...service, operations: [...service.operations.values()] });
  const gateway = await createGateway({
    services: [contract.answeredBy('desk')],
    upstreams: { desk: { url, format: 'soap11', credentials: 'none', singleAddress: true, ...options } },
    settings: { LOG_LEVEL: 'silent' },
  });
  const { role } = [...service.operations.values()][0]!;
  const { secret } = await gateway.credentials.addCredential({
    tenant: 'acme',
    kind: 'apiKey',
    roles: [role],
    grants: {},
  });
  const { origin } = await gateway.listen();
  const call = async (name: string, input: unknown) => {
    const response = await fetch(`${origin}/desk/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secret },
      body: JSON.stringify(input),
    });
    return { status: response.status, text: await response.text() };
  };
  return { gateway, call };
}

const logIn = {
  logIn: 'Desk.LogIn',
  input: { user: { inClear: 'the <user>' } },
  ended: ['INVALID_SESSION_ID'],
} as const;
const ways = {
  header: {
    session: { ...logIn, values: { id: 'soapHeaders.Session.sessionId' } },
    soapHeaders: { '{urn:example:desk}Session': { elements: { sessionId: { session: 'id' } } } },
  },
  cookie: { session: { ...logIn, cookies: true } },
} as const;

describe.each(['header', 'cookie'] as const)('by a %s', (mode) => {
  const state = join(folder.path, mode);
  // With its workers.
  let server: Group;
  let url: string;
  let opened: Awaited<ReturnType<typeof deskGateway>>;
  beforeAll(async () => {
    mkdirSync(state);
    const port = await freePort();
    const env = { ...process.env, WSDL: wsdl, STATE: state, MODE: mode, PHP_CLI_SERVER_WORKERS: '4' };
    server = startGroup('php', ['-S', `127.0.0.1:${port}`, program], folder.path, env);
    url = `http://127.0.0.1:${port}/desk`;
    await until('the SOAP server', async () => (await fetch(`${url}?wsdl`)).status > 0);
  });
  beforeEach(async () => {
    for (const name of ['session', 'calls', 'locked']) rmSync(join(state, name), { force: true });
    await opened?.gateway.close();
    opened = await deskGateway(url, ways[mode]);
  });
  afterAll(async () => {
    await opened.gateway.close();
    await endGroup(server.pid);
  });
  const calls = () =>
    existsSync(join(state, 'calls')) ? readFileSync(join(state, 'calls'), 'utf8').trim().split('\n') : [];

  test('requests at the same time share one log-in, and later ones its session', async () => {
    const answers = await Promise.all(['1', '2', '3', '4', '5'].map((id) => opened.call('GetTicket', { id })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await opened.call('CloseTicket', { id: '6' })).toMatchObject({ status: 200 });
    expect(calls().filter((line) => line.startsWith('logIn'))).toEqual(['logIn the <user>']);
    expect(calls().filter((line) => line.startsWith('refused'))).toEqual([]);
  });

  test('a session that has ended is renewed once, for writes, too', async () => {
    await opened.call('GetTicket', { id: '1' });
    writeFileSync(join(state, 'session'), 's<other');
    // A session of less than a second is not renewed.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const answers = await Promise.all(['2', '3'].map((id) => opened.call('CloseTicket', { id })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(calls().filter((line) => line.startsWith('logIn'))).toHaveLength(2);
    expect(
      calls()
        .filter((line) => line.startsWith('ticket'))
        .toSorted(),
    ).toEqual(['ticket 1', 'ticket 2', 'ticket 3']);
  });

  test('a log-in that is refused is not tried by each request, and callers do not read why', async () => {
    writeFileSync(join(state, 'locked'), '');
    const answers = await Promise.all(['1', '2', '3'].map((id) => opened.call('GetTicket', { id })));
    answers.push(await opened.call('CloseTicket', { id: '4' }));
    for (const { status, text } of answers) {
      expect(status).toBe(502);
      expect(text).not.toMatch(/locked|user/);
    }
    expect(calls()).toEqual(['logIn the <user>']);
  });

  test('without it the server refuses: a control', async () => {
    const other = await deskGateway(url, {});
    const { text } = await other.call('GetTicket', { id: '1' });
    await other.gateway.close();
    expect(text).toContain('Session is over');
    expect(calls()).toEqual(['refused 1']);
  });
});

test('a caller cannot replace the block of the session', async () => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    bodies.push(text);
    const isLogIn = text.includes('LogIn');
    const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(
        `<s:Envelope xmlns:s="${soap}" xmlns="urn:example:desk"><s:Header>${isLogIn ? '<Session><sessionId>right</sessionId></Session>' : ''}</s:Header><s:Body>${isLogIn ? '<LogInResponse><since>x</since></LogInResponse>' : '<GetTicketResponse><title>x</title></GetTicketResponse>'}</s:Body></s:Envelope>`,
      );
  });
  const { gateway, call } = await deskGateway(await listen(server), ways.header);
  expect(await call('GetTicket', { id: '1', soapHeaders: { Session: { sessionId: 'stolen' } } })).toMatchObject({
    status: 200,
  });
  await gateway.close();
  server.close();
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toContain('right');
  expect(bodies.join('')).not.toContain('stolen');
});

test('a block that names no value of the session is refused', async () => {
  const soapHeaders = { '{urn:example:desk}Session': { elements: { sessionId: { session: 'other' } } } };
  await expect(deskGateway('http://127.0.0.1:9', { ...ways.header, soapHeaders })).rejects.toThrow('names other');
});

async function listen(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listenLocally(server)}`;
}

describe('of a JSON server', () => {
  const text = (name: string) => required(string({ max: 100, example: name }), 'A text.');
  const parts = { role: 'store', problems: [] } as const;
  const contract = declare({
    name: 'Store',
    version: 1,
    doc: 'A store.',
    address: '/store',
    namespaces: { own: 's', uris: { s: 'urn:example:store' } },
    soapStyle: 'wrapped',
    operations: [
      operation({
        ...parts,
        name: 'open',
        effect: 'reads',
        doc: 'Logs in.',
        input: object('Open', { user: text('ws'), password: text('secret') }),
        output: object('Opened', { token: optional(string({ max: 9_000 }), 'A token.') }),
      }),
      operation({
        ...parts,
        name: 'find',
        effect: 'reads',
        doc: 'Finds.',
        input: object('Find', { id: text('1') }),
        output: object('Found', { id: text('1') }),
      }),
    ],
  });
  let tokens: string[];
  let answers: number;
  let server: Server;
  let gateway: RunningGateway;
  let seen: (string | undefined)[];

  async function openGateway(
    token: (count: number) => unknown,
    session: Partial<UpstreamOptions['session'] & object> = {},
  ) {
    tokens = [];
    seen = [];
    answers = 0;
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const send = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.url?.endsWith('/open')) {
        tokens.push(body);
        return send(200, { token: token(tokens.length) });
      }
      answers += 1;
      seen.push(request.headers.authorization);
      return request.headers.authorization === `Bearer t${tokens.length}` ? send(200, JSON.parse(body)) : send(401, {});
    });
    const url = await listen(server);
    const input = { user: 'ws', password: { inClear: 'p "w"' } };
    gateway = await createGateway({
      services: [contract.answeredBy('store')],
      upstreams: {
        store: {
          url,
          credentials: 'none',
          session: {
            logIn: 'Store.open',
            input,
            values: { token: 'token' },
            headers: { Authorization: 'Bearer {token}' },
            ...session,
          },
        },
      },
      settings: { LOG_LEVEL: 'silent' },
    });
    const { secret } = await gateway.credentials.addCredential({
      tenant: 'acme',
      kind: 'apiKey',
      roles: ['store'],
      grants: {},
    });
    const { origin } = await gateway.listen();
    return async () =>
      (
        await fetch(`${origin}/store/v1/find`, {
          method: 'POST',
          headers: { 'x-api-key': secret, 'content-type': 'application/json' },
          body: '{"id":"1"}',
        })
      ).status;
  }
  const close = async () => {
    await gateway.close();
    server.close();
  };

  test('a header has the value, and 401 ends the session', async () => {
    const find = await openGateway((count) => `t${count}`);
    expect([await find(), await find()]).toEqual([200, 200]);
    expect(tokens).toEqual(['{"user":"ws","password":"p \\"w\\""}']);
    await close();
  });

  test('a session is used no longer than configured', async () => {
    const find = await openGateway((count) => `t${count}`, { seconds: 1 });
    await find();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await find()).toBe(200);
    expect(tokens).toHaveLength(2);
    await close();
  });

  test('a server that refuses each session at once does not get a log-in for each request', async () => {
    const find = await openGateway(() => 'wrong');
    const statuses = [];
    for (let call = 0; call < 5; call += 1) statuses.push(await find());
    expect(new Set(statuses)).toEqual(new Set([502]));
    expect({ tokens: tokens.length, answers }).toEqual({ tokens: 1, answers: 5 });
    await close();
  });

  test.each([
    ['a line break', 'a\r\nX-Evil: 1'],
    ['nothing', ''],
    ['no text', undefined],
    ['too much', 'x'.repeat(8_500)],
  ])('an answer with %s as its value is no log-in', async (_, value) => {
    const find = await openGateway(() => value);
    expect(await find()).toBe(502);
    expect({ seen, tokens: tokens.length }).toEqual({ seen: [], tokens: 1 });
    await close();
  });

  test.each([
    [{ logIn: 'Store.opens' }, 'which is no operation'],
    [{ input: { user: 'ws' } }, 'input.password is wrong (missingField)'],
    [{ values: { token: 'tokens' } }, 'has no such text'],
    [{ headers: { Cookie: '{token}' } }, 'is not the name of a header that can be set'],
    [{ headers: { A: '{other}' } }, 'names {other}'],
    [{ ended: 401 }, 'is no list'],
    [{ values: {}, headers: {} }, 'keeps nothing'],
  ])('a configuration with %j is refused', async (session, fault) => {
    await expect(openGateway(() => 't', session as never)).rejects.toThrow(fault);
    server.close();
  });

  test('callers whose credentials are forwarded share no session of the gateway', async () => {
    const session = { logIn: 'Store.open', values: { token: 'token' } };
    const created = createGateway({
      services: [contract.answeredBy('store')],
      upstreams: { store: { url: 'http://127.0.0.1:9', credentials: 'forward', session } },
    });
    await expect(created).rejects.toThrow('is one of the gateway');
  });
});

describe('a log-out', () => {
  const state = join(folder.path, 'logOut');
  const withLogOut = join(folder.path, 'logout.wsdl');
  // With its workers.
  let server: Group;
  let url: string;
  beforeAll(async () => {
    mkdirSync(state);
    const element = (name: string, member: string) =>
      `<xsd:element name="${name}"><xsd:complexType><xsd:sequence>${member}</xsd:sequence></xsd:complexType></xsd:element>`;
    const binding = (prefix: string) =>
      `<wsdl:operation name="LogOut"><${prefix}:operation soapAction="urn:example:desk#LogOut"/><wsdl:input><${prefix}:body use="literal"/></wsdl:input><wsdl:output><${prefix}:body use="literal"/></wsdl:output></wsdl:operation>`;
    const text = readFileSync(wsdl, 'utf8')
      .replace(
        '<xsd:element name="LogIn">',
        `${element('LogOut', '<xsd:element name="reason" type="xsd:string" minOccurs="0"/>')}${element('LogOutResponse', '<xsd:element name="ended" type="xsd:boolean"/>')}$&`,
      )
      .replace(
        '<wsdl:message name="LogInIn">',
        '<wsdl:message name="LogOutIn"><wsdl:part name="parameters" element="tns:LogOut"/></wsdl:message><wsdl:message name="LogOutOut"><wsdl:part name="parameters" element="tns:LogOutResponse"/></wsdl:message>$&',
      )
      .replace(
        '<wsdl:operation name="LogIn"><wsdl:input',
        '<wsdl:operation name="LogOut"><wsdl:input message="tns:LogOutIn"/><wsdl:output message="tns:LogOutOut"/></wsdl:operation>$&',
      )
      .replace('<wsdl:operation name="LogIn"><soap:', `${binding('soap')}$&`)
      .replace('<wsdl:operation name="LogIn"><soap12:', `${binding('soap12')}$&`);
    writeFileSync(withLogOut, text);
    const port = await freePort();
    const env = { ...process.env, WSDL: withLogOut, STATE: state, MODE: 'header', PHP_CLI_SERVER_WORKERS: '4' };
    server = startGroup('php', ['-S', `127.0.0.1:${port}`, program], folder.path, env);
    url = `http://127.0.0.1:${port}/desk`;
    await until('the SOAP server', async () => (await fetch(`${url}?wsdl`)).status > 0);
  });
  beforeEach(() => {
    for (const name of ['session', 'calls']) rmSync(join(state, name), { force: true });
  });
  afterAll(async () => {
    await endGroup(server.pid);
  });
  const calls = () =>
    existsSync(join(state, 'calls')) ? readFileSync(join(state, 'calls'), 'utf8').trim().split('\n') : [];
  const session = { ...ways.header.session, logOut: 'Desk.LogOut', logOutInput: { reason: 'end of {id}' } };

  test('is sent in the session when the gateway stops, with values of the log-in', async () => {
    const { gateway, call } = await deskGateway(url, { ...ways.header, session }, withLogOut);
    expect(await call('GetTicket', { id: '1' })).toMatchObject({ status: 200 });
    const id = readFileSync(join(state, 'session'), 'utf8');
    await gateway.close();
    expect(calls()).toEqual(['logIn the <user>', 'ticket 1', 'ticket logOut', `logOut end of ${id}`]);
    expect(existsSync(join(state, 'session'))).toBe(false);
  });

  test('is not sent without a session', async () => {
    const { gateway } = await deskGateway(url, { ...ways.header, session }, withLogOut);
    await gateway.close();
    expect(calls()).toEqual([]);
  });

  test('that the server refuses holds up nothing', async () => {
    const { gateway, call } = await deskGateway(url, { ...ways.header, session }, withLogOut);
    await call('GetTicket', { id: '1' });
    writeFileSync(join(state, 'session'), 'another');
    await gateway.close();
    expect(calls().at(-1)).toBe('refused logOut');
  });

  test('the control: without the option the session stays open', async () => {
    const { gateway, call } = await deskGateway(url, ways.header, withLogOut);
    await call('GetTicket', { id: '1' });
    await gateway.close();
    expect(existsSync(join(state, 'session'))).toBe(true);
  });

  test.each([
    [{ ...session, logOut: 'Desk.LogOff' }, /session\.logOut is Desk\.LogOff, which is no operation/],
    [{ ...session, logOutInput: { reason: '{other}' } }, /logOutInput names \{other\}/],
    [{ ...session, logOutInput: { other: 1 } }, /logOutInput\..*is wrong/],
  ])('a configuration that is wrong says so', async (wrong, message) => {
    await expect(deskGateway(url, { ...ways.header, session: wrong as never }, withLogOut)).rejects.toThrow(message);
  });
});

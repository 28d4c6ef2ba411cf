/** What SOAP services need beside messages, through a contract that is imported: in front of PHP's SoapServer and the `soap` package. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClientAsync } from 'soap';
import type { UpstreamOptions } from '../../src/backend/upstreams/options.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { freePort, listenLocally } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const wsdl = join(import.meta.dirname, '../wsdl/desk.wsdl');
const servers = join(import.meta.dirname, '../interop/servers');
const folder = tempFolder();
afterAll(() => folder.discard());

const stacks = [
  [
    "PHP's SoapServer, SOAP 1.1",
    'soap11',
    (port: number) => ['php', '-S', `127.0.0.1:${port}`, join(servers, 'desk.php')],
  ],
  [
    "PHP's SoapServer, SOAP 1.2",
    'soap12',
    (port: number) => ['php', '-S', `127.0.0.1:${port}`, join(servers, 'desk.php')],
  ],
  ['the `soap` package', 'soap11', () => [process.execPath, join(servers, 'desk.mjs')]],
] as const;

/** Calls by JSON and FORM, without a credential. */
function callerOf(origin: string) {
  const post = async (operation: string, contentType: string, body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/desk/${operation}`, {
      method: 'POST',
      headers: { 'content-type': contentType, ...headers },
      body,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    async json(operation: string, input: unknown, headers: Record<string, string> = {}) {
      const { text, ...rest } = await post(operation, 'application/json', JSON.stringify(input), headers);
      return { ...rest, answer: text === '' ? undefined : JSON.parse(text) };
    },
    async form(operation: string, input: Record<string, string>) {
      const { text, ...rest } = await post(
        operation,
        'application/x-www-form-urlencoded',
        new URLSearchParams(input).toString(),
      );
      return { ...rest, pairs: Object.fromEntries(new URLSearchParams(text)) };
    },
  };
}

describe.each(stacks)('%s', (title, format, command) => {
  let child: ChildProcess;
  let gateway: RunningGateway;
  let origin: string;
  const received = join(folder.path, `${title.replace(/\W/g, '')}.txt`);
  beforeAll(async () => {
    writeFileSync(received, '');
    const port = await freePort();
    const [program = '', ...parameters] = command(port);
    const version = format === 'soap12' ? '1.2' : '1.1';
    const env = { ...process.env, WSDL: wsdl, PORT: String(port), SOAP_VERSION: version, RECEIVED: received };
    child = spawn(program, parameters, { env, stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}/desk`;
    await until('the SOAP server', async () => (await fetch(`${url}?wsdl`)).status > 0);
    const { services } = await importWsdl(wsdl, { allowNetwork: false, reads: ['Get*'] });
    const { service } = services[0]!;
    const contract = declare({ ...service, operations: [...service.operations.values()] });
    gateway = await createGateway({
      services: [contract.answeredBy('desk')],
      upstreams: { desk: { url, format, credentials: 'forward', singleAddress: true } },
      settings: { LOG_LEVEL: 'silent' },
    });
    origin = (await gateway.listen()).origin;
  });
  afterAll(async () => {
    await gateway.close();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });

  const requests = (): readonly string[] =>
    readFileSync(received, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Buffer.from((JSON.parse(line) as { readonly body: string }).body, 'base64').toString());

  const phpClient = () => {
    const version = format === 'soap12' ? 'SOAP_1_2' : 'SOAP_1_1';
    return `$client = new SoapClient('${origin}/desk?wsdl', ['cache_wsdl' => WSDL_CACHE_NONE, 'soap_version' => ${version}]);`;
  };

  describe('declared faults', () => {
    test('come with their data in JSON, with a status of the class of the fault', async () => {
      const { json } = callerOf(origin);
      expect(await json('GetTicket', { id: 'none' })).toMatchObject({
        status: 422,
        answer: { detail: 'No such ticket', fault: { TicketNotFound: { id: 'none', lines: [7, 9] } } },
      });
      expect(await json('GetTicket', { id: 'late' })).toMatchObject({
        status: 500,
        answer: { detail: 'Closed', fault: { DeskClosed: { value: 'since <noon> & "later"' } } },
      });
    });

    test('an undeclared one has no data, and is no refusal', async () => {
      const { status, answer } = await callerOf(origin).json('GetTicket', { id: 'broken' });
      expect(status).toBe(500);
      expect(answer).not.toHaveProperty('fault');
    });

    test('come with their data in FORM', async () => {
      const { status, pairs } = await callerOf(origin).form('GetTicket', { id: 'none' });
      expect(status).toBe(422);
      expect(pairs).toMatchObject({
        'fault.TicketNotFound.id': 'none',
        'fault.TicketNotFound.lines.1': '9',
        message: 'No such ticket',
      });
    });

    test('a retry with the key of a refused write gets the status and the data again, and nothing is sent', async () => {
      const { json } = callerOf(origin);
      const key = { 'Idempotency-Key': `close-${format}` };
      const first = await json('CloseTicket', { id: 'none' }, key);
      const sent = requests().length;
      const second = await json('CloseTicket', { id: 'none' }, key);
      expect(first).toMatchObject({ status: 500, answer: { fault: { TicketNotFound: { id: 'none' } } } });
      expect({ status: second.status, answer: second.answer }).toEqual({ status: first.status, answer: first.answer });
      expect(second.headers.get('idempotency-key')).toBe(key['Idempotency-Key']);
      expect(requests()).toHaveLength(sent);
    });

    test('stubs throw them: PHP', async () => {
      const script = `
        ${phpClient()}
        try { $client->GetTicket(['id' => 'none']); }
        catch (SoapFault $fault) { echo json_encode([$fault->faultcode, $fault->detail]); }`;
      const { stdout } = await run('php', ['-r', script]);
      const [code, detail] = JSON.parse(stdout);
      expect(code).toBe(format === 'soap12' ? 'env:Sender' : 'soap:Client');
      expect(detail).toMatchObject({ TicketNotFound: { id: 'none', lines: ['7', '9'] } });
    });

    test('the text and the class of a fault are those of the server in SOAP, also for a retry with its key', async () => {
      const close = async (id: string) => {
        const response = await fetch(`${origin}/desk`, {
          method: 'POST',
          headers: { 'content-type': 'text/xml', 'Idempotency-Key': `close-${id}-${format}` },
          body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><d:CloseTicket xmlns:d="urn:example:desk"><d:id>${id}</d:id></d:CloseTicket></s:Body></s:Envelope>`,
        });
        return await response.text();
      };
      const sent = requests().length;
      for (const _ of ['first', 'retry']) {
        expect(await close('locked')).toContain(
          '<faultcode>soap:Client</faultcode><faultstring>In use &lt;now&gt;</faultstring>',
        );
        expect(await close('none')).toContain(
          '<faultcode>soap:Server</faultcode><faultstring>No such ticket</faultstring>',
        );
      }
      expect(requests()).toHaveLength(sent + 2);
    });

    test('stubs throw them: the `soap` package', async () => {
      const client = await createClientAsync(`${origin}/desk?wsdl`);
      const thrown = await client.GetTicketAsync!({ id: 'late' }).catch((error: unknown) => error);
      expect(thrown).toMatchObject({
        root: { Envelope: { Body: { Fault: { detail: { DeskClosed: 'since <noon> & "later"' } } } } },
      });
    });
  });

  describe('an operation without an answer', () => {
    test('is answered with 202 in JSON, FORM and SOAP, and a retry with its key sends nothing', async () => {
      const { json, form } = callerOf(origin);
      const key = { 'Idempotency-Key': `notify-${format}` };
      const before = requests().length;
      expect(await json('Notify', { text: 'a' }, key)).toMatchObject({ status: 202, answer: undefined });
      expect(await json('Notify', { text: 'a' }, key)).toMatchObject({ status: 202, answer: undefined });
      expect(requests()).toHaveLength(before + 1);
      expect(await form('Notify', { text: 'b' })).toMatchObject({ status: 202, pairs: {} });
      const { stdout } = await run('php', ['-r', `${phpClient()} echo json_encode($client->Notify(['text' => 'c']));`]);
      expect(stdout).toBe('null');
      // PHP does not wait for the answer.
      await until('the request of PHP', () => />c</.test(requests().at(-1) ?? ''));
      expect(requests().slice(before).join('')).toMatch(/>a<.*>b<.*>c</s);
    });

    test('is in the WSDL without an output, and in OpenAPI with 202', async () => {
      const document = await (await fetch(`${origin}/desk?wsdl`)).text();
      expect(document).not.toContain('NotifyResponse');
    });
  });

  describe('declared headers', () => {
    test('that a log-in returned are a member of its answer, and later calls send them', async () => {
      const { json, form } = callerOf(origin);
      const { answer } = await json('LogIn', { user: 'anna <&>' });
      expect(answer).toEqual({ since: 'today', soapHeaders: { Session: { sessionId: 's-anna <&>' } } });
      expect(await json('GetTicket', { id: '7', soapHeaders: answer.soapHeaders })).toMatchObject({
        status: 200,
        answer: { title: 'Ticket 7 of s-anna <&>' },
      });
      const asForm = await form('GetTicket', { id: '8', 'soapHeaders.Session.sessionId': '</Session><x/>' });
      expect(asForm.pairs).toEqual({ title: 'Ticket 8 of </Session><x/>' });
    });

    test('are absent where the caller sends none', async () => {
      expect((await callerOf(origin).json('GetTicket', { id: '9' })).answer).toEqual({ title: 'Ticket 9' });
    });

    test('stubs send and receive them in the header: PHP', async () => {
      const script = `
        ${phpClient()}
        $client->__soapCall('LogIn', [['user' => 'piet']], null, null, $headers);
        $session = new SoapHeader('urn:example:desk', 'Session', ['sessionId' => $headers['Session']->sessionId], true);
        echo json_encode($client->__soapCall('GetTicket', [['id' => '1']], null, [$session]));`;
      const { stdout } = await run('php', ['-r', script]);
      expect(JSON.parse(stdout)).toEqual({ title: 'Ticket 1 of s-piet' });
    });

    test('a block that must be understood and is not declared is refused, and so is a header in the body', async () => {
      const ask = async (header: string, member = '') => {
        const envelope = 'http://schemas.xmlsoap.org/soap/envelope/';
        const response = await fetch(`${origin}/desk`, {
          method: 'POST',
          headers: { 'content-type': 'text/xml' },
          body: `<s:Envelope xmlns:s="${envelope}" xmlns:d="urn:example:desk"><s:Header>${header}</s:Header><s:Body><d:GetTicket><d:id>2</d:id>${member}</d:GetTicket></s:Body></s:Envelope>`,
        });
        return await response.text();
      };
      const before = requests().length;
      expect(await ask('<x:Other xmlns:x="urn:x" s:mustUnderstand="1"/>')).toContain('soap:MustUnderstand');
      expect(await ask('<x:Session xmlns:x="urn:x" s:mustUnderstand="1"/>')).toContain('soap:MustUnderstand');
      expect(await ask('', '<d:soapHeaders><d:Session/></d:soapHeaders>')).toContain('702');
      expect(requests()).toHaveLength(before);
      expect(await ask('<d:Session s:mustUnderstand="1"><d:sessionId>z</d:sessionId></d:Session>')).toContain(
        'Ticket 2 of z',
      );
    });
  });
});

test('an answer that is too large says so, and a retry with its key sends nothing', async () => {
  let asked = 0;
  const server = createServer((socket) =>
    socket.once('data', () => {
      asked += 1;
      socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n${'x'.repeat(5_000)}`);
    }),
  );
  const port = await listenLocally(server);
  const { services } = await importWsdl(wsdl, { allowNetwork: false, reads: ['Get*'] });
  const { service } = services[0]!;
  const contract = declare({ ...service, operations: [...service.operations.values()] });
  const url = `http://127.0.0.1:${port}`;
  const gateway = await createGateway({
    services: [contract.answeredBy('desk')],
    upstreams: { desk: { url, format: 'soap11', credentials: 'forward', responseBytesMax: 1_024 } },
    settings: { LOG_LEVEL: 'silent' },
  });
  const { origin } = await gateway.listen();
  for (const _ of ['first', 'retry']) {
    const { status, headers, answer } = await callerOf(origin).json(
      'CloseTicket',
      { id: '7' },
      { 'Idempotency-Key': 'large-1' },
    );
    expect({ status, transient: headers.get('transient-error') }).toEqual({ status: 502, transient: 'false' });
    expect(answer.detail).toContain('larger than the gateway accepts');
  }
  expect(asked).toBe(1);
  await gateway.close();
  server.close();
});

describe('what an upstream adds to the header', () => {
  const password = 'p <&> "w"';
  let child: ChildProcess;
  let url: string;
  const received = join(folder.path, 'secured.txt');
  beforeAll(async () => {
    writeFileSync(received, '');
    const port = await freePort();
    const env = { ...process.env, WSDL: wsdl, PORT: String(port), RECEIVED: received, PASSWORD: password };
    child = spawn(process.execPath, [join(servers, 'desk.mjs')], { env, stdio: 'ignore' });
    url = `http://127.0.0.1:${port}/desk`;
    await until('the SOAP server', async () => (await fetch(`${url}?wsdl`)).status > 0);
  });
  afterAll(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });

  /** Calls through a gateway with these options of its upstream; returns the answer, and the envelope that the server received. */
  async function callWith(options: Partial<UpstreamOptions>, headers: Record<string, string> = {}) {
    const { services } = await importWsdl(wsdl, { allowNetwork: false, reads: ['Get*'] });
    const { service } = services[0]!;
    const contract = declare({ ...service, operations: [...service.operations.values()] });
    const gateway = await createGateway({
      services: [contract.answeredBy('desk')],
      upstreams: { desk: { url, format: 'soap11', credentials: 'forward', singleAddress: true, ...options } },
      settings: { LOG_LEVEL: 'silent' },
    });
    const { origin } = await gateway.listen();
    const { status, answer } = await callerOf(origin).json('GetTicket', { id: '7' }, headers);
    await gateway.close();
    const lines = readFileSync(received, 'utf8').trim().split('\n');
    const { body } = JSON.parse(lines.at(-1)!) as { readonly body: string };
    return { status, answer, envelope: Buffer.from(body, 'base64').toString() };
  }

  const user = { username: 'ws', password: { inClear: password }, timestampSeconds: 60 };

  test.each(['text', 'digest'] as const)(
    'a UsernameToken with a %s and a Timestamp, which the server checks',
    async (passwordType) => {
      const right = await callWith({ wsSecurity: { ...user, passwordType } });
      expect(right).toMatchObject({ status: 200, answer: { title: 'Ticket 7' } });
      expect(right.envelope.includes('p &lt;&amp;> ') || right.envelope.includes('p &lt;&amp;&gt; ')).toBe(
        passwordType === 'text',
      );
      const wrong = await callWith({ wsSecurity: { ...user, passwordType, password: { inClear: 'wrong' } } });
      expect(wrong.status).toBeGreaterThanOrEqual(400);
      expect((await callWith({})).status).toBeGreaterThanOrEqual(400);
    },
  );

  describe('the credential of the caller as a UsernameToken', () => {
    const secured = { wsSecurity: { credentials: true, timestampSeconds: 60 } } as const;
    const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`ws:${secret}`).toString('base64')}` });
    const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
    const wsu = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
    const lines = () => readFileSync(received, 'utf8').trim().split('\n');

    test.each(['text', 'digest'] as const)('from HTTP Basic, with a %s', async (passwordType) => {
      const options = { wsSecurity: { ...secured.wsSecurity, passwordType } };
      const right = await callWith(options, basic(password));
      expect(right).toMatchObject({ status: 200, answer: { title: 'Ticket 7' } });
      expect(right.envelope).toContain('<wsse:Username>ws<');
      expect(JSON.parse(lines().at(-1)!).headers).not.toHaveProperty('authorization');
      expect((await callWith(options, basic('wrong'))).status).toBeGreaterThanOrEqual(400);
      expect((await callWith(options)).status).toBeGreaterThanOrEqual(400);
      // Where it is not configured, it stays in the header.
      const plain = await callWith({}, basic(password));
      expect(plain.envelope).not.toContain('UsernameToken');
      expect(JSON.parse(lines().at(-1)!).headers.authorization).toBe(basic(password).authorization);
    });

    async function callBySoap(token: string, options: Partial<UpstreamOptions>) {
      const { services } = await importWsdl(wsdl, { allowNetwork: false, reads: ['Get*'] });
      const { service } = services[0]!;
      const contract = declare({ ...service, operations: [...service.operations.values()] });
      const gateway = await createGateway({
        services: [contract.answeredBy('desk')],
        upstreams: { desk: { url, format: 'soap11', credentials: 'forward', singleAddress: true, ...options } },
        settings: { LOG_LEVEL: 'silent', USERNAME_TOKEN: 'on' },
      });
      const { origin } = await gateway.listen();
      const before = lines().length;
      const response = await fetch(`${origin}/desk`, {
        method: 'POST',
        headers: { 'content-type': 'text/xml' },
        body:
          `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:d="urn:example:desk"><s:Header><o:Security xmlns:o="${wsse}" xmlns:u="${wsu}" s:mustUnderstand="1">` +
          `<o:UsernameToken>${token}</o:UsernameToken></o:Security></s:Header><s:Body><d:GetTicket><d:id>7</d:id></d:GetTicket></s:Body></s:Envelope>`,
      });
      const text = await response.text();
      await gateway.close();
      const sent = lines()
        .slice(before)
        .map((line) => JSON.parse(line) as { readonly headers: Record<string, string>; readonly body: string });
      return { status: response.status, text, sent };
    }
    const name = '<o:Username>ws</o:Username>';
    const asText = (secret: string) => `${name}<o:Password>${secret.replace('<&>', '&lt;&amp;&gt;')}</o:Password>`;
    const asDigest = (secret: string) => {
      const [nonce, created] = [Buffer.from('nonce'), new Date().toISOString()];
      const digest = createHash('sha1').update(nonce).update(created).update(secret).digest('base64');
      const type = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest';
      return `${name}<o:Password Type="${type}">${digest}</o:Password><o:Nonce>${nonce.toString('base64')}</o:Nonce><u:Created>${created}</u:Created>`;
    };

    test('from a UsernameToken, with a text or with the digest of the caller', async () => {
      for (const token of [asText, asDigest]) {
        const right = await callBySoap(token(password), secured);
        expect(right).toMatchObject({ status: 200 });
        expect(right.text).toContain('Ticket 7');
        expect((await callBySoap(token('wrong'), secured)).text).not.toContain('Ticket');
      }
    });

    test('a UsernameToken becomes HTTP Basic where none is configured; a digest cannot, and nothing is sent', async () => {
      const { sent } = await callBySoap(asText(password), {});
      // A server that answers nothing is asked again.
      expect([...new Set(sent.map(({ headers }) => headers.authorization))]).toEqual([basic(password).authorization]);
      const refused = await callBySoap(asDigest(password), {});
      expect(refused.text).toContain('UnsupportedSecurityToken');
      expect(refused.sent).toEqual([]);
      const split = await callBySoap(asText(password).replace('>ws<', '>w:s<'), {});
      expect(split).toMatchObject({ status: 500, sent: [] });
    });

    test('needs a credential with a name', async () => {
      await expect(callWith({ ...secured, credentials: 'none' })).rejects.toThrow('have no username');
    });
  });

  test('WS-Addressing', async () => {
    const { envelope } = await callWith({ wsSecurity: user, wsAddressing: true });
    const addressing = 'http://www.w3.org/2005/08/addressing';
    expect(envelope).toContain(`<a:To xmlns:a="${addressing}">${url}</a:To>`);
    expect(envelope).toContain(`<a:Action xmlns:a="${addressing}">urn:example:desk#GetTicket</a:Action>`);
    expect(envelope).toContain(`<a:Address>${addressing}/anonymous</a:Address>`);
    expect(envelope).toMatch(/<a:MessageID [^>]*>urn:uuid:/);
  });

  test('fixed blocks, and those of headers of the caller, which cannot end their element', async () => {
    const soapHeaders = {
      '{urn:example:desk}Session': { elements: { sessionId: { header: 'X-Session' } } },
      '{urn:erp}Tenant': 'acme & <sons>',
    };
    const sent = await callWith(
      { wsSecurity: user, soapHeaders },
      { 'X-Session': 's</h:sessionId><x/>', 'X-Other': 'other' },
    );
    expect(sent.answer).toEqual({ title: 'Ticket 7 of s</h:sessionId><x/>' });
    expect(sent.envelope).toContain('<h:Tenant xmlns:h="urn:erp">acme &amp; &lt;sons');
    expect(sent.envelope).not.toContain('other');
    // Without its header there is no block.
    expect((await callWith({ wsSecurity: user, soapHeaders })).answer).toEqual({ title: 'Ticket 7' });
  });

  test.each([
    ['{urn:x}a b', 'text', 'is not the name of an element'],
    ['NoNamespace', 'text', 'is not the name of an element'],
    ['{urn:x}A', { elements: { 'a><b': 'x' } }, 'is not the name of an element'],
    ['{urn:x}A', 'a\u0000b', 'has a character that XML has not'],
  ])('a block %s is refused', async (name, content, fault) => {
    await expect(callWith({ soapHeaders: { [name]: content } })).rejects.toThrow(fault);
  });
});

describe('what servers do with HTTP and XML', () => {
  const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
  const message = `<s:Envelope xmlns:s="${soap}"><s:Body><GetTicketResponse xmlns="urn:example:desk"><title>Käse</title></GetTicketResponse></s:Body></s:Envelope>`;
  const declared = `<?xml version="1.0" encoding="utf-8"?>${message}`;
  const head = (status: string, type = 'text/xml', more = '') =>
    `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${more}`;
  const sized = (body: Buffer, type?: string) =>
    Buffer.concat([Buffer.from(`${head('200 OK', type)}Content-Length: ${body.length}\r\n\r\n`), body]);
  const withNamespaces = (count: number) =>
    declared.replace(
      '<GetTicketResponse',
      `<GetTicketResponse ${Array.from({ length: count }, (_, at) => `xmlns:ns${at}="urn:${at}"`).join(' ')}`,
    );
  const utf8 = Buffer.from(declared);
  const utf16 = Buffer.from(`\ufeff${declared.replace('utf-8', 'utf-16')}`, 'utf16le');
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  const answers: readonly (readonly [title: string, answer: Buffer, status: number])[] = [
    ['a plain answer', sized(utf8), 200],
    ['a byte order mark', sized(Buffer.from(`\ufeff${declared}`)), 200],
    ['UTF-16', sized(utf16, 'text/xml; charset=utf-16'), 200],
    ['UTF-16 of the big end', sized(Buffer.from(utf16).swap16()), 200],
    ['comments before the XML declaration', sized(Buffer.from(`\n<!-- a - b -->\n<!-- c -->${declared}`)), 200],
    [
      'chunks',
      Buffer.concat([
        Buffer.from(`${head('200 OK', undefined, 'Transfer-Encoding: chunked\r\n')}\r\n`),
        ...[chunk(utf8.subarray(0, 50)), chunk(utf8.subarray(50)), Buffer.from('0\r\n\r\n')],
      ]),
      200,
    ],
    [
      'HTTP/1.0 until the connection closes',
      Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\nContent-Type: text/xml\r\n\r\n'), utf8]),
      200,
    ],
    ['a namespace for each package, as Java declares them', sized(Buffer.from(withNamespaces(200))), 200],
    ['more attributes than a message has', sized(Buffer.from(withNamespaces(300))), 502],
    ['a document type', sized(Buffer.from(`<!DOCTYPE x [<!ENTITY e "Käse">]>${message.replace('Käse', '&e;')}`)), 502],
    ['half of a comment before the declaration', sized(Buffer.from(`<!-- a -- b -->${declared}`)), 502],
  ];

  test.each(answers)('%s', async (_, answer, status) => {
    const server = createServer((socket) => socket.once('data', () => socket.end(answer)));
    const port = await listenLocally(server);
    const { services } = await importWsdl(wsdl, { allowNetwork: false, reads: ['Get*'] });
    const { service } = services[0]!;
    const contract = declare({ ...service, operations: [...service.operations.values()] });
    const gateway = await createGateway({
      services: [contract.answeredBy('desk')],
      upstreams: { desk: { url: `http://127.0.0.1:${port}`, format: 'soap11', credentials: 'forward' } },
      settings: { LOG_LEVEL: 'silent' },
    });
    const { origin } = await gateway.listen();
    const got = await callerOf(origin).json('GetTicket', { id: '7' });
    await gateway.close();
    server.close();
    expect(got.status).toBe(status);
    if (status === 200) expect(got.answer).toEqual({ title: 'Käse' });
  });
});

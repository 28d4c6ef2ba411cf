/** Forms of messages behind imported contracts, in front of servers: each with a control that the server, or the caller, gets wrong. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { UpstreamOptions } from '../../src/backend/upstreams/options.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { freePort, listenLocally } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const fileOf = (name: string) => join(import.meta.dirname, `../wsdl/${name}.wsdl`);
const servers = join(import.meta.dirname, '../interop/servers');
const declared =
  'xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const folder = tempFolder();
afterAll(() => folder.discard());

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A gateway with the contract of a document; returns what calls it. */
async function startGateway(name: string, url: string, options: Partial<UpstreamOptions> = {}) {
  const { services } = await importWsdl(fileOf(name), { allowNetwork: false, reads: ['*'] });
  const contracts = services.map(({ service }) =>
    declare({ ...service, operations: [...service.operations.values()] }).answeredBy('server'),
  );
  const gateway = await createGateway({
    services: contracts,
    upstreams: { server: { url, format: 'soap11', credentials: 'forward', singleAddress: true, ...options } },
    settings: { LOG_LEVEL: 'silent' },
  });
  open.push(() => gateway.close());
  const { origin } = await gateway.listen();
  const address = origin + services[0]!.service.address;
  const post = async (path: string, contentType: string, body: string, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': contentType, ...headers }, body };
    const response = await fetch(address + path, init);
    return { status: response.status, text: await response.text() };
  };
  return {
    async json(operation: string, input: unknown) {
      const { status, text } = await post(`/${operation}`, 'application/json', JSON.stringify(input));
      return { status, answer: text === '' ? undefined : JSON.parse(text) };
    },
    async form(operation: string, body: string) {
      const { status, text } = await post(`/${operation}`, 'application/x-www-form-urlencoded', body);
      return { status, pairs: new URLSearchParams(text) };
    },
    soap: (content: string, action = '', header = '') =>
      post(
        '',
        'text/xml',
        `<e:Envelope ${declared}><e:Header>${header}</e:Header><e:Body>${content}</e:Body></e:Envelope>`,
        { soapaction: `"${action}"` },
      ),
    document: async (path: string) => (await fetch(origin + path)).text(),
  };
}

/** A server of our own; returns its URL. `answer`: the content of the Body, undefined for a fault. */
async function startServer(answer: (body: string, request: IncomingMessage) => string | undefined) {
  const server: Server = createServer(async (request, response) => {
    const body = bodyIn(await text(request));
    const fault = '<e:Fault><faultcode>e:Client</faultcode><faultstring>Refused</faultstring></e:Fault>';
    const content = answer(body, request);
    response.writeHead(content === undefined ? 500 : 200, { 'content-type': 'text/xml;charset=utf-8' });
    response.end(`<e:Envelope ${declared}><e:Body>${content ?? fault}</e:Body></e:Envelope>`);
  });
  open.push(async () => server.close());
  return `http://127.0.0.1:${await listenLocally(server)}/`;
}

const bodyIn = (envelope: string) => /<(\w+):Body[^>]*>(.*)<\/\1:Body>/s.exec(envelope)?.[2] ?? '';

/** A program that serves SOAP; returns its URL. */
async function startProgram(program: readonly string[], path: string, env: Record<string, string>) {
  const port = await freePort();
  const [command = '', ...parameters] = program.map((each) => each.replace('$PORT', String(port)));
  const child: ChildProcess = spawn(command, parameters, {
    env: { ...process.env, PORT: String(port), ...env },
    stdio: 'ignore',
  });
  open.push(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  const url = `http://127.0.0.1:${port}${path}`;
  await until('the SOAP server', async () => (await fetch(`${url}?wsdl`)).status > 0);
  return url;
}

describe('order, text between elements, names and nil items', () => {
  const letter = {
    xsiType: 'Signed',
    Blocks: { Title: 'T', Line: ['a', 'b'], Rule: [1], order: ['Line', 'Rule', 'Line'] },
    Rich: { text: ['Dear ', '!'], b: ['Ann'], order: ['text', 'b', 'text'] },
    Code: ['{urn:post}paid'],
    'First.Name': 'Ann',
    Words: ['a', null],
    Score: [null, 1],
    Inner: { Id: '1' },
    Signature: 'AAEC',
  };
  const echo = (body: string) => body.replace(/(<\/?\w+:Send)(?=[ >])/g, '$1Response');
  const listsOf = ({ answer }: { readonly answer: unknown }) => ({ ...(answer as typeof letter), circle: undefined });

  test('reach a server and come back, in JSON, FORM and SOAP', async () => {
    const received: string[] = [];
    const url = await startServer((body) => {
      received.push(body);
      return echo(body);
    });
    const { json, form, soap } = await startGateway('letters', url);
    const got = await json('Send', letter);
    expect([got.status, listsOf(got)]).toMatchObject([200, letter]);
    expect(received.at(-1)).toContain('<Line>a</Line><Rule>1</Rule><Line>b</Line>');
    expect(received.at(-1)).toContain('<Rich>Dear <b>Ann</b>!</Rich><Code xmlns:q="urn:post">q:paid</Code>');
    const { pairs } = await form(
      'Send',
      'Inner.Id=1&First%252EName=Ann&Words.0=a&Words.1.%40nil=true&Code.0={urn:post}x',
    );
    expect(Object.fromEntries(pairs)).toMatchObject({
      'First%2EName': 'Ann',
      'Words.1.@nil': 'true',
      'Code.0': '{urn:post}x',
    });
    const inner = '<l:Inner><l:Id>1</l:Id></l:Inner>';
    const mixed = '<l:Blocks><l:Title>T</l:Title><l:Rule>1</l:Rule><l:Line>a</l:Line><l:Rule>2</l:Rule></l:Blocks>';
    const answered = await soap(`<l:Send xmlns:l="urn:letters">${mixed}${inner}</l:Send>`);
    expect(answered.text).toContain('<Rule>1</Rule><Line>a</Line><Rule>2</Rule>');
  });

  test('a control: a server that sorts, and one that drops what is nil, answer something else', async () => {
    const sorted = await startServer((body) =>
      echo(body).replace('<Line>a</Line><Rule>1</Rule><Line>b</Line>', '<Line>a</Line><Line>b</Line><Rule>1</Rule>'),
    );
    const { Blocks } = listsOf(await (await startGateway('letters', sorted)).json('Send', letter));
    expect(Blocks).toEqual({ Title: 'T', Line: ['a', 'b'], Rule: [1] });
    const dropping = await startServer((body) => echo(body).replace(/<\w+ xsi:nil="true"\/>/g, ''));
    expect(listsOf(await (await startGateway('letters', dropping)).json('Send', letter))).toMatchObject({
      Words: ['a'],
      Score: [1],
    });
  });
});

describe('messages of several parts, and two operations with one element', () => {
  const answers: Readonly<Record<string, string>> = {
    'urn:first': '<f:One xmlns:f="urn:forms">one</f:One><f:Two xmlns:f="urn:forms"><A>2</A><B>3</B></f:Two>',
    'urn:second': '',
  };
  const start = async () => {
    const asked: string[] = [];
    const url = await startServer((_, { headers }) => {
      const action = String(headers.soapaction).replaceAll('"', '');
      asked.push(action);
      return answers[action];
    });
    return { asked, ...(await startGateway('forms-of-messages', url)) };
  };
  const content = '<f:Same xmlns:f="urn:forms"><N>1</N></f:Same>';

  test('are told apart by the SOAPAction, for the server and from callers', async () => {
    const { asked, json, form, soap } = await start();
    expect(await json('First', { N: 1 })).toMatchObject({ status: 200, answer: { One: 'one' } });
    expect(await json('Second', { N: 1 })).toMatchObject({ status: 200, answer: {} });
    expect((await form('First', 'N=1')).pairs.get('One')).toBe('one');
    expect((await soap(content, 'urn:first')).text).toContain('one');
    expect((await soap(content, 'urn:second')).text).not.toContain('one');
    expect(asked).toEqual(['urn:first', 'urn:second', 'urn:first', 'urn:first', 'urn:second']);
  });

  test('a control: without an action the message is no operation, and nothing is sent', async () => {
    const { asked, soap } = await start();
    expect((await soap(content)).status).toBe(500);
    expect(asked).toEqual([]);
  });
});

describe("rpc/encoded arrays and a Map, in front of PHP's SoapServer", () => {
  const value = {
    names: ['a', null, 'b <&>'],
    lines: [{ sku: 'x', count: 1 }, { count: 2 }],
    notes: { 'a.b': 'c', other: '1' },
  };
  const start = async (env: Record<string, string> = {}) => {
    const program = ['php', '-S', '127.0.0.1:$PORT', join(servers, 'encoded.php')];
    return startGateway('encoded', await startProgram(program, '/encoded', { WSDL: fileOf('encoded'), ...env }));
  };

  test('come back as they were sent', async () => {
    const { json, form } = await start();
    expect(await json('Echo', value)).toEqual({ status: 200, answer: value });
    const { pairs } = await form('Echo', 'names.0=a&names.1.%40nil=true&notes.k=v');
    expect(Object.fromEntries(pairs)).toMatchObject({ 'names.1.@nil': 'true', 'notes.k': 'v' });
  });

  test('a control: a server that adds an entry is seen to do so', async () => {
    const { json } = await start({ WRONG: '1' });
    const { answer } = await json('Echo', value);
    expect(answer).toEqual({ ...value, notes: { ...value.notes, added: 'by the server' } });
  });
});

describe('a server that demands WS-Addressing', () => {
  const start = async (options: Partial<UpstreamOptions>) => {
    const received = join(folder.path, 'addressed.txt');
    writeFileSync(received, '');
    const env = { WSDL: fileOf('desk'), RECEIVED: received, ADDRESSING: '1' };
    return startGateway(
      'desk',
      await startProgram([process.execPath, join(servers, 'desk.mjs')], '/desk', env),
      options,
    );
  };

  test('gets its headers, in each format', async () => {
    const { json, form, soap } = await start({ wsAddressing: true });
    expect(await json('GetTicket', { id: '7' })).toEqual({ status: 200, answer: { title: 'Ticket 7' } });
    expect((await form('GetTicket', 'id=8')).pairs.get('title')).toBe('Ticket 8');
    const { text } = await soap('<d:GetTicket xmlns:d="urn:example:desk"><d:id>9</d:id></d:GetTicket>');
    expect(text).toContain('Ticket 9');
  });

  test('a control: it refuses a request without them', async () => {
    const { json } = await start({});
    expect(await json('GetTicket', { id: '7' })).toMatchObject({
      status: 422,
      answer: { detail: 'A required header is missing: WS-Addressing' },
    });
  });
});

test('a server that refuses a message without an answer is not answered with 202: a control', async () => {
  const accepting = await startGateway('desk', await startServer(() => ''));
  expect(await accepting.json('Notify', { text: 'a' })).toEqual({ status: 202, answer: undefined });
  const refusing = await startGateway('desk', await startServer(() => undefined));
  expect((await refusing.json('Notify', { text: 'a' })).status).toBe(422);
});

describe('types that extend others, as messages with headers, as headers and as data of faults', () => {
  const login = { xsiType: 'TokenLogin', User: 'u', Token: 't' };
  const parcel = { xsiType: 'Express', To: 'Ann', By: '2026-01-31' };
  const answered = { ...parcel, soapHeaders: { Session: { Login: login } } };
  const refusal = { xsiType: 'TooHeavy', Code: 3, Limit: 20, unit: 'kg' };
  const program = ['php', '-S', '127.0.0.1:$PORT', join(servers, 'parcels.php')];
  const loginElement =
    '<p:Login xmlns:p="urn:parcels" xsi:type="p:TokenLogin"><p:User>u</p:User><p:Token>t</p:Token></p:Login>';
  const ship = (content: string, type = '') => `<p:Ship xmlns:p="urn:parcels"${type}>${content}</p:Ship>`;

  test("reach PHP's SoapServer and come back, in JSON, FORM and SOAP", async () => {
    const url = await startProgram(program, '/parcels.php', { WSDL: fileOf('parcels') });
    const { json, form, soap } = await startGateway('parcels', url);
    expect(await json('Ship', { ...parcel, soapHeaders: { Login: login } })).toEqual({ status: 200, answer: answered });
    const names = 'soapHeaders.Login.xsiType=TokenLogin&soapHeaders.Login.User=u&soapHeaders.Login.Token=t';
    const { pairs } = await form('Ship', `xsiType=Express&To=Ann&By=2026-01-31&${names}`);
    expect(Object.fromEntries(pairs)).toEqual({
      ...parcel,
      'soapHeaders.Session.Login.xsiType': 'TokenLogin',
      'soapHeaders.Session.Login.User': 'u',
      'soapHeaders.Session.Login.Token': 't',
    });
    const { text } = await soap(
      ship('<p:To>Ann</p:To><p:By>2026-01-31</p:By>', ' xsi:type="p:Express"'),
      '',
      loginElement,
    );
    expect(text).toContain('<Login xsi:type="ns1:TokenLogin"><User>u</User><Token>t</Token></Login>');
    expect(text).toMatch(/<ns1:ShipResponse [^>]*xsi:type="ns1:Express"><To>Ann<\/To><By>2026-01-31<\/By>/);
  }, 30_000);

  test('a fault of a type that extends the declared one has its data, in JSON, FORM and SOAP', async () => {
    const url = await startProgram(program, '/parcels.php', { WSDL: fileOf('parcels') });
    const { json, form, soap } = await startGateway('parcels', url);
    const { status, answer } = await json('Ship', { To: 'heavy' });
    expect([status, answer.fault]).toEqual([422, { Refusal: refusal }]);
    const { pairs } = await form('Ship', 'To=heavy');
    expect([pairs.get('fault.Refusal.xsiType'), pairs.get('fault.Refusal.Limit')]).toEqual(['TooHeavy', '20']);
    const { text } = await soap(ship('<p:To>heavy</p:To>'));
    expect(text).toMatch(/<detail><ns1:Refusal [^>]*xsi:type="ns1:TooHeavy"[^>]*><Code>3<\/Code><Limit>20<\/Limit>/);
  }, 30_000);

  test('a control: what no type of the contract has is refused by name, in the message and in its header', async () => {
    const received: string[] = [];
    const url = await startServer((body) => {
      received.push(body);
      return ship('', '').replaceAll('Ship', 'ShipResponse');
    });
    const { json, soap } = await startGateway('parcels', url);
    const plain = { To: 'Ann' };
    for (const [input, named] of [
      [{ ...plain, xsiType: 'Slow' }, 'Slow'],
      [{ ...plain, By: '2026-01-31' }, 'By'],
      [{ ...plain, soapHeaders: { Login: { User: 'u' } } }, 'xsiType'],
      [{ ...plain, soapHeaders: { Login: { xsiType: 'Badge' } } }, 'Badge'],
    ] as const) {
      const { status, answer } = await json('Ship', input);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(answer)).toContain(named);
    }
    expect((await soap(ship('', ' xsi:type="p:Slow"'))).text).toContain('Slow');
    expect(received).toEqual([]);
    expect((await json('Ship', plain)).answer).toEqual({ xsiType: 'Parcel' });
  });

  test('OpenAPI and the WSDL have the types', async () => {
    const { document } = await startGateway('parcels', 'http://127.0.0.1:9/');
    const { components, paths } = JSON.parse(await document('/openapi.json'));
    expect(components.schemas.Parcel).toMatchObject({
      oneOf: [{ $ref: '#/components/schemas/ParcelItself' }, { $ref: '#/components/schemas/Express' }],
      discriminator: { propertyName: 'xsiType' },
    });
    expect(components.schemas.Express.properties).toHaveProperty('soapHeaders');
    // Pairs of names and values have one schema for all messages.
    expect(paths['/parcels/v1/Ship'].post.requestBody.content).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/Parcel' } },
      'application/x-www-form-urlencoded': { schema: { $ref: '#/components/schemas/FormPairs' } },
    });
    expect(paths['/parcels/v1/Ship'].post.responses[422]).toEqual({
      $ref: '#/components/responses/UnprocessableContent',
    });
    expect(JSON.stringify(components.responses.UnprocessableContent)).toContain('"#/components/schemas/Reason"');
    expect(JSON.stringify(components.schemas.Reason)).toContain('"#/components/schemas/TooHeavy"');
    expect(JSON.stringify(components.schemas.TooHeavy)).toContain('"Limit"');
    const wsdl = await document('/parcels/v1?wsdl');
    for (const [element, type] of [
      ['Ship', 'Parcel'],
      ['Login', 'Login'],
      ['Refusal', 'Reason'],
    ])
      expect(wsdl).toMatch(new RegExp(`<xsd:element name="${element}"[^>]* type="p:${type}"/>`));
    for (const [type, base] of [
      ['Express', 'Parcel'],
      ['TokenLogin', 'Login'],
      ['TooHeavy', 'Reason'],
    ])
      expect(wsdl.replace(/\s+/g, ' ')).toContain(
        `name="${type}"> <xsd:complexContent> <xsd:extension base="p:${base}">`,
      );
  });
});

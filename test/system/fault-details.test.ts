/** Details of faults: of several elements, with attributes, and undeclared ones, from servers in SOAP 1.1 and 1.2, in every format. */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  service as declare,
  defineProblems,
  kind,
  object,
  operation,
  required,
  string,
} from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { listenLocally } from '../support/listen-locally.ts';

const run = promisify(execFile);
const id = required(string({ max: 20, example: '7' }), 'A number.');
const problems = defineProblems({ noTicket: kind(422, '4104', 'validation', 'No such ticket') });
const contract = declare({
  name: 'Desk',
  version: 1,
  doc: 'A desk.',
  address: '/desk',
  namespaces: { own: 'd', uris: { d: 'urn:example:desk' } },
  soapStyle: 'wrapped',
  problems,
  operations: [
    operation({
      name: 'close',
      role: 'desk',
      effect: 'writes',
      doc: 'Closes a ticket.',
      input: object('Close', { id }),
      output: object('Closed', { id }),
      problems: [problems.noTicket],
      faults: [
        {
          problem: problems.noTicket,
          element: 'NoTicket',
          detail: object('NoTicketData', {
            code: required(string({ max: 9, example: 'C' }), 'A code.', { xml: 'attribute' }),
            id,
          }),
        },
      ],
    }),
  ],
});

const declared = '<d:NoTicket xmlns:d="urn:example:desk" code="a &lt; &quot;b&quot;"><d:id>7</d:id></d:NoTicket>';
const undeclared = '<x:Hint xmlns:x="urn:x" x:level="3"><x:text>ask &amp; wait</x:text></x:Hint>';
const trace =
  '<j:exception xmlns:j="http://jax-ws.dev.java.net/" class="java.lang.Exception"><j:stackTrace/></j:exception>';
const hint = '<Hint xmlns="urn:x" xmlns:a0="urn:x" a0:level="3"><text>ask &amp; wait</text></Hint>';

const fault11 = (code: string, detail: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:${code}</faultcode><faultstring>No</faultstring><detail>${detail}</detail></s:Fault></s:Body></s:Envelope>`;
const fault12 = (code: string, detail: string) =>
  `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><s:Fault><s:Code><s:Value>s:${code === 'Client' ? 'Sender' : 'Receiver'}</s:Value></s:Code><s:Reason><s:Text xml:lang="en">No</s:Text></s:Reason><s:Detail>${detail}</s:Detail></s:Fault></s:Body></s:Envelope>`;

describe.each([
  ['soap11', fault11, 'text/xml', 500],
  ['soap12', fault12, 'application/soap+xml', 400],
] as const)('from a server in %s', (format, fault, type, status) => {
  let server: Server;
  let gateway: RunningGateway;
  let origin: string;
  let answer = '';
  let asked = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      asked += 1;
      response.writeHead(status, { 'content-type': type }).end(answer);
    });
    const url = `http://127.0.0.1:${await listenLocally(server)}`;
    gateway = await createGateway({
      services: [contract.answeredBy('desk')],
      upstreams: { desk: { url, format, credentials: 'forward' } },
      settings: { LOG_LEVEL: 'silent' },
    });
    origin = (await gateway.listen()).origin;
  });
  afterAll(async () => {
    await gateway.close();
    server.close();
  });

  const json = async (key = `${Math.random()}`) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const response = await fetch(`${origin}/desk/v1/close`, { method: 'POST', headers, body: '{"id":"7"}' });
    return { status: response.status, answer: JSON.parse(await response.text()) };
  };

  test.each([
    ['Client', 422],
    ['Server', 500],
  ] as const)('%s: several elements, one of them declared', async (code, expected) => {
    answer = fault(code, undeclared + declared + trace);
    const key = `several-${code}`;
    const first = await json(key);
    expect(first).toMatchObject({
      status: expected,
      answer: { detail: 'No', fault: { NoTicket: { code: 'a < "b"', id: '7' }, any: [hint] } },
    });
    const before = asked;
    const again = await json(key);
    expect(again.answer.fault).toEqual(first.answer.fault);
    expect(again.status).toBe(expected);
    expect(asked).toBe(before);
    const response = await fetch(`${origin}/desk/v1/close`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'id=7',
    });
    const pairs = Object.fromEntries(new URLSearchParams(await response.text()));
    expect(pairs).toMatchObject({ 'fault.NoTicket.code': 'a < "b"', 'fault.NoTicket.id': '7', 'fault.any.0': hint });
  });

  test.each(['SOAP_1_1', 'SOAP_1_2'])('PHP reads all of them in %s', async (version) => {
    answer = fault('Client', declared + undeclared + trace);
    const script = `
      $client = new SoapClient('${origin}/desk/v1?wsdl', ['cache_wsdl' => WSDL_CACHE_NONE, 'soap_version' => ${version}, 'trace' => true]);
      try { $client->close(['id' => '7']); } catch (SoapFault $fault) { echo json_encode(['detail' => $fault->detail, 'sent' => $client->__getLastResponse()]); }`;
    const { stdout } = await run('php', ['-r', script]);
    const { detail, sent } = JSON.parse(stdout);
    // PHP reads no attributes there.
    expect(detail.NoTicket).toMatchObject({ id: '7' });
    expect(sent).toContain('code="a &lt; &quot;b&quot;"');
    expect(JSON.stringify(detail)).toContain('ask & wait');
    expect(JSON.stringify(detail)).not.toContain('java');
  });

  const codes11 = [
    ['Client', '<faultcode>soap:Client</faultcode>', ''],
    ['Client.NotFound', '<faultcode>soap:Client.NotFound</faultcode>', '<env:Value>NotFound</env:Value>'],
    ['Server.Busy', '<faultcode>soap:Server.Busy</faultcode>', '<env:Value>Busy</env:Value>'],
    ['x:E1', '<faultcode xmlns:c="urn:x&amp;y">c:E1</faultcode>', '<env:Value xmlns:c="urn:x&amp;y">c:E1</env:Value>'],
    ['E1', '<faultcode>E1</faultcode>', '<env:Value>E1</env:Value>'],
    ['17', '<faultcode>17</faultcode>', ''],
    ['Server.17', '<faultcode>soap:Server.17</faultcode>', ''],
    ['<![CDATA[<E1>]]>', '<faultcode>soap:Client</faultcode>', ''],
  ] as const;
  const codes12 = [
    ['x:E1', '<faultcode xmlns:c="urn:x&amp;y">c:E1</faultcode>', '<env:Value xmlns:c="urn:x&amp;y">c:E1</env:Value>'],
  ] as const;
  test.each(format === 'soap11' ? codes11 : codes12)(
    'SOAP callers get the code %s and the text',
    async (code, in11, in12) => {
      answer =
        format === 'soap12'
          ? fault('Client', '').replace(
              '</s:Code>',
              `<s:Subcode><s:Value xmlns:x="urn:x&amp;y">${code}</s:Value></s:Subcode></s:Code>`,
            )
          : fault('', '').replace(
              '<faultcode>s:',
              `<faultcode xmlns:x="urn:x&amp;y">${/^[CS]/.test(code) ? 's:' : ''}${code}`,
            );
      const call = async (envelope: string, contentType: string) => {
        const message = `<s:Envelope xmlns:s="${envelope}"><s:Body><close xmlns="urn:example:desk"><id>7</id></close></s:Body></s:Envelope>`;
        const headers = {
          'content-type': contentType,
          'idempotency-key': `code-${code.replace(/\W/g, '')}-${contentType.length}`,
        };
        const response = await fetch(`${origin}/desk/v1`, { method: 'POST', headers, body: message });
        return await response.text();
      };
      const before = asked;
      for (const _ of ['first', 'retry']) {
        const first = await call('http://schemas.xmlsoap.org/soap/envelope/', 'text/xml');
        expect(first).toContain(`${in11}<faultstring>No</faultstring>`);
        const second = await call('http://www.w3.org/2003/05/soap-envelope', 'application/soap+xml');
        expect(second).toContain('<env:Text xml:lang="en">No</env:Text>');
        expect(second).toContain(in12 === '' ? '</env:Value></env:Code>' : `<env:Subcode>${in12}</env:Subcode>`);
      }
      // What only blames the server is a failure, and is asked again.
      expect(asked - before).toBe(2);
    },
  );

  test('an undeclared detail of a refusal is kept, and a text, too', async () => {
    answer = fault('Client', undeclared);
    expect((await json()).answer.fault).toEqual({ any: [hint] });
    answer = fault('Client', 'just &lt;text>');
    expect((await json()).answer.fault).toEqual({ any: ['<detail xmlns="">just &lt;text&gt;</detail>'] });
    answer = fault('Client', '<x>a<b/>c</x>');
    expect((await json()).answer.fault).toEqual({ any: ['<x xmlns="">a<b/>c</x>'] });
  });

  test('data of a declared fault that break its contract are kept, too, and its code stays that of the fault', async () => {
    answer = fault('Client', declared.replace('<d:id>7</d:id>', '<d:id><d:part>7</d:part></d:id>'));
    const kept = '<NoTicket xmlns="urn:example:desk" code="a &lt; &quot;b&quot;"><id><part>7</part></id></NoTicket>';
    expect((await json()).answer).toMatchObject({ errorCode: '4104', fault: { any: [kept] } });
    // The control: right data are no XML.
    answer = fault('Client', declared);
    expect((await json()).answer.fault).not.toHaveProperty('any');
  });

  test('what a stack adds about its failure, and what is too large, is not', async () => {
    for (const detail of [trace, `<x>${'a'.repeat(9_000)}</x>`, '']) {
      answer = fault('Client', detail);
      expect((await json()).answer).not.toHaveProperty('fault');
    }
  });

  test('the detail of a failure of the application is kept like that of a refusal', async () => {
    answer = fault('Server', undeclared);
    const { status: got, answer: body } = await json();
    expect([got, body.fault]).toEqual([500, { any: [hint] }]);
  });
});

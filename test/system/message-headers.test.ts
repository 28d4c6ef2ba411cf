/** Callers with a credential in their message (WS-Security), and with addresses (WS-Addressing): third-party clients, and attacks. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClientAsync, WSSecurity } from 'soap';
import { createMessageAuthenticator } from '../../src/access/message-security.ts';
import {
  defineProblems,
  integer,
  kind,
  object,
  operation,
  Problem,
  required,
  service,
  string,
} from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { everyCaller } from '../../src/program/testing/mock/mock.ts';
import { startConsoleServer } from '../support/console-server.ts';
import { startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const folder = tempFolder();
const clients = join(import.meta.dirname, 'secured-clients');
const article = required(string({ max: 20, example: 'B-1' }), 'The number of the article.');
const problems = defineProblems({ noArticle: kind(422, '4104', 'validation', 'No such article') });
const parts = {
  role: 'shop',
  namespaces: undefined,
  output: object('Stock', { pieces: required(integer(0, 9_999, 5), 'How many.') }),
};
const contract = service({
  name: 'Shop',
  version: 1,
  doc: 'Knows a stock.',
  address: '/shop',
  namespaces: { own: 's', uris: { s: 'urn:example:shop' } },
  soapStyle: 'wrapped',
  problems,
  operations: [
    operation({
      role: 'shop',
      output: parts.output,
      name: 'stock',
      effect: 'reads',
      doc: 'Returns the stock.',
      input: object('Article', { article }),
      problems: [problems.noArticle],
      faults: [{ problem: problems.noArticle, element: 'NoArticle', detail: object('NoArticleData', { article }) }],
    }),
    operation({
      role: 'shop',
      output: object('Nothing', {}),
      name: 'note',
      effect: 'writes',
      oneWay: true,
      doc: 'Notes an article.',
      input: object('Noted', { article }),
      problems: [],
    }),
  ],
});
const handled = contract.with({
  async stock({ input }) {
    if (input.article === 'none') throw new Problem(problems.noArticle, undefined, { fault: { article: 'none' } });
    return { pieces: 5 };
  },
  note: async () => ({}),
});

const credential = { tenant: 'acme', kind: 'basic', roles: ['shop'], grants: {} } as const;

let gateway: RunningGateway;
let closed: RunningGateway;
let closedAddress: { readonly origin: string };
let origin: string;
let username: string;
let password: string;
beforeAll(async () => {
  const settings = { LOG_LEVEL: 'silent', LOGIN_FAILURES_MAX: '1000', LOGIN_FAILURES_PER_ADDRESS_MAX: '0' };
  gateway = await createGateway({ services: [handled], settings: { ...settings, USERNAME_TOKEN: 'on' } });
  closed = await createGateway({ services: [handled], settings });
  const issued = await gateway.credentials.addCredential(credential);
  username = issued.username ?? '';
  password = issued.secret;
  origin = (await gateway.listen()).origin;
  closedAddress = await closed.listen();
});
afterAll(async () => {
  await gateway.close();
  await closed.close();
  folder.discard();
});

const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const wsu = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const profile = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
const wsa = 'http://www.w3.org/2005/08/addressing';
const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const soap12 = 'http://www.w3.org/2003/05/soap-envelope';

const token = (more = '', secret = password, name = username, type = '') =>
  `<o:UsernameToken><o:Username>${name}</o:Username><o:Password${type}>${secret}</o:Password>${more}</o:UsernameToken>`;
const security = (content: string, attributes = ' s:mustUnderstand="1"') =>
  `<o:Security xmlns:o="${wsse}" xmlns:u="${wsu}"${attributes}>${content}</o:Security>`;
const body = '<x:stock xmlns:x="urn:example:shop"><x:article>B-1</x:article></x:stock>';
const at = (ms: number) => new Date(Date.now() + ms).toISOString();

async function send(
  header: string,
  {
    content = body,
    uri = soap11,
    headers = {},
    to = origin,
  }: { content?: string; uri?: string; headers?: Record<string, string>; to?: string } = {},
) {
  const response = await fetch(`${to}/shop/v1`, {
    method: 'POST',
    headers: { 'content-type': uri === soap11 ? 'text/xml' : 'application/soap+xml', ...headers },
    body: `<s:Envelope xmlns:s="${uri}"><s:Header>${header}</s:Header><s:Body>${content}</s:Body></s:Envelope>`,
  });
  const text = await response.text();
  const code =
    /<faultcode[^>]*>(?:\w+:)?(\w+)</.exec(text)?.[1] ?? [...text.matchAll(/<env:Value[^>]*>\w+:(\w+)</g)].at(-1)?.[1];
  return { status: response.status, code, text, headers: response.headers };
}

describe('stubs of other makers', () => {
  const wsdl = () => `${origin}/shop/v1?wsdl`;
  const programs: Readonly<Record<string, readonly string[]>> = {
    PHP: ['php', join(clients, 'client.php')],
    zeep: ['/usr/bin/python3', join(clients, 'client.py')],
  };
  describe.each(Object.entries(programs))('%s', (_, [program = '', script = '']) => {
    test.each(['1.1', '1.2'])(
      'SOAP %s: an answer, a declared fault, and the refusal of a wrong password',
      async (version) => {
        const call = async (secret: string, asked: string, ...more: readonly string[]) =>
          JSON.parse((await run(program, [script, wsdl(), version, username, secret, asked, ...more])).stdout);
        expect(await call(password, 'B-1')).toEqual({ pieces: 5, relates: true });
        expect(JSON.stringify(await call(password, 'none'))).toContain('NoArticle');
        const { code } = await call('wrong', 'B-1');
        expect(code).toMatch(/^(?:FailedAuthentication|Sender)$/);
      },
    );
  });

  test('a digest, which zeep sends, is refused with the code that says so', async () => {
    const { stdout } = await run('/usr/bin/python3', [
      join(clients, 'client.py'),
      wsdl(),
      '1.1',
      username,
      password,
      'B-1',
      'digest',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ code: 'UnsupportedSecurityToken' });
  });

  test('the `soap` package, with a nonce and a Timestamp', async () => {
    const client = await createClientAsync(wsdl());
    client.setSecurity(
      new WSSecurity(username, password, { hasNonce: true, hasTokenCreated: true, mustUnderstand: true }),
    );
    const [answer] = await client.stockAsync!({ article: 'B-1' });
    expect(answer).toEqual({ pieces: 5 });
    client.setSecurity(new WSSecurity(username, 'wrong', {}));
    const thrown = await client.stockAsync!({ article: 'B-1' }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ root: { Envelope: { Body: { Fault: { faultcode: 'c:FailedAuthentication' } } } } });
  });

  // A JDK is larger than all that the tests install: `npm run interop` installs it.
  if (existsSync('/usr/bin/wsimport'))
    test('JAX-WS RI that demands WS-Addressing of the answer, and throws the declared exception', async () => {
      const place = join(folder.path, 'java');
      mkdirSync(place);
      const prepare =
        'set -e; CP=$(ls /usr/share/jaxws/lib/*.jar | tr "\\n" ":"); wsimport -quiet -keep -Xnocompile -p shop -d . -s . "$1"\n' +
        'javac -encoding UTF-8 -nowarn -cp "$CP" -d out "$2/Client.java" $(find shop -name "*.java")';
      await run('sh', ['-c', prepare, 'sh', wsdl(), clients], { cwd: place });
      const call = async (secret: string, asked: string) => {
        const start = 'CP=$(ls /usr/share/jaxws/lib/*.jar | tr "\\n" ":"); exec java -cp "out:$CP" Client "$@"';
        const { stdout } = await run('sh', ['-c', start, 'sh', wsdl(), username, secret, asked], { cwd: place });
        return JSON.parse(stdout);
      };
      expect(await call(password, 'B-1')).toEqual({ pieces: 5, relates: true });
      expect(await call(password, 'none')).toEqual({ typed: 'none' });
      expect(await call('wrong', 'B-1')).toEqual({ code: 'FailedAuthentication' });
    });
});

describe('a UsernameToken', () => {
  test('is the credential in both versions of SOAP; where it is off, it is a header that is not understood', async () => {
    for (const uri of [soap11, soap12]) expect(await send(security(token()), { uri })).toMatchObject({ status: 200 });
    const { secret, username: name = '' } = await closed.credentials.addCredential(credential);
    const { origin: to } = closedAddress;
    const headers = { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}` };
    expect(await send('', { to, headers })).toMatchObject({ status: 200 });
    expect(await send(security(token('', secret, name)), { to })).toMatchObject({ status: 401 });
    expect(await send(security(token()), { to, headers })).toMatchObject({ status: 500, code: 'MustUnderstand' });
    expect(await (await fetch(`${to}/shop/v1?wsdl`)).text()).not.toContain('UsernameToken');
  });

  test.each([
    ['a wrong password', () => security(token('', 'wrong')), 'FailedAuthentication'],
    ['an unknown name', () => security(token('', 'wrong', 'nobody')), 'FailedAuthentication'],
    ['a part of the password', () => security(token('', password.slice(0, -1))), 'FailedAuthentication'],
    ['a password with a comment in it', () => security(token('', `x<!-- -->${password}`)), 'FailedAuthentication'],
    [
      'a digest',
      () => security(token('', 'AAAA', username, ` Type="${profile}#PasswordDigest"`)),
      'UnsupportedSecurityToken',
    ],
    ['an unknown type', () => security(token('', password, username, ' Type="urn:x"')), 'UnsupportedSecurityToken'],
    ['two tokens', () => security(token('', 'wrong') + token()), 'InvalidSecurity'],
    ['two security headers', () => security(token()) + security(token('', 'wrong')), 'InvalidSecurity'],
    ['two names', () => security(token('<o:Username>other</o:Username>')), 'InvalidSecurity'],
    ['two passwords', () => security(token('<o:Password>other</o:Password>')), 'InvalidSecurity'],
    ['an element as password', () => security(token('', `<o:a>${password}</o:a>`)), 'InvalidSecurity'],
    [
      'no password',
      () => security(`<o:UsernameToken><o:Username>${username}</o:Username></o:UsernameToken>`),
      'InvalidSecurity',
    ],
    ['a name of 300 characters', () => security(token('', password, 'n'.repeat(300))), 'InvalidSecurity'],
    ['a password of 5,000 characters', () => security(token('', 'p'.repeat(5_000))), 'InvalidSecurity'],
    ['an old token', () => security(token(`<u:Created>${at(-301_000)}</u:Created>`)), 'MessageExpired'],
    ['a token of the future', () => security(token(`<u:Created>${at(120_000)}</u:Created>`)), 'InvalidSecurity'],
    ['a time that is none', () => security(token('<u:Created>yesterday</u:Created>')), 'InvalidSecurity'],
    [
      'a Timestamp that has ended',
      () =>
        security(
          `${token()}<u:Timestamp><u:Created>${at(-9_000)}</u:Created><u:Expires>${at(-1_000)}</u:Expires></u:Timestamp>`,
        ),
      'MessageExpired',
    ],
    ['two Timestamps', () => security(`${token()}<u:Timestamp/><u:Timestamp/>`), 'InvalidSecurity'],
  ] as const)('is refused: %s', async (_, header, code) => {
    for (const uri of [soap11, soap12]) {
      const answer = await send(header(), { uri });
      expect(answer).toMatchObject({ status: uri === soap11 ? 500 : 400, code });
      expect(answer.text).not.toContain(password);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
  });

  test.each([
    ['created', 60_000, undefined],
    ['created', 60_001, 'InvalidSecurity'],
    ['created', -300_000, undefined],
    ['created', -300_001, 'MessageExpired'],
    ['expires', 1, undefined],
    ['expires', 0, 'MessageExpired'],
  ] as const)('the time of a message: %s %i ms from now is refused with %s', (member, ms, code) => {
    const now = Date.UTC(2026, 0, 15);
    const neutral = { hash: (text: string) => text, countShared: async () => undefined };
    const { check } = createMessageAuthenticator(everyCaller([contract]), { clock: { now: () => now }, ...neutral });
    const read = () => check({ token: undefined, [member]: new Date(now + ms).toISOString() });
    if (code === undefined) expect(read()).toBeUndefined();
    else expect(read).toThrow(expect.objectContaining({ faultCode: expect.objectContaining({ codes: [code] }) }));
  });

  test('a signature is not verified, so it is not understood; where that is allowed it counts for nothing', async () => {
    const signature = '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>';
    expect(await send(security(token() + signature))).toMatchObject({ status: 500, code: 'MustUnderstand' });
    expect(await send(security(signature, ''))).toMatchObject({ status: 401 });
    // The token elsewhere: in the body, in another header, deeper, or for another receiver.
    expect(await send('', { content: body.replace('</x:stock>', `${security(token())}</x:stock>`) })).toMatchObject({
      status: 401,
    });
    expect(await send(`<w xmlns="urn:w">${security(token())}</w>`)).toMatchObject({ status: 401 });
    expect(await send(security(`<w xmlns="urn:w">${token()}</w>`, ''))).toMatchObject({ status: 401 });
    expect(await send(security(token(), ' s:actor="urn:other"'))).toMatchObject({ status: 401 });
    expect(await send(security(token(), '').replaceAll(wsse, 'urn:wsse'))).toMatchObject({ status: 401 });
  });

  test('and a credential in the headers of HTTP are refused, also where both are right', async () => {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    expect(await send(security(token()), { headers: { authorization } })).toMatchObject({ status: 400 });
    expect(await send('', { headers: { authorization } })).toMatchObject({ status: 200 });
    expect(await send('')).toMatchObject({ status: 401 });
  });

  test('many headers, and deep ones, are refused', async () => {
    for (const header of [
      security(token(), '').repeat(300),
      security(token().repeat(300)),
      security(`${'<a>'.repeat(40)}${'</a>'.repeat(40)}${token()}`),
      security(token('<u:Created/>'.repeat(500))),
    ])
      expect((await send(header)).status).toBeGreaterThanOrEqual(400);
  });

  test('its nonce is accepted once, and a wrong password does not use it up', async () => {
    const nonce = `<o:Nonce>${Buffer.from(String(Math.random())).toString('base64')}</o:Nonce><u:Created>${at(0)}</u:Created>`;
    expect(await send(security(token(nonce, 'wrong')))).toMatchObject({ code: 'FailedAuthentication' });
    const answers = await Promise.all([1, 2, 3].map(() => send(security(token(nonce)))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 500, 500]);
    expect(await send(security(token(nonce)))).toMatchObject({ code: 'FailedAuthentication' });
    // The same bytes in another text of base64.
    for (const respelled of [
      nonce.replace('<o:Nonce>MC', '<o:Nonce>M\nC'),
      nonce.replace(/=*<\/o:Nonce>/, '====</o:Nonce>'),
    ])
      expect(await send(security(token(respelled)))).toMatchObject({ code: 'FailedAuthentication' });
    expect(await send(security(token(nonce.replace('<o:Nonce>', '<o:Nonce>AA'))))).toMatchObject({ status: 200 });
  });

  test('the WSDL says so', async () => {
    const document = await (await fetch(`${origin}/shop/v1?wsdl`)).text();
    expect(document).toMatch(/<sp:SupportingTokens wsp:Optional="true">.*<sp:UsernameToken /s);
    expect(document.match(/<wsp:PolicyReference URI="#UsernameToken"\/>/g)).toHaveLength(2);
  });
});

describe('WS-Addressing', () => {
  const addressed = (more = '', uri = wsa) =>
    `<a:Action xmlns:a="${uri}" s:mustUnderstand="1">urn:example:shop:ShopPortType:stockRequest</a:Action>` +
    `<a:MessageID xmlns:a="${uri}" s:mustUnderstand="1">urn:uuid:&lt;7&gt;</a:MessageID>${more}`;
  const endpoint = (name: string, address: string, more = '', uri = wsa) =>
    `<a:${name} xmlns:a="${uri}" s:mustUnderstand="1"><a:Address>${address}</a:Address>${more}</a:${name}>`;
  const ask = (header: string, options: Parameters<typeof send>[1] = {}) => send(security(token()) + header, options);

  test('the answer names its request and its own action', async () => {
    const { status, text } = await ask(addressed(endpoint('ReplyTo', `${wsa}/anonymous`)));
    expect(status).toBe(200);
    expect(text).toContain('>urn:uuid:&lt;7&gt;</wsa:RelatesTo>');
    expect(text).toContain('>urn:example:shop:ShopPortType:stockResponse</wsa:Action>');
    expect((await ask('')).text).not.toContain('RelatesTo');
  });

  test('so does one of the version of 2004', async () => {
    const old = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
    const { text } = await ask(addressed(endpoint('ReplyTo', `${old}/role/anonymous`, '', old), old));
    expect(text).toContain(`<wsa:RelatesTo xmlns:wsa="${old}">`);
  });

  test('so do a declared fault, another fault, and a header that is not understood', async () => {
    const other = (content: string, more = '') => ask(addressed(more), { content });
    const declared = await other(body.replace('B-1', 'none'));
    expect(declared.text).toContain('>urn:example:shop:ShopPortType:stock:Fault:NoArticleFault</wsa:Action>');
    const invalid = await other(body.replace('B-1', 'x'.repeat(30)));
    const unknown = await other(body, '<n:n xmlns:n="urn:n" s:mustUnderstand="1"/>');
    expect(unknown.code).toBe('MustUnderstand');
    for (const { text } of [invalid, unknown, await other('<q/>')]) {
      expect(text).toContain(`>${wsa}/soap/fault</wsa:Action>`);
      expect(text).toContain('RelatesTo');
    }
  });

  test.each(['ReplyTo', 'FaultTo'])('%s elsewhere is refused, and nothing is sent there', async (name) => {
    for (const address of ['http://169.254.169.254/', `${origin}/shop/v1`, '']) {
      const { status, code, text } = await ask(addressed(endpoint(name, address)));
      expect({ status, code }).toEqual({ status: 500, code: 'InvalidAddressingHeader' });
      expect(text).toContain(`>${wsa}/fault</wsa:Action>`);
    }
    const second = await ask(addressed(endpoint(name, 'urn:x')), { uri: soap12 });
    expect(second).toMatchObject({ status: 400, code: 'OnlyAnonymousAddressSupported' });
  });

  test('an answer that nobody waits for is refused where the operation has one', async () => {
    const { code } = await ask(addressed(endpoint('ReplyTo', `${wsa}/none`)));
    expect(code).toBe('InvalidAddressingHeader');
  });

  test('a call without an answer may say that it wants none', async () => {
    const content = '<x:note xmlns:x="urn:example:shop"><x:article>B-1</x:article></x:note>';
    expect(await ask(addressed(endpoint('ReplyTo', `${wsa}/none`)), { content })).toMatchObject({
      status: 202,
      text: '',
    });
  });

  test('the parameters of the endpoint come back, and cannot end their element', async () => {
    const given = `<a:ReferenceParameters><n:Id xmlns:n="urn:n" n:x="&quot;>">a&lt;/b</n:Id></a:ReferenceParameters>`;
    const { text } = await ask(addressed(endpoint('ReplyTo', `${wsa}/anonymous`, given)));
    expect(text).toMatch(/<Id xmlns="urn:n"[^>]*IsReferenceParameter="true">a&lt;\/b<\/Id>/);
  });

  test.each(['Action', 'MessageID', 'To', 'ReplyTo'])('two %s are refused', async (name) => {
    const double = endpoint(name, `${wsa}/anonymous`);
    expect((await ask(addressed(double + double))).status).toBe(500);
  });

  test('a block that WS-Addressing does not have is not understood', async () => {
    expect(await ask(endpoint('Other', 'x'))).toMatchObject({ code: 'MustUnderstand' });
  });
});

test('neither the console nor the log shows the password of a token, whether it is right or wrong', async () => {
  const place = join(folder.path, 'demo');
  mkdirSync(place);
  const logged = await startServer('demo', place, { USERNAME_TOKEN: 'on', LOG_LEVEL: 'debug' });
  const recording = await startConsoleServer({ variables: { USERNAME_TOKEN: 'on' } });
  const soapBody =
    '<r:listRecurringDetails xmlns:r="http://recurring.services.adyen.com"><r:request><r:merchantAccount>DemoMerchant</r:merchantAccount><r:shopperReference>s</r:shopperReference></r:request></r:listRecurringDetails>';
  const nonce = `<o:Nonce>bm9uY2Utb2Ytb25l</o:Nonce><u:Created>${at(0)}</u:Created>`;
  const ask = async (callers: string, secret: string) => {
    const response = await fetch(`${callers}/pal/servlet/Recurring/v68`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: `<s:Envelope xmlns:s="${soap11}"><s:Header>${security(token(nonce, secret, 'ws@Company.Demo'))}</s:Header><s:Body>${soapBody}</s:Body></s:Envelope>`,
    });
    return {
      status: response.status,
      reference: response.headers.get('pspreference') ?? '',
      text: await response.text(),
    };
  };
  const secrets = ['demo-password', 'wrong-password-7', 'bm9uY2Utb2Ytb25l'];
  for (const [secret, status] of [
    ['demo-password', 200],
    ['wrong-password-7', 500],
  ] as const) {
    expect(await ask(logged.callers, secret)).toMatchObject({ status });
    const { reference, status: got } = await ask(recording.callers, secret);
    expect(got).toBe(status);
    const { body } = await recording.call('viewer', 'GET', `/traffic/requests?reference=${reference}`);
    const [line] = body.requests as readonly { readonly id: string }[];
    const { text } = await recording.call('viewer', 'GET', `/traffic/requests/${line!.id}`);
    // The control: the message itself is shown.
    expect(text).toContain('UsernameToken');
    expect(text).toContain('DemoMerchant');
    expect(secrets.filter((each) => text.includes(each))).toEqual([]);
  }
  await recording.stop();
  await logged.stop();
  const output = logged.output();
  expect(output).toContain('listRecurringDetails');
  // The demo prints the password of its credentials itself.
  expect(secrets.slice(1).filter((each) => output.includes(each))).toEqual([]);
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.filter((line) => line.includes('demo-password'))).toEqual([]);
});

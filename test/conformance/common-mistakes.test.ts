/** Common mistakes of callers in each format: the refusal names the place, the rule and the cure, and its text is the one that clients compare. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/formats/index.ts';
import type { Call } from '../../src/formats/protocol.ts';
import { services } from '../../src/services/index.ts';
import { recurringV25 as service } from '../../src/services/recurring/versions.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

const protocols = createProtocols(services);
const formats = ['soap11', 'soap12', 'json', 'form', 'adapter'] as const;
type Format = (typeof formats)[number];

const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna' };
const input = {
  card,
  merchantAccount: 'DemoMerchant',
  recurring: { contract: ['ONECLICK'] },
  shopperReference: 'shopper-1',
};

interface Mistake {
  readonly title: string;
  /** All formats where it is absent. */
  readonly in?: readonly Format[];
  change?(call: Call): Partial<Call>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of the refusal. */
  readonly text: string;
  /** What is told beside it, or in it: the place as each format names it, the rule, and the cure. */
  readonly told: readonly (string | RegExp)[];
}

const body = (from: string | RegExp, to: string) => (call: Call) => ({ body: call.body.replaceAll(from, to) });
const soap = protocols.soap11.encodeRequest(service, service.operations.get('storeToken')!, input).body;
const uri = 'http://recurring.services.adyen.com';
const asXml = { change: () => ({ body: soap }), told: ['Content-Type', 'looks like SOAP', 'send text/xml'] };

const mistakes: readonly Mistake[] = [
  {
    title: 'a contract that is none',
    change: body('ONECLICK', 'ONCE'),
    text: 'Invalid recurring contract specified',
    told: [/recurring.contract/, 'one of ONECLICK, RECURRING, PAYOUT, EXTERNAL'],
  },
  {
    title: 'a year of two digits',
    change: body('2031', '31'),
    text: 'Expiry Date Invalid',
    told: [/card.expiryYear/, 'such as 2030', 'four digits'],
  },
  {
    title: 'a card number with a typo',
    change: body('4111111111111111', '4111111111111112'),
    text: 'Invalid card number',
    told: [/card.number/, 'valid check digit', 'digits only'],
  },
  {
    title: 'a member that is missing',
    change: body('shopperReference', 'shopperReferenceX'),
    text: 'Structure of StoreTokenRequest contains the following unknown fields: [shopperReferenceX]',
    told: ['shopperReferenceX', "Required field 'shopperReference' is not provided."],
  },
  {
    title: 'a wrong API key',
    headers: { 'x-api-key': 'wrong' },
    text: 'HTTP Status Response - Unauthorized',
    told: ['Authorization', 'X-API-Key', 'HTTP Basic', 'operator'],
  },
  {
    title: 'another namespace',
    in: ['soap11', 'soap12'],
    change: body(uri, 'http://recurring.example'),
    text: 'Problem parsing request: wrong namespace, storeToken',
    told: ['/Envelope/Body/storeToken', 'another namespace', `send it in ${uri}`],
  },
  {
    title: 'an operation that is none',
    in: ['soap11', 'soap12'],
    change: body('storeToken', 'storeTokens'),
    text: 'Operation not found',
    told: ['/Envelope/Body', uri, 'storeToken'],
  },
  {
    title: 'no action',
    in: ['adapter'],
    change: body(/action=[^&]*&/g, ''),
    text: 'Operation not found',
    told: ['action', 'send action=Recurring.OPERATION', 'storeToken'],
  },
  { title: 'SOAP as JSON', in: ['json'], text: 'Problem parsing request: not JSON', ...asXml },
  { title: 'SOAP as FORM', in: ['form'], text: 'contains the following unknown fields', ...asXml },
  {
    title: 'JSON as SOAP',
    in: ['soap11', 'soap12'],
    change: () => ({ body: '{"merchantAccount":"DemoMerchant"}' }),
    text: 'Problem parsing request: not well-formed',
    told: ['Content-Type', 'looks like JSON', 'send application/json'],
  },
  {
    title: 'a key with a blank',
    headers: { ...callers.demo, 'idempotency-key': 'a b' },
    text: 'Idempotency-Key is not 1 to 64 printable characters without blanks, quotes or backslashes',
    told: ['Idempotency-Key', '1 to 64', 'without blanks'],
  },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const rows = mistakes.flatMap((mistake) =>
  (mistake.in ?? formats).map((format) => [`${mistake.title} in ${format}`, mistake, format] as const),
);

test.each(rows)('%s', async (_, { change, headers = callers.demo, text, told }, format) => {
  const call = protocols[format].encodeRequest(service, service.operations.get('storeToken')!, input);
  const { path, contentType, body } = { ...call, ...change?.(call) };
  const sent = { 'content-type': contentType, ...call.headers, ...headers };
  const { message } = await gateway.ask({ path, headers: sent, body });
  const plain = (shown: string) => decodeURIComponent(shown.replaceAll('+', ' '));
  const isForm = format === 'form' || format === 'adapter';
  const whole = `${message.body}\n${message.headers.invalidFields ?? ''}`;
  const shown = isForm ? plain(whole) : whole;
  expect(shown).toContain(text);
  for (const each of told)
    expect(shown).toEqual(typeof each === 'string' ? expect.stringContaining(each) : expect.stringMatching(each));
});

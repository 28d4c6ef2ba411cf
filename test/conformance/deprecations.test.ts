/** Deprecated calls in every format: what answers say, and how brown-outs and the sunset refuse them. */
import { describe, expect, test } from '@jest/globals';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { DeprecationRule } from '../../src/insight/callers/deprecation.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { formats } from '../formats/index.ts';
import { callers, now } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { account, mc, visa } from './case.ts';

const protocols = createProtocols(services);
const disable = recurringV25.operations.get('disable')!;
const input = {
  merchantAccount: 'DemoMerchant',
  shopperReference: 'shopper-1',
  recurringDetailReference: '8415995487234100',
};

/** The fixed time of the gateway: 2026-01-15T12:30:45Z, a Thursday. */
const rule = { deprecatedSince: '2026-01-01', sunset: '2026-06-30T22:00:00Z', link: 'https://example.com/end?a=1&b=2' };
const open = { every: 'thursday', from: '12:00', to: '13:00' } as const;
const over = { from: '2026-01-15T10:00:00Z', to: '2026-01-15T12:30:45Z' } as const;

const demoHeaders = callers.demo as Readonly<Record<string, string>>;

async function withRules<T>(
  rules: readonly DeprecationRule[],
  work: (gateway: TestGateway) => Promise<T>,
  at = now,
): Promise<T> {
  const gateway = await openGateway({ deprecations: rules, clock: { now: () => at } });
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
  }
}

function ask(gateway: TestGateway, name: NamedProtocol, headers = demoHeaders, body?: string) {
  const { contentType, path } = formats[name];
  return gateway.ask({
    path: path(recurringV25, disable),
    headers: { 'content-type': contentType, soapaction: '""', ...headers },
    body: body ?? protocols[name].encodeRequest(recurringV25, disable, input).body,
  });
}

const announced = {
  Deprecation: '@1767225600',
  Sunset: 'Tue, 30 Jun 2026 22:00:00 GMT',
  Link: '<https://example.com/end?a=1&b=2>; rel="deprecation", <https://example.com/end?a=1&b=2>; rel="sunset"',
};
const block =
  '<d:deprecation xmlns:d="urn:triglyph:deprecation"><d:deprecatedSince>2026-01-01T00:00:00Z</d:deprecatedSince>' +
  '<d:sunset>2026-06-30T22:00:00Z</d:sunset><d:link>https://example.com/end?a=1&amp;b=2</d:link></d:deprecation>';
const silent = { Deprecation: undefined, Sunset: undefined, Link: undefined };
const announcedIn = ({ Deprecation, Sunset, Link }: Readonly<Record<string, string>>) => ({
  Deprecation,
  Sunset,
  Link,
});
const headerOf = (body: string) => /<(\w+):Header>(.*)<\/\1:Header>/.exec(body)?.[2];

/** The body without its SOAP header. */
const plain = (body: string) => body.replace(/<(\w+):Header>.*<\/\1:Header>/, '');

describe.each(namedProtocols)('%s', (name) => {
  const isSoap = name.startsWith('soap');

  test('an answer says it in headers, and in SOAP in a header block; nothing else changes', async () => {
    const before = await withRules([], (gateway) => ask(gateway, name));
    const { message, entry } = await withRules([{ ...rule, format: name }], (gateway) => ask(gateway, name));
    expect(announcedIn(message.headers)).toEqual(announced);
    expect(entry).toMatchObject({ outcome: 'ok', deprecation: 'announced' });
    expect(headerOf(message.body)).toBe(isSoap ? block : undefined);
    expect(plain(message.body)).toBe(before.message.body);
    expect(protocols[name].decodeResponse(disable, message.body)).toEqual({
      value: { response: '[detail-successfully-disabled]' },
      issues: [],
    });
    expect(announcedIn(before.message.headers)).toEqual(silent);
    expect(before.entry.deprecation).toBeUndefined();
  });

  test('a refusal says it as well', async () => {
    const malformed = await withRules([{ ...rule, format: name }], (gateway) => ask(gateway, name, demoHeaders, '%'));
    expect(malformed.entry.problem?.status).toBe(400);
    expect(announcedIn(malformed.message.headers)).toEqual(announced);
    expect(headerOf(malformed.message.body)).toBe(isSoap ? block : undefined);
  });

  test('a refusal of the HTTP request has the headers alone', async () => {
    const anonymous = await withRules([{ ...rule, format: name }], (gateway) => ask(gateway, name, {}));
    expect(anonymous.message.status).toBe(401);
    expect(announcedIn(anonymous.message.headers)).toEqual(announced);
    expect(headerOf(anonymous.message.body)).toBeUndefined();
  });

  test('a brown-out refuses the call and has no effect; before and after it the call is served', async () => {
    const brownOuts = [over, open];
    await withRules([{ ...rule, format: name, brownOuts }], async (gateway) => {
      const { message, entry } = await ask(gateway, name);
      expect(entry).toMatchObject({ outcome: 'brownOut', deprecation: 'refused' });
      const { status422 } = formats[name];
      expect(message.status).toBe(status422 === 422 ? 410 : status422);
      const text = `Switched off until 2026-01-15T13:00:00Z, since it is deprecated: format ${name}; see https://example.com/end?a=1&b=2`;
      const decoded =
        name === 'form' || name === 'adapter' ? new URLSearchParams(`t=${message.body}`).toString() : message.body;
      expect(decodeURIComponent(decoded.replaceAll('+', ' ')).replaceAll('&amp;', '&')).toContain(text);
      expect(announcedIn(message.headers)).toEqual(announced);
      expect(message.headers['Retry-After']).toBeUndefined();
      expect(await gateway.active()).toEqual([visa, mc, account]);
    });
    for (const moment of ['2026-01-15T11:59:59.999Z', '2026-01-15T13:00:00Z']) {
      const rules = [{ ...rule, format: name, brownOuts: [open] }];
      const { entry } = await withRules(rules, (gateway) => ask(gateway, name), Date.parse(moment));
      expect(entry).toMatchObject({ outcome: 'ok', deprecation: 'announced' });
    }
  });

  test('the sunset refuses only where it is set to', async () => {
    const after = Date.parse('2026-06-30T22:00:00Z');
    const at = async (refuseAfterSunset: boolean, moment: number) =>
      (await withRules([{ ...rule, format: name, refuseAfterSunset }], (gateway) => ask(gateway, name), moment)).entry;
    expect(await at(false, after)).toMatchObject({ outcome: 'ok' });
    expect(await at(true, after - 1)).toMatchObject({ outcome: 'ok' });
    expect(await at(true, after)).toMatchObject({ outcome: 'retired', deprecation: 'refused' });
  });

  test('exempt credentials are served without a word', async () => {
    const rules = (credential: string) => [{ ...rule, format: name, brownOuts: [open], except: [credential] }];
    const { entry } = await withRules(rules('another'), (gateway) => ask(gateway, name));
    expect(entry.outcome).toBe('brownOut');
    const exempt = await withRules(rules(entry.credential!), (gateway) => ask(gateway, name));
    expect(exempt.entry).toMatchObject({ outcome: 'ok', deprecation: 'exempt' });
    expect(announcedIn(exempt.message.headers)).toEqual(silent);
    expect(headerOf(exempt.message.body)).toBeUndefined();
    const anonymous = await withRules(rules('another'), (gateway) => ask(gateway, name, {}));
    expect(anonymous.entry).toMatchObject({ outcome: 'unauthorized', deprecation: undefined });
  });
});

test('a brown-out comes before issues of fields, and a retry with a key finds the stored outcome afterwards', async () => {
  let time = now;
  const gateway = await openGateway({
    deprecations: [{ ...rule, operation: 'disable', brownOuts: [open] }],
    clock: { now: () => time },
  });
  try {
    const key = { ...demoHeaders, 'idempotency-key': '5b1f2f0a-6f11-4a8e-9c55-0d8f6f1f7a01' };
    time = Date.parse('2026-01-15T11:00:00Z');
    expect((await ask(gateway, 'json', key)).entry.outcome).toBe('ok');
    time = now;
    expect((await ask(gateway, 'json', key)).entry.outcome).toBe('brownOut');
    expect((await ask(gateway, 'json', demoHeaders, '{}')).entry.outcome).toBe('brownOut');
    time = Date.parse('2026-01-15T14:00:00Z');
    expect((await ask(gateway, 'json', key)).entry).toMatchObject({ outcome: 'ok', replayed: true });
  } finally {
    await gateway.close();
  }
});

describe('which calls match', () => {
  const outcome = async (rules: readonly Omit<DeprecationRule, 'deprecatedSince'>[], headers = demoHeaders) => {
    const all = rules.map((each) => ({ deprecatedSince: '2026-01-01', ...each }));
    const { entry, message } = await withRules(all, (gateway) => ask(gateway, 'json', headers));
    return { deprecation: entry.deprecation, ...announcedIn(message.headers) };
  };
  const plainNotice = { deprecation: 'announced', Deprecation: '@1767225600', Sunset: undefined, Link: undefined };
  const none = { deprecation: undefined, ...silent };

  test.each<[string, Omit<DeprecationRule, 'deprecatedSince'>, object]>([
    ['one of several formats', { format: ['soap11', 'json'] }, plainNotice],
    ['another format', { format: 'soap11' }, none],
    ['the version', { version: 25 }, plainNotice],
    ['another version of the same contract', { version: 26 }, none],
    ['the service', { service: 'Recurring' }, plainNotice],
    ['another service', { service: 'BalancePlatform' }, none],
    ['the operation of another', { operation: 'storeToken' }, none],
    ['all at once', { format: 'json', version: [12, 25], service: 'Recurring', operation: 'disable' }, plainNotice],
    ['another credential', { credential: 'someone' }, none],
  ])('%s', async (_, each, expected) => expect(await outcome([each])).toEqual(expected));

  test('of several rules the earliest dates count, and every page is linked once', async () => {
    const link = 'https://example.com/json';
    expect(
      await outcome([
        { format: 'json', sunset: '2026-09-01', link },
        { version: 25, deprecatedSince: '2025-01-01', sunset: '2026-08-01', link } as DeprecationRule,
        { operation: 'disable', link: 'https://example.com/disable' },
        { format: 'soap11', sunset: '2026-07-01' },
      ]),
    ).toEqual({
      deprecation: 'announced',
      Deprecation: '@1735689600',
      Sunset: 'Sat, 01 Aug 2026 00:00:00 GMT',
      Link: ['json', 'disable']
        .flatMap((page) => ['deprecation', 'sunset'].map((rel) => `<https://example.com/${page}>; rel="${rel}"`))
        .join(', '),
    });
  });
});

test('problem details of a resource name the brown-out', async () => {
  const rules = [{ deprecatedSince: '2026-01-01', format: 'rest', brownOuts: [open] }] as const;
  const answer = await withRules(rules, (gateway) =>
    gateway.ask({
      method: 'GET',
      path: '/bcl/v2/balancePlatforms/DemoPlatform',
      headers: callers.platform as Readonly<Record<string, string>>,
      body: '',
    }),
  );
  expect(answer.message.status).toBe(410);
  expect(JSON.parse(answer.message.body)).toMatchObject({ status: 410, title: 'Gone', errorCode: '00_410' });
});

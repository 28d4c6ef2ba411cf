/** One key, one effect: stored refusals, keys in the body, replays for other callers, and many duplicates at once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Call } from '../../src/core/formats/protocol.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { formats } from '../formats/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

const protocols = createProtocols(services);
const names = namedProtocols;
const service = recurringV25;
const operationOf = (name: string) => service.operations.get(name)!;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

let counted = 0;
const fresh = (start: string): string => `${start}-${++counted}`;

type Headers = Readonly<Record<string, string>>;

const send = ({ path, contentType, body }: Call, headers: Headers, as: Headers = callers.demo): Promise<Answer> =>
  gateway.ask({ path, headers: { 'content-type': contentType, ...headers, ...as }, body });

const call = (name: NamedProtocol, operation: string, input: object): Call =>
  protocols[name].encodeRequest(service, operationOf(operation), input);

const decoded = (name: NamedProtocol, operation: string, { message }: Answer): unknown =>
  protocols[name].decodeResponse(operationOf(operation), message.body).value;

const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };
const tokenFor = (shopperReference: string, also: object = {}) => ({
  card: { ...card, ...also },
  merchantAccount: 'DemoMerchant',
  recurring: { contract: ['ONECLICK', 'RECURRING'] },
  shopperReference,
});

/** How many details the shopper has. */
const count = async (shopperReference: string): Promise<number> => {
  const input = { merchantAccount: 'DemoMerchant', shopperReference };
  const answer = await send(call('json', 'listRecurringDetails', input), {});
  return (JSON.parse(answer.message.body).details ?? []).length;
};

test.each(names)(
  '%s: a refusal that the domain decided is the outcome, even when it would go well now',
  async (name) => {
    const shopper = fresh('refused');
    const input = { merchantAccount: 'DemoMerchant', shopperReference: shopper };
    const key = { 'idempotency-key': fresh('key') };
    const refused = await send(call(name, 'disable', input), key);
    expect(refused.entry.outcome).toBe('contractNotFound');
    await send(call('json', 'storeToken', tokenFor(shopper)), {});
    gateway.restart();
    const again = await send(call(name, 'disable', input), key);
    expect(again.message.body).toBe(refused.message.body);
    expect(again.message.status).toBe(refused.message.status);
    expect(again.message.headers).toEqual({ ...refused.message.headers, 'Idempotent-Replayed': 'true' });
    expect(await count(shopper)).toBe(1);
  },
);

test.each(names)('%s: the result Error is the outcome, too, and is answered again', async (name) => {
  const shopper = fresh('unresolved');
  const input = {
    merchantAccount: 'DemoMerchant',
    reference: 'check',
    card,
    shopperReference: shopper,
    selectedRecurringDetailReference: 'DETAIL-TO-COME',
  };
  const key = { 'idempotency-key': fresh('key') };
  const failed = await send(call(name, 'scheduleAccountUpdater', input), key);
  expect(decoded(name, 'scheduleAccountUpdater', failed)).toMatchObject({ result: 'Error' });
  gateway.restart();
  const again = await send(call(name, 'scheduleAccountUpdater', input), key);
  expect(again.message.body).toBe(failed.message.body);
  expect(again.message.headers).toEqual({ ...failed.message.headers, 'Idempotent-Replayed': 'true' });
});

test('a request that breaks a field rule is not stored: corrected, it may be sent with the same key', async () => {
  const shopper = fresh('mended');
  const key = { 'idempotency-key': fresh('key') };
  const expired = await send(call('json', 'storeToken', tokenFor(shopper, { expiryYear: '2020' })), key);
  expect(expired.message.status).toBe(422);
  const invalid = await send(call('json', 'storeToken', tokenFor(shopper, { number: '4111111111111112' })), key);
  expect(invalid.message.status).toBe(422);
  const mended = await send(call('json', 'storeToken', tokenFor(shopper)), key);
  expect(mended.message.status).toBe(200);
  expect(mended.message.headers).not.toHaveProperty('Idempotent-Replayed');
});

describe('a key in the body', () => {
  const { form } = formats;
  const carriers = names.flatMap((name) => {
    const { withKey } = formats[name];
    return withKey === undefined ? [] : [{ name, withKey }];
  });

  test.each(carriers)('$name: the same as one in the header', async ({ name, withKey }) => {
    const shopper = fresh('carried');
    const key = fresh('urn:uuid:11111111-2222-4333-8444');
    const unkeyed = call(name, 'storeToken', tokenFor(shopper));
    const asked = { ...unkeyed, body: withKey(unkeyed.body, key) };
    const done = await send(asked, {});
    expect(done.entry.outcome).toBe('ok');
    expect(done.message.headers['Idempotency-Key']).toBe(key);
    const again = await send(asked, {});
    expect(again.message.body).toBe(done.message.body);
    expect(again.message.headers['Idempotent-Replayed']).toBe('true');
    const byHeader = await send(call('json', 'storeToken', tokenFor(shopper)), { 'idempotency-key': `"${key}"` });
    expect(byHeader.message.headers.pspReference).toBe(done.message.headers.pspReference);
  });

  test('two keys that differ are refused, and nothing is done', async () => {
    const shopper = fresh('both');
    const key = fresh('key');
    const unkeyed = call('form', 'storeToken', tokenFor(shopper));
    const asked = { ...unkeyed, body: form.withKey!(unkeyed.body, fresh('other')) };
    const refused = await send(asked, { 'idempotency-key': key });
    expect(refused.message.status).toBe(400);
    expect(refused.message.body).toContain('two+different+keys');
    expect(await count(shopper)).toBe(0);
  });

  test('the header takes precedence over a MessageID, which stacks make anew for each attempt', async () => {
    const key = fresh('key');
    const unkeyed = call('soap11', 'storeToken', tokenFor(fresh('both')));
    const asked = { ...unkeyed, body: formats.soap11.withKey!(unkeyed.body, fresh('urn:uuid')) };
    const done = await send(asked, { 'idempotency-key': key });
    expect(done.message.headers['Idempotency-Key']).toBe(key);
  });

  test.each(carriers)('$name: as long as one in the header, and no longer', async ({ name, withKey }) => {
    const unkeyed = call(name, 'storeToken', tokenFor(fresh('long')));
    const asked = (length: number) => ({ ...unkeyed, body: withKey(unkeyed.body, fresh('').padEnd(length, 'x')) });
    expect((await send(asked(64), {})).entry.outcome).toBe('ok');
    const refused = await send(asked(65), {});
    expect(refused.entry.outcome).toBe('invalidKey');
    expect(refused.message.body).toMatch(/(?:MessageID|idempotencyKey)(?: |\+)is(?: |\+)not(?: |\+)1/);
  });

  const block = (body: string, name: string, key: string): string =>
    body.replace(/<(soap|env):Body>/, (found, prefix) => {
      const sent = `<k:${name} xmlns:k="urn:keys" ${prefix}:mustUnderstand="1">${key}</k:${name}>`;
      return `<${prefix}:Header>${sent}</${prefix}:Header>${found}`;
    });
  test.each(names)('%s: X-Idempotency-Key, the query and a header block are the key', async (name) => {
    const key = fresh('elsewhere');
    const asked = call(name, 'storeToken', tokenFor(fresh('elsewhere')));
    const isSoap = name === 'soap11' || name === 'soap12';
    const done = await send(asked, { 'x-idempotency-key': key });
    const again = [
      await send({ ...asked, path: `${asked.path}?idempotencyKey=${key}` }, {}),
      ...(isSoap ? [await send({ ...asked, body: block(asked.body, 'IdempotencyKey', key) }, {})] : []),
    ];
    expect(done.message.headers['Idempotency-Key']).toBe(key);
    for (const { message } of again) {
      expect(message.headers['Idempotent-Replayed']).toBe('true');
      expect(message.headers.pspReference).toBe(done.message.headers.pspReference);
    }
  });

  test('one that is empty, or below others, is refused and nothing is done', async () => {
    for (const tail of [
      '&idempotencyKey=',
      '&idempotencyKey=a%20b',
      '&idempotencyKey.x=1',
      '&idempotencyKey=a&idempotencyKey=b',
    ]) {
      const shopper = fresh('broken');
      const asked = call('form', 'storeToken', tokenFor(shopper));
      const refused = await send({ ...asked, body: asked.body + tail }, {});
      expect(refused.message.status).toBe(400);
      expect(await count(shopper)).toBe(0);
    }
  });
});

describe('who may have a replay', () => {
  const asked = () => call('json', 'storeToken', tokenFor(fresh('allowed')));
  test('another credential of the company', async () => {
    const [request, key] = [asked(), { 'idempotency-key': fresh('key') }];
    const done = await send(request, key);
    const again = await send(request, key, callers.key);
    expect(again.message.body).toBe(done.message.body);
  });
  test.each([
    ['withoutRole', 403],
    ['wrong', 401],
    ['anonymous', 401],
  ] as const)('not %s', async (as, status) => {
    const [request, key] = [asked(), { 'idempotency-key': fresh('key') }];
    await send(request, key);
    const refused = await send(request, key, callers[as] as Headers);
    expect(refused.message.status).toBe(status);
    expect(refused.message.headers).not.toHaveProperty('Idempotent-Replayed');
  });
  test('another company has records of its own', async () => {
    const [request, key] = [asked(), { 'idempotency-key': fresh('key') }];
    const done = await send(request, key);
    const foreign = await send(request, key, callers.other);
    expect(foreign.entry.outcome).toBe('foreignMerchantAccount');
    const own = { ...request, body: request.body.replace('DemoMerchant', 'OtherMerchant') };
    const other = await send(own, key, callers.other);
    expect(other.entry.outcome).toBe('ok');
    expect(other.message.headers.pspReference).not.toBe(done.message.headers.pspReference);
  });
});

test('what only reads is done each time, and echoes the key', async () => {
  const shopper = fresh('reads');
  const key = { 'idempotency-key': fresh('key') };
  const list = call('json', 'listRecurringDetails', { merchantAccount: 'DemoMerchant', shopperReference: shopper });
  expect((await send(list, key)).message.body).toBe('{}');
  await send(call('json', 'storeToken', tokenFor(shopper)), key);
  const listed = await send(list, key);
  expect(JSON.parse(listed.message.body).details).toHaveLength(1);
  expect(listed.message.headers['Idempotency-Key']).toBe(key['idempotency-key']);
  expect(listed.message.headers).not.toHaveProperty('Idempotent-Replayed');
});

test('a thousand duplicates at once: one effect, and each gets its answer or 409', async () => {
  const request = call('json', 'storeToken', tokenFor(fresh('storm')));
  const key = { 'idempotency-key': fresh('key') };
  const answers = await Promise.all(Array.from({ length: 1000 }, () => send(request, key)));
  const done = answers.filter(({ message }) => message.status === 200);
  expect(new Set(done.map(({ message }) => message.body)).size).toBe(1);
  expect(done.filter(({ message }) => !('Idempotent-Replayed' in message.headers))).toHaveLength(1);
  for (const { message } of answers.filter((each) => !done.includes(each)))
    expect([message.status, message.headers['transient-error'], message.headers['Retry-After']]).toEqual([
      409,
      'true',
      '1',
    ]);
});

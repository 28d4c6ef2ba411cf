/** The cases of the balance platform, each on resources of its own; and no valid request whatever ends in a failure of ours. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import { services } from '../../src/payments/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { arbitrary } from '../support/generate.ts';
import { requirePublicAnswer } from '../support/public-answers.ts';
import { seed } from '../support/seed.ts';
import { furnished } from '../support/seeded-platform.ts';
import * as cases from './balance-platform.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const ids = async (): Promise<cases.Ids> => {
  const by = furnished(gateway);
  const holder = await by.holder();
  const account = await by.account(holder);
  return { holder, account, instrument: await by.instrument(account) };
};

const ask = async ({ asks, body, headers }: cases.ResourceCase) => {
  const known = Object.entries(await ids());
  const put = (text: string) => known.reduce((all, [name, id]) => all.replaceAll(`{${name}}`, id), text);
  const [method = '', path = ''] = put(asks).split(' ');
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const { message, entry } = await gateway.ask({
    method,
    path: path.startsWith('/bcl') ? path : `/bcl/v2${path}`,
    headers: { ...json, ...callers.platformKey, ...headers },
    body: body === undefined ? '' : put(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const received = JSON.parse(message.body);
  const version = Number(/^[/]bcl[/]v([12])[/]/i.exec(path)?.[1] ?? 2);
  requirePublicAnswer({
    method,
    path: path.replace(/^[/]bcl[/]v\d+/i, ''),
    status: message.status,
    body: received,
    version,
  });
  return { message, entry, body: received };
};

/** Patterns stand for the texts that match them. */
const expected = (value: unknown): unknown => {
  if (value instanceof RegExp) return expect.stringMatching(value);
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value !== 'object' || value === null) return value;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expected(each)])),
  );
};

describe.each(Object.entries(cases) as [string, readonly (typeof cases.addresses)[number][]][])('%s', (_, all) => {
  test.each(all)('$name', async (each) => {
    const { message, body } = await ask(each);
    expect({ status: message.status, body }).toEqual({ status: each.status, body: expected(each.answer ?? {}) });
    expect(message.contentType).toBe('application/json;charset=utf-8');
    expect(message.headers.pspReference).toMatch(/^[A-Z0-9]{16}$/);
    for (const [name, value] of Object.entries(each.headersOut ?? {})) expect(message.headers[name]).toBe(value);
    if (each.status < 400) return;
    expect(body).toMatchObject({
      type: expect.stringMatching(/^https:\/\/docs\.adyen\.com\/errors\/[a-z-]+(\/[a-z-]+)?$/),
      title: expect.any(String),
      status: each.status,
      detail: expect.any(String),
      errorCode: expect.any(String),
      requestId: message.headers.pspReference,
    });
    const invalid: readonly { readonly name: string; readonly value: string }[] = body.invalidFields ?? [];
    if (each.fields !== undefined) expect(invalid.map(({ name }) => name)).toEqual(each.fields);
    for (const field of invalid)
      expect(field).toEqual({ name: field.name, message: expect.any(String), value: expect.any(String) });
  });
});

test('a value that may not be shown is not', async () => {
  const wrong = {
    authentication: { password: 'p'.repeat(31) },
    cardholderName: '4111111111111111 on a card!!',
    brand: 'amex',
  };
  const { body } = await ask({
    name: '',
    asks: 'POST /paymentInstruments',
    body: { type: 'card', issuingCountryCode: 'NL', balanceAccountId: '{account}', card: wrong },
    status: 422,
  });
  const values = Object.fromEntries(
    body.invalidFields.map((each: { name: string; value: string }) => [each.name, each.value]),
  );
  expect(values).toMatchObject({
    'card.authentication.password': '',
    'card.cardholderName': '',
    'card.brand': 'amex',
    'card.formFactor': '',
  });
});

describe(`whatever the contract allows (SEED=${seed})`, () => {
  const protocol = createProtocols(services).rest;
  const isId = /^(id|accountHolderId|balanceAccountId|replacementOfId|primaryBalanceAccount|balancePlatform)$/;

  test.each([...balancePlatformV2.operations.values()].map((operation) => [operation.name, operation] as const))(
    '%s gives an answer or a refusal that its document has',
    async (_, operation) => {
      const { holder, account, instrument } = await ids();
      const own = [holder, account, instrument, 'DemoPlatform'];
      const statuses = new Set<number>();
      for (const input of fc.sample(arbitrary(operation.input), { numRuns: 150, seed })) {
        // Generated ids name no resource: most of them are replaced by an existing one.
        const entries = Object.entries(input as object).map(([name, value], at) => [
          name,
          isId.test(name) ? (own[(at + statuses.size + name.length) % 5] ?? value) : value,
        ]);
        const call = protocol.encodeRequest(balancePlatformV2, operation, Object.fromEntries(entries));
        const { message, entry } = await gateway.ask({
          method: call.method ?? 'POST',
          path: call.path,
          headers: {
            ...{ 'content-type': call.contentType, ...callers.platformKey },
            ...Object.fromEntries(
              Object.entries(call.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
            ),
          },
          body: call.body,
        });
        if (entry.problem?.problem === 'internal') throw new Error(call.body, { cause: entry.problem.cause });
        statuses.add(message.status);
        const decoded = protocol.decodeResponse(operation, message.body);
        if (message.status === 200)
          expect(decoded.issues.filter(({ kind }) => kind.name !== 'missingField')).toEqual([]);
      }
      expect([...statuses].filter((status) => ![200, 400, 412, 422].includes(status))).toEqual([]);
      expect(statuses.size).toBeGreaterThan(0);
    },
  );
});

test('an update with an empty description removes it, and one without leaves it', async () => {
  const by = furnished(gateway);
  const holder = await by.holder({ description: 'mine' });
  const account = await by.account(holder, { description: 'mine' });
  for (const path of [`/accountHolders/${holder}`, `/balanceAccounts/${account}`]) {
    expect((await by.patch(path, { reference: 'R' })).body).toMatchObject({ reference: 'R', description: 'mine' });
    const { status, body } = await by.patch(path, { description: '' });
    expect([status, body.reference, Object.hasOwn(body, 'description')]).toEqual([200, 'R', false]);
    expect((await by.get(path)).body).not.toHaveProperty('description');
  }
});

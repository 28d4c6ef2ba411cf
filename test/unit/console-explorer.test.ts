/** The explorer: describes operations, shows a request in all formats with its issues, and sends it to the gateway. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { editMessage } from '../../src/console/converter/edit-message.ts';
import { describeOperation } from '../../src/console/form/describe-operation.ts';
import { type SendParts, sendRequest } from '../../src/console/sender/send-request.ts';
import type { SentRequest } from '../../src/console/sender/send-to-callers-port.ts';
import { createConverter } from '../../src/convert/convert.ts';
import { createMessageEditor } from '../../src/convert/draft/message-editor.ts';
import { maskSensitive } from '../../src/core/contract/redaction.ts';
import { boundOperations, newestOf } from '../../src/core/contract/service.ts';
import { services } from '../../src/payments/index.ts';
import { createGateway, type RunningGateway } from '../../src/program/app/create-gateway.ts';
import { builtIn } from '../../src/program/testing/demo/built-in.ts';
import { invoicesV1 } from '../support/invoices.ts';
import { shipmentsV1 } from '../support/shipments.ts';

const all = [...services, invoicesV1, shipmentsV1];
const parts = { services: all, editor: createMessageEditor(all), convert: createConverter(all) };
const disable = { service: 'Recurring', version: 68, operation: 'disable' } as const;

describe('describing', () => {
  const described = all.flatMap((service) =>
    [...service.operations.values()].map(
      (operation) => [`${service.name} v${service.version} ${operation.name}`, service, operation] as const,
    ),
  );

  test.each(described)('the examples of %s are valid requests in every format', (_, service, operation) => {
    const { minimal, full, fields, formats } = describeOperation(service, operation);
    const names = { service: service.name, version: service.version, operation: operation.name };
    for (const text of [minimal, full]) {
      const { issues, messages = [] } = editMessage({ from: 'fields', text, ...names }, parts);
      expect(issues).toEqual([]);
      expect(messages.map(({ format }) => format)).toEqual(formats);
    }
    expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length);
  });
});

describe('editing', () => {
  test('a wrong field is marked in each format, and the others follow', () => {
    const edited = editMessage(
      { ...disable, from: 'json', text: '{"merchantAccount": 7e5,\n "shopperReference": "a", "x": {"y": 1}}' },
      parts,
    );
    expect(edited).toMatchObject({ kind: 'request', format: 'json', operation: 'disable' });
    expect(JSON.parse(edited.draft!)).toEqual({ merchantAccount: '7e5', shopperReference: 'a', x: { y: '1' } });
    expect(edited.issues).toMatchObject([
      { field: 'x', at: '/x', line: 2, column: 27 },
      { field: 'merchantAccount', line: 1 },
    ]);
    for (const { text, issues = [] } of edited.messages ?? [])
      for (const { field, start, end } of issues) expect(text.slice(start, end)).toMatch(field === 'x' ? /x/ : /7e5/);
  });

  test('what is pasted into the editor of another format is read as what it is', () => {
    const json = editMessage(
      { ...disable, from: 'fields', text: '{"merchantAccount":"a","shopperReference":"b"}' },
      parts,
    );
    const soap = json.messages?.find(({ format }) => format === 'soap12');
    expect(editMessage({ ...disable, from: 'form', text: soap!.text }, parts)).toMatchObject({
      format: 'soap12',
      issues: [],
    });
    const head = `POST /pal/servlet/Recurring/v25/listRecurringDetails HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{}`;
    expect(editMessage({ ...disable, from: 'json', text: head }, parts)).toMatchObject({
      operation: 'listRecurringDetails',
      version: 25,
    });
  });

  test('a malformed text has its place', () => {
    const text = '{"a": 1,\n  é b}';
    const { kind, error, start, line } = editMessage({ ...disable, from: 'json', text }, parts);
    expect({ kind, line }).toEqual({ kind: 'malformed', line: 2 });
    expect(error).toContain('not JSON');
    expect(text.slice(start)).toBe('é b}');
    expect(editMessage({ text: '{}' }, parts)).toMatchObject({ kind: 'unnamed' });
    expect(editMessage({ text: '' }, parts)).toMatchObject({ kind: 'unnamed' });
  });

  test('an answer and an error', () => {
    const answer = editMessage(
      {
        ...disable,
        text: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"response":"[detail-successfully-disabled]"}',
      },
      parts,
    );
    expect(answer).toMatchObject({ kind: 'answer', format: 'json' });
    expect(answer.messages?.map(({ format }) => format)).toContain('soap11');
    expect(
      editMessage(
        { ...disable, text: '{"status":422,"errorCode":"800","message":"x","errorType":"validation"}' },
        parts,
      ),
    ).toMatchObject({ kind: 'error' });
  });

  test('characters that XML excludes, and a megabyte', () => {
    const text = JSON.stringify({ merchantAccount: '\u0000\u202e', shopperReference: 'a' });
    const edited = editMessage(
      { ...disable, from: 'json', isBase64: true, text: Buffer.from(text).toString('base64') },
      parts,
    );
    expect(edited.issues).toMatchObject([{ field: 'merchantAccount' }]);
    const long = editMessage(
      {
        ...disable,
        from: 'json',
        text: JSON.stringify({ merchantAccount: '<b>'.repeat(400_000), shopperReference: 'a' }),
      },
      parts,
    );
    expect(long.issues).toMatchObject([{ field: 'merchantAccount' }]);
    expect(
      editMessage({ ...disable, from: 'json', text: '{"__proto__": {"a": 1}, "constructor": 1}' }, parts).kind,
    ).toBe('request');
  });

  test('fields have the limits of a message in JSON', () => {
    const withMembers = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '1'])));
    expect(editMessage({ ...disable, from: 'fields', text: withMembers(200) }, parts).kind).toBe('request');
    expect(() => editMessage({ ...disable, from: 'fields', text: withMembers(2_100) }, parts)).toThrow('text');
  });

  test.each(
    newestOf(services).flatMap((service) =>
      boundOperations(service).map((operation) => [operation.name, service] as const),
    ),
  )('%s without its path', (operation, service) => {
    const names = { service: service.name, version: service.version, operation };
    const empty = editMessage({ ...names, from: 'fields', text: '{}' }, parts);
    const [rest] = empty.messages ?? [];
    const again = editMessage({ ...names, from: 'rest', text: rest!.text }, parts);
    expect(again).toMatchObject({ operation, draft: '{}' });
    expect(again.issues?.map(({ field }) => field)).toEqual(empty.issues?.map(({ field }) => field));
  });
});

describe('sending', () => {
  let gateway: RunningGateway;
  const sent: SentRequest[] = [];
  let sender: SendParts;

  beforeAll(async () => {
    gateway = await createGateway(builtIn());
    sender = {
      services,
      demoCredentials: new Map([
        ['Demo', { presented: { kind: 'apiKey', secret: 'demo-api-key' }, roles: ['recurring'] }],
      ]),
      convert: createConverter(services, maskSensitive),
      maskText: (text) => text.replaceAll('4111111111111111', '************1111'),
      async send(request) {
        sent.push(request);
        const { method, path, headers, body } = request;
        const answer = await gateway.fetch(
          new Request(`http://127.0.0.1:1${path}`, { method, headers, ...(method !== 'GET' && { body }) }),
        );
        return {
          status: answer.status,
          headers: [...answer.headers],
          body: Buffer.from(await answer.arrayBuffer()),
          ms: 1,
        };
      },
    };
  });
  afterAll(() => gateway.close());

  const send = (question: object) => sendRequest({ ...disable, demoCredential: 'Demo', ...question } as never, sender);

  const requestIn = (format: string, draft: object, names: object = disable) =>
    editMessage({ ...names, from: 'fields', text: JSON.stringify(draft) }, parts).messages?.find(
      (each) => each.format === format,
    )?.text ?? '';

  test('a replay in another format is marked as such', async () => {
    const names = { ...disable, operation: 'storeToken' };
    const full = JSON.parse(
      describeOperation(
        services.findLast(({ name }) => name === 'Recurring')!,
        services.findLast(({ name }) => name === 'Recurring')!.operations.get('storeToken')!,
      ).minimal,
    );
    const draft = { ...full, merchantAccount: 'DemoMerchant' };
    const key = 'explorer-1';
    const first = await send({ ...names, format: 'soap11', key, text: requestIn('soap11', draft, names) });
    expect(first).toMatchObject({ status: 200, isReplayed: false, format: 'soap11' });
    const second = await send({ ...names, format: 'json', key, text: requestIn('json', draft, names) });
    expect(second).toMatchObject({ status: 200, isReplayed: true, format: 'json' });
    expect(second.messages?.find(({ format }) => format === 'soap11')?.text).toBe(first.text);
  });

  test('a refusal names its fields', async () => {
    const answer = await send({ format: 'json', text: '{"merchantAccount":"DemoMerchant"}' });
    expect(answer).toMatchObject({ status: 422, refused: [{ field: 'shopperReference' }] });
  });

  test('secrets in answers are masked, and the credential is in no answer', async () => {
    const answer = await send({
      format: 'json',
      text: '{"merchantAccount":"DemoMerchant","shopperReference":"4111111111111111"}',
    });
    expect(JSON.stringify(answer)).not.toContain('4111111111111111');
    expect(
      JSON.stringify(await send({ format: 'json', apiKey: 'typed-secret', demoCredential: undefined, text: '{}' })),
    ).not.toContain('typed-secret');
    expect(sent.at(-1)?.headers).toMatchObject({ 'X-API-Key': 'typed-secret' });
  });

  test.each([
    ['another path', 'GET /console/api/v1/overview HTTP/1.1\n\n'],
    ['a path with dots', 'GET /bcl/v2/../../metrics HTTP/1.1\n\n'],
    ['another method', 'TRACE /bcl/v2/accountHolders/x HTTP/1.1\n\n'],
    ['no head', '{}'],
  ])('%s is not asked', async (_, text) => {
    const before = sent.length;
    await expect(
      send({ service: 'BalancePlatform', version: 2, operation: 'getAccountHolder', format: 'rest', text }),
    ).rejects.toMatchObject({ name: 'Problem' });
    expect(sent.length).toBe(before);
  });

  test('the host of a target means nothing', async () => {
    const text = 'GET http://evil.example/bcl/v2/accountHolders/x HTTP/1.1\n\n';
    await send({ service: 'BalancePlatform', version: 2, operation: 'getAccountHolder', format: 'rest', text });
    expect(sent.at(-1)?.path).toBe('/bcl/v2/accountHolders/x');
  });

  test('only headers of the contract are sent', async () => {
    const text = 'GET /bcl/v2/accountHolders/x HTTP/1.1\nCookie: a=b\nHost: evil.example\nX-API-Key: other\n\n';
    await send({ service: 'BalancePlatform', version: 2, operation: 'getAccountHolder', format: 'rest', text });
    expect(sent.at(-1)).toMatchObject({
      method: 'GET',
      path: '/bcl/v2/accountHolders/x',
      headers: { 'X-API-Key': 'demo-api-key' },
    });
    expect(Object.keys(sent.at(-1)!.headers)).toEqual(['X-API-Key']);
  });
});

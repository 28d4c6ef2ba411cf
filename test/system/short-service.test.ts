/** The short form of a service: the sample of the documentation, as it is written. */

import { inspect } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { object, optional, Problem, required, service, string } from '../../src/program/api/contract.ts';
import { createGateway } from '../../src/program/api/index.ts';

const order = { number: string().doc('The order number.'), note: optional(string().doc('A note.')) };

const orders = service('Orders', { version: 1, namespace: 'urn:example:orders' });
const notFound = orders.problem(422, 'Order not found');
orders
  .reads('getOrder', { input: { number: string() }, output: order, problems: [notFound] }, async ({ input }) => {
    if (input.number !== 'A-1') throw new Problem(notFound);
    return { number: input.number };
  })
  .doc('Returns an order.');
orders.doc('Orders of a shop.');

const start = () => createGateway({ services: [orders], callers: [{ tenant: 'demo', apiKey: 'secret' }] });
let gateway: Awaited<ReturnType<typeof start>> | undefined;
afterAll(() => gateway?.close());

test('the first call works without a stored credential, in each format that the address is printed for', async () => {
  gateway = await start();
  const address = await gateway.listen();
  expect(inspect(address)).toBe(
    [
      address.origin,
      '',
      'Orders, version 1',
      `  JSON, FORM   ${address}/orders/v1/<operation>`,
      `  SOAP         ${address}/orders/v1`,
      `  WSDL         ${address}/orders/v1?wsdl`,
      `  OpenAPI      ${address}/orders/v1/openapi.json`,
    ].join('\n'),
  );
  const ask = (path: string, contentType: string, body: string, key = 'secret') =>
    fetch(`${address}${path}`, { method: 'POST', headers: { 'x-api-key': key, 'content-type': contentType }, body });
  const get = '/orders/v1/getOrder';
  expect(await (await ask(get, 'application/json', '{"number":"A-1"}')).json()).toEqual({ number: 'A-1' });
  expect(await (await ask(get, 'application/x-www-form-urlencoded', 'number=A-1')).text()).toBe('number=A-1');
  const envelope = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
    <getOrder xmlns="urn:example:orders"><number>A-1</number></getOrder></s:Body></s:Envelope>`;
  expect(await (await ask('/orders/v1', 'text/xml', envelope)).text()).toContain('<number>A-1</number>');
  expect(await (await ask(get, 'application/json', '{"number":"A-2"}')).json()).toMatchObject({
    status: 422,
    errorCode: '1001',
    detail: 'Order not found',
  });
  expect((await ask(get, 'application/json', '{"number":"A-1"}', 'other')).status).toBe(401);
  expect(await (await fetch(`${address}/orders/v1?wsdl`)).text()).toContain('targetNamespace="urn:example:orders"');
  const openApi = await (await fetch(`${address}/orders/v1/openapi.json`)).text();
  for (const text of ['GetOrderRequest', 'Returns an order.', 'The order number.', 'A note.'])
    expect(openApi).toContain(text);
});

test('what is added after the start is refused', async () => {
  const late = service('Late');
  late.reads('first', { input: {}, output: {} }, async () => ({}));
  expect(late.service.operations.size).toBe(1);
  expect(() => late.writes('second', { input: {}, output: {} }, async () => ({}))).toThrow(/comes too late/);
});

test('a message may be a schema with a name of its own', () => {
  const named = service('Named');
  const message = object('Whole', { text: required(string()) });
  named.reads('read', { input: message, output: message }, async ({ input }) => ({ text: input.text }));
  expect(named.service.operations.get('read')?.input.name).toBe('Whole');
});

test('callers with a secret in clear are refused in a live environment', async () => {
  const settings = { ENVIRONMENT: 'live', PUBLIC_URL: 'https://pay.example.com', HOST: '127.0.0.1' };
  const options = { services: [service('None')], callers: [{ tenant: 'demo', apiKey: 'secret' }], settings };
  await expect(createGateway(options)).rejects.toThrow(/the secret of caller 1 in clear/);
});

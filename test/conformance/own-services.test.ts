/** Services of one's own next to the built-in ones: own problems, roles, grants and namespaces, in every format. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ordersV1 } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import type { Caller } from '../../src/core/contract/canonical.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { migrationStatements } from '../../src/stores/sql/create-tables.ts';
import { statement } from '../../src/stores/sql/engine.ts';
import { alarmsV1, implementAlarms } from '../support/alarms.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { implementInvoices, invoicesV1 } from '../support/invoices.ts';
import { implementationOf, implementServices } from '../support/services.ts';

const caller: Caller = {
  credential: 'shop',
  tenant: 'Demo',
  roles: new Set(['orders', 'alarms', 'invoices', 'recurring']),
  grants: new Map([
    ['shop', new Set(['amsterdam'])],
    ['merchantAccount', new Set(['DemoMerchant'])],
  ]),
  requiresKey: false,
};

let gateway: TestGateway;
let disabled: string[];
let storedInvoices: string[];
beforeEach(async () => {
  disabled = [];
  storedInvoices = [];
  gateway = await openGateway({
    implementations: (dependencies) => [
      ...implementServices(dependencies),
      implementationOf(orders),
      implementAlarms(disabled),
      implementInvoices(storedInvoices),
    ],
    credentials: { verify: async () => ({ caller }) },
  });
  for (const [index, text] of migrationStatements(orders.tables, 1, 'sqlite').entries())
    await gateway.parts.store.write((tx) => tx.execute(statement(`create-orders-${index}`, text), []));
});
afterEach(() => gateway.close());

const protocols = createProtocols([recurringV25, ordersV1, alarmsV1, invoicesV1]);

const ask = async (name: NamedProtocol, service: Service, operationName: string, input: object, key?: string) => {
  const operation = service.operations.get(operationName)!;
  const { path, contentType, body } = protocols[name].encodeRequest(service, operation, input);
  const headers = { 'content-type': contentType, 'x-api-key': 'any', ...(key && { 'idempotency-key': key }) };
  const { message, entry } = await gateway.ask({ path, headers, body });
  const output = entry.outcome === 'ok' ? protocols[name].decodeResponse(operation, message.body).value : undefined;
  return { output, message, entry };
};

const order = { shop: 'amsterdam', number: 'A-1001', item: 'Bicycle', quantity: 2 };
const { shop, number } = order;

const invoice = exampleOf(invoicesV1.operations.get('storeInvoice')!.input, 'full');

describe.each(namedProtocols)('%s', (name) => {
  test('an order is placed once, and returned', async () => {
    const placed = await ask(name, ordersV1, 'placeOrder', order, 'key-of-an-order-1');
    expect([placed.entry.service, placed.output]).toEqual(['Orders', { status: 'placed' }]);
    gateway.restart();
    const again = await ask(name, ordersV1, 'placeOrder', order, 'key-of-an-order-1');
    expect([again.entry.replayed, again.output]).toEqual([true, { status: 'placed' }]);
    expect((await ask(name, ordersV1, 'getOrder', { shop, number })).output).toEqual(order);
  });

  test('refusals are those that the service declares', async () => {
    const missing = await ask(name, ordersV1, 'getOrder', { shop, number });
    expect([missing.entry.outcome, missing.message.body]).toEqual(['orderNotFound', expect.stringContaining('1002')]);
    const foreign = await ask(name, ordersV1, 'getOrder', { shop: 'berlin', number });
    expect([foreign.entry.outcome, foreign.message.body]).toEqual(['foreignShop', expect.stringContaining('1001')]);
    const wrong = await ask(name, ordersV1, 'getOrder', { shop, number: 'a b' });
    expect(wrong.entry.problem?.issues.map(({ path }) => path)).toEqual([['number']]);
  });

  test('every kind of value is answered as it was sent, and replayed in every format', async () => {
    const first = await ask(name, invoicesV1, 'storeInvoice', invoice, 'key-of-an-invoice');
    expect([first.entry.replayed, first.output]).toEqual([false, invoice]);
    gateway.restart();
    for (const other of namedProtocols) {
      const again = await ask(other, invoicesV1, 'storeInvoice', invoice, 'key-of-an-invoice');
      expect([other, again.entry.replayed, again.output]).toEqual([other, true, invoice]);
    }
    const { entry } = await ask(name, invoicesV1, 'storeInvoice', { ...invoice, rate: '1.09' }, 'key-of-an-invoice');
    expect([entry.outcome, storedInvoices]).toEqual(['keyReused', ['I-1001']]);
  });

  test('lists without items are there in JSON, and times are in UTC, next to services with other conventions', async () => {
    const { lines: _, days: __, ...others } = invoice as Readonly<Record<string, unknown>>;
    const since = Date.UTC(2026, 6, 1, 12);
    const one = await ask(name, invoicesV1, 'storeInvoice', { ...others, lines: [{ sku: 'B-1', since }] });
    expect(one.message.body).toMatch(/2026-07-01T12(?::|%3A)00(?::|%3A)00(?:\.000)?Z/);
    const none = await ask(name, invoicesV1, 'storeInvoice', { ...others, number: 'I-2' });
    expect(none.output).toEqual({ ...others, number: 'I-2' });
    const hasLists = [one, none].map(({ message }) =>
      ['"lines":[', '"days":[]'].map((each) => message.body.includes(each)),
    );
    const isJson = name === 'json';
    expect(hasLists).toEqual([
      [isJson, isJson],
      [isJson, isJson],
    ]);
    // Requests leave out what the caller leaves out.
    const operation = invoicesV1.operations.get('storeInvoice')!;
    expect(protocols[name].encodeRequest(invoicesV1, operation, others).body).not.toContain('[]');
  });

  test('a refusal is replayed as it was', async () => {
    await ask(name, ordersV1, 'placeOrder', order);
    const first = await ask(name, ordersV1, 'placeOrder', order, 'key-of-an-order-2');
    gateway.restart();
    const again = await ask(name, ordersV1, 'placeOrder', order, 'key-of-an-order-2');
    expect([first.entry.outcome, first.entry.replayed]).toEqual(['orderExists', false]);
    expect([again.entry.outcome, again.entry.replayed]).toEqual(['orderExists', true]);
  });

  test('two services have an operation of one name, each with its own effect', async () => {
    const before = await gateway.active();
    const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
    expect((await ask(name, alarmsV1, 'disable', input)).output).toEqual({ alarm: 'shopper-1' });
    expect([disabled, await gateway.active()]).toEqual([['shopper-1'], before]);
    const { output } = await ask(name, recurringV25, 'disable', input);
    expect(output).toEqual({ response: '[all-details-successfully-disabled]' });
    expect([disabled, await gateway.active()]).toEqual([['shopper-1'], []]);
  });

  test('a key never replays the outcome of another service', async () => {
    const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
    const before = await gateway.active();
    await ask(name, alarmsV1, 'disable', input, 'key-of-two-services');
    for (const restarted of [false, true]) {
      if (restarted) gateway.restart();
      const { entry } = await ask(name, recurringV25, 'disable', input, 'key-of-two-services');
      expect([entry.outcome, await gateway.active()]).toEqual(['keyReused', before]);
    }
  });
});

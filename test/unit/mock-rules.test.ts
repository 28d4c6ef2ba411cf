/** Recorded answers of a mock: what is wrong with them is found before the mock starts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import { readRules } from '../../src/program/cli/mock/rules.ts';
import { createMocks } from '../../src/program/testing/mock/mock.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const file = join(folder.path, 'answers.json');
let service: Service;
beforeAll(async () => {
  mkdirSync(folder.path, { recursive: true });
  ({ service } = await importWsdl(join(import.meta.dirname, '../../examples/mock/orders.wsdl'), {
    allowNetwork: false,
  }));
});
afterAll(() => folder.discard());

const create = (content: unknown) => {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return createMocks([{ service, olderVersions: [] }], readRules(file));
};

test('rules that the contract allows', () => {
  const answers = [
    { operation: 'Quote', service: 'OrderService', when: { Sku: 'A' }, output: { Price: 1 } },
    { operation: 'GetOrder', problem: 'orderNotFound' },
    { operation: 'GetOrder', problem: 'internal' },
  ];
  const resources = { order: { read: ['GetOrder'], create: 'CreateOrder', id: ['orderId'] } };
  expect(create({ answers, resources }).services).toHaveLength(1);
});

const order = { read: 'GetOrder', create: 'CreateOrder', id: 'orderId' };
test.each([
  ['{', 'JSON'],
  [[], 'give an object with answers, resources or both'],
  [{ answer: [] }, 'not answer'],
  [{ answers: {} }, 'answers is a list'],
  [{ answers: [{ output: {} }] }, 'objects with operation'],
  [{ answers: [{ operation: 'Quote', when: 'A', output: {} }] }, 'when, output and fault are objects'],
  [{ answers: [{ operation: 'Quote', wenn: {}, output: {} }] }, 'wenn is not one of operation, service, when'],
  [{ answers: [{ operation: 'Nothing', output: {} }] }, 'no service has the operation Nothing'],
  [{ answers: [{ operation: 'Quote', service: 'Other', output: {} }] }, 'no service has the operation Other.Quote'],
  [{ answers: [{ operation: 'Quote' }] }, 'Quote: give either output or problem'],
  [{ answers: [{ operation: 'Quote', output: {}, problem: 'internal' }] }, 'Quote: give either output or problem'],
  [{ answers: [{ operation: 'Quote', output: {}, fault: {} }] }, 'fault belongs to problem'],
  [{ answers: [{ operation: 'Quote', output: { Price: 1, Cost: 1 } }] }, 'Cost'],
  [{ answers: [{ operation: 'Quote', output: { Price: 'x' } }] }, 'Price'],
  [
    { answers: [{ operation: 'Quote', when: { sku: 'A' }, output: { Price: 1 } }] },
    'Quote: when: sku is not one of Sku',
  ],
  [
    {
      answers: [{ operation: 'CreateOrder', when: { order: { Line: [{ No: 1 }] } }, output: { CreateOrderResult: 1 } }],
    },
    'CreateOrder: when.order.Line: No is not one of Sku, Quantity',
  ],
  [{ answers: [{ operation: 'Quote', problem: 'none' }] }, 'Quote: none is not one of'],
  [{ answers: [{ operation: 'Quote', problem: 'internal', fault: {} }] }, 'internal comes without data'],
  [{ answers: [{ operation: 'GetOrder', problem: 'orderNotFound', fault: { OrderId: 'x' } }] }, 'OrderId'],
  [{ resources: [] }, 'resources has objects'],
  [{ resources: { order: { ...order, id: undefined } } }, 'order: id is missing'],
  [{ resources: { order: { ...order, reads: 'GetOrder' } } }, 'reads: is not one of create, read'],
  [{ resources: { order: { ...order, id: 'number' } } }, 'order: needs an operation that returns it'],
  [{ resources: { order: { ...order, create: 'Place' } } }, 'order: OrderService has no operation Place'],
  [{ resources: { order: { read: 'GetOrder', id: 'orderId' } } }, 'one that changes it'],
  [{ resources: { order: { read: 'Get', create: 'Put', id: 'orderId' } } }, 'order: no service has its operations'],
])('%j', (content, message) => {
  expect(() => create(content)).toThrow(message);
});

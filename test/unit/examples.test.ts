/** Compares the examples page with the actual requests and responses of the orders service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';

const page = readFileSync(join(import.meta.dirname, '../../examples/README.md'), 'utf8');
const protocols = createProtocols([ordersV1]);
const order = { shop: 'amsterdam', number: 'A-1001', item: 'Bicycle', quantity: 1 };
const bodyOf = (message: string): string => /<soap:Body>(.*)<\/soap:Body>/.exec(message)?.[1] ?? message;

test.each(['soap11', 'json', 'form', 'adapter'] as const)('%s', (name) => {
  const { path, body } = protocols[name].encodeRequest(ordersV1, placeOrder, order);
  const response = protocols[name].encode(placeOrder, { status: 'placed' }).body;
  for (const text of [`\`${path}\``, bodyOf(body), bodyOf(response)]) expect(page).toContain(text);
});

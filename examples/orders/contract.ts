/** Orders of a shop, version 1: a service of one's own. */
import { defineProblems, integer, kind, object, oneOf, operation, required, service, string } from 'triglyph/contract';

export const problems = defineProblems({
  foreignShop: kind(403, '1001', 'security', 'Shop not allowed'),
  orderNotFound: kind(422, '1002', 'validation', 'Order not found'),
  orderExists: kind(422, '1003', 'validation', 'Order number already used'),
});

/** A credential may name the shops that its grant `shop` holds. */
const shop = string({ max: 40, authorizes: { name: 'shop', refusal: problems.foreignShop }, example: 'amsterdam' });
const number = string({ pattern: '[A-Z0-9-]{1,20}', example: 'A-1001' });
const key = { shop: required(shop, 'The shop.'), number: required(number, 'The order number.') };
const order = {
  item: required(string({ min: 1, max: 100, emptyString: 'invalid', example: 'Bicycle' }), 'The item.'),
  quantity: required(integer(1, 999, 1), 'The number of items.'),
};

export const getOrder = operation({
  name: 'getOrder',
  doc: 'Returns an order.',
  effect: 'reads',
  role: 'orders',
  problems: [problems.orderNotFound],
  input: object('OrderRequest', key),
  output: object('Order', { ...key, ...order }),
});

export const placeOrder = operation({
  name: 'placeOrder',
  doc: 'Places an order.',
  effect: 'writes',
  role: 'orders',
  problems: [problems.orderExists],
  input: object('NewOrder', { ...key, ...order }),
  output: object('PlacedOrder', { status: required(oneOf('OrderStatus', 'placed'), 'The status of the order.') }),
});

export const ordersV1 = service({
  name: 'Orders',
  version: 1,
  doc: 'Orders of a shop.',
  address: '/orders',
  legacy: { adapter: '/orders/form' },
  namespaces: { own: 'orders', uris: { orders: 'urn:example:orders' } },
  soapStyle: 'wrapped',
  problems,
  operations: [getOrder, placeOrder],
});

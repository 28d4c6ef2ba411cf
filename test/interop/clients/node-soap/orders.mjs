/** A caller of the orders: the `soap` package from their WSDL, no hand-written type. */
import soap from 'soap';

const [endpoint, secret, number] = process.argv.slice(2);
const client = await soap.createClientAsync(`${endpoint}?wsdl`);
client.addHttpHeader('X-API-Key', secret);
client.addHttpHeader('Idempotency-Key', `key-of-the-order-${number}`);
const call = async (operation, request) => (await client[`${operation}Async`](request))[0];
const fault = (...asked) =>
  call(...asked).then(
    () => 'none',
    (thrown) => thrown.message,
  );

const key = { shop: 'amsterdam', number };
const order = { ...key, item: 'Zoë <&> Ω', quantity: 3 };
console.log(`placed=${(await call('placeOrder', order)).status}`);
console.log(`again=${(await call('placeOrder', order)).status}`);
const found = await call('getOrder', key);
console.log(`found=${found.item} x ${JSON.stringify(found.quantity)}`);
console.log(`other body=${await fault('placeOrder', { ...order, quantity: 4 })}`);
console.log(`missing=${await fault('getOrder', { ...key, number: 'NONE' })}`);
console.log(`foreign=${await fault('getOrder', { ...key, shop: 'berlin' })}`);

/** Orders in the short form: a service in a few lines, and a gateway that serves it from memory. */
import { createGateway } from 'triglyph';
import { column, Problem, service, statement, string, table } from 'triglyph/contract';

const { tenant, text } = column;
const shortOrders = table('short_order', {
  columns: { tenant, number: text, item: text },
  key: ['tenant', 'number'],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});
const find = statement<{ item: string }>('select item from short_order where tenant = $1 and number = $2');
const add = statement('insert into short_order values ($1, $2, $3) on conflict do nothing');
const order = { number: string().doc('The order number.'), item: string() };

export const orders = service('Orders', {
  version: 1,
  namespace: 'urn:example:orders',
  tables: [shortOrders],
});
const notFound = orders.problem(422, 'Order not found');
orders
  .reads(
    'getOrder',
    { input: { number: string() }, output: order, problems: [notFound] },
    async ({ input, caller }, tx) => {
      const [found] = await tx.query(find, [caller.tenant, input.number]);
      if (found === undefined) throw new Problem(notFound);
      return { number: input.number, item: found.item };
    },
  )
  .doc('Returns an order.');
orders.writes('placeOrder', { input: order, output: order }, async ({ input, caller }, tx) => {
  await tx.execute(add, [caller.tenant, input.number, input.item]);
  return input;
});

export const gateway = await createGateway({ services: [orders], callers: [{ tenant: 'demo', apiKey: 'secret' }] });
console.log(await gateway.listen({ port: Number(process.env.PORT ?? 8080) }));

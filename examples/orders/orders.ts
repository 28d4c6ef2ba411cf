/** The orders with their handlers: each order is a row of one table. */
import { column, Problem, statement, table } from 'triglyph/contract';
import { ordersV1, problems } from './contract.ts';

const { tenant, text, integer } = column;
const orderTable = table('example_order', {
  columns: { tenant, shop: text, number: text, item: text, quantity: integer },
  key: ['tenant', 'shop', 'number'],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});
const find = statement<{ item: string; quantity: number }>(
  'select item, quantity from example_order where tenant = $1 and shop = $2 and number = $3',
);
const add = statement('insert into example_order values ($1, $2, $3, $4, $5) on conflict do nothing');

export const orders = ordersV1.with(
  {
    async getOrder({ input: { shop, number }, caller: { tenant } }, tx) {
      const [order] = await tx.query(find, [tenant, shop, number]);
      if (order === undefined) throw new Problem(problems.orderNotFound);
      return { shop, number, ...order };
    },
    async placeOrder({ input: { shop, number, item, quantity }, caller: { tenant } }, tx) {
      if ((await tx.execute(add, [tenant, shop, number, item, quantity])) === 0)
        throw new Problem(problems.orderExists);
      return { status: 'placed' };
    },
  },
  { tables: [orderTable] },
);

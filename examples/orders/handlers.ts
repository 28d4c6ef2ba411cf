/** The handlers of the orders: each order is a row of one table, which the owner of the database creates. */
import { Problem } from '../../src/contract/problem.ts';
import { implement } from '../../src/gateway/implement.ts';
import { statement } from '../../src/store/sql/engine.ts';
import { ordersV1, problems } from './contract.ts';

export const createTable = statement(
  'create-example-order',
  'create table if not exists example_order (tenant text, shop text, number text, item text, quantity integer, primary key (tenant, shop, number))',
);
const find = statement<{ item: string; quantity: number }>(
  'find-example-order',
  'select item, quantity from example_order where tenant = $1 and shop = $2 and number = $3',
);
const add = statement(
  'add-example-order',
  'insert into example_order values ($1, $2, $3, $4, $5) on conflict do nothing',
);

export const orders = implement(ordersV1, {
  async getOrder({ input: { shop, number }, caller }, transaction) {
    const [order] = await transaction.query(find, [caller.tenant, shop, number]);
    if (order === undefined) throw new Problem(problems.orderNotFound);
    return { shop, number, ...order };
  },
  async placeOrder({ input: { shop, number, item, quantity }, caller }, transaction) {
    const added = await transaction.execute(add, [caller.tenant, shop, number, item, quantity]);
    if (added === 0) throw new Problem(problems.orderExists);
    return { status: 'placed' };
  },
});

/** The child of the orders test: serves the example, or orders whose effect is a line of a file outside of the transaction. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { createGateway } from 'triglyph';
import { Problem } from 'triglyph/contract';
import { ordersV1, problems } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';

/** The orders of the example, or a seeded defect. */
export type OrdersProgram = 'the example' | 'an effect outside' | 'a unique effect outside';

const [dataDir, program, file] = process.argv.slice(2) as [string, OrdersProgram, string];

const gateway = await createGateway({ services: [serviceOf(program)], store: { dataDir } });
// A killed process writes no compile cache.
flushCompileCache();
process.stdout.write(`callers at ${await gateway.listen()}\n`);

function serviceOf(program: OrdersProgram) {
  switch (program) {
    case 'the example':
      return orders;
    case 'an effect outside':
      return outside(false);
    case 'a unique effect outside':
      return outside(true);
    default:
      return program satisfies never;
  }
}

/** A seeded defect: each order is a line of a file. `isUnique`: a number that is there is refused, as by a primary key. */
function outside(isUnique: boolean) {
  const handlers: Parameters<typeof ordersV1.with>[0] = {
    async getOrder() {
      throw new Problem(problems.orderNotFound);
    },
    async placeOrder({ input: { number } }) {
      const placed = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      if (isUnique && placed.includes(number)) throw new Problem(problems.orderExists);
      appendFileSync(file, `${number}\n`);
      // The commit of a slow disk.
      await setTimeout(5);
      return { status: 'placed' };
    },
  };
  // The store has the tables of the example.
  return ordersV1.with(handlers, { tables: orders.tables.tables });
}

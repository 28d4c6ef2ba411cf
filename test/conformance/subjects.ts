/** The services whose conformance cases are run: a built-in one and one of a user. */
import { ordersV1 } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import type { Caller } from '../../src/core/contract/canonical.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { statement } from '../../src/program/api/contract.ts';
import { migrationStatements } from '../../src/stores/sql/create-tables.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { implementationOf } from '../support/services.ts';
import { account, mc, visa } from './case.ts';
import { cases as orderCases } from './orders-cases.ts';
import { cases } from './read-cases.ts';
import type { ConformanceSubject } from './subject.ts';

/** Cases call version 25. */
const recurringSubject: ConformanceSubject = {
  service: recurringV25,
  protocols: createProtocols(services),
  cases,
  open: openGateway,
  headersOf: ({ as = 'demo' }) => callers[as as keyof typeof callers],
  stored: (gateway) => gateway.active(),
  initial: [visa, mc, account],
};

const clerk: Caller = {
  credential: 'clerk',
  tenant: 'acme',
  roles: new Set(['orders']),
  grants: new Map([['shop', new Set(['amsterdam'])]]),
  requiresKey: false,
};
const firstOrder = { shop: 'amsterdam', number: 'A-1001', item: 'Bicycle <red> & pump', quantity: 2 };

const allOrders = statement<{ number: string; item: string; quantity: number }>(
  'select number, item, quantity from example_order order by number',
);
const addOrder = statement('insert into example_order values ($1, $2, $3, $4, $5)');

const ordersSubject: ConformanceSubject = {
  service: ordersV1,
  protocols: createProtocols([ordersV1]),
  cases: orderCases,
  open: openOrders,
  headersOf: () => ({ 'x-api-key': 'any' }),
  stored: ordersIn,
  initial: ['A-1001: 2 Bicycle <red> & pump'],
};

export const conformanceSubjects: readonly ConformanceSubject[] = [recurringSubject, ordersSubject];

async function openOrders(): Promise<TestGateway> {
  const gateway = await openGateway({
    implementations: () => [implementationOf(orders)],
    credentials: { verify: async () => ({ caller: clerk }) },
  });
  const { shop, number, item, quantity } = firstOrder;
  await gateway.parts.store.write(async (tx) => {
    for (const text of migrationStatements(orders.tables, 1, 'sqlite')) await tx.execute(statement(text), []);
    await tx.execute(addOrder, [clerk.tenant, shop, number, item, quantity]);
  });
  return gateway;
}

async function ordersIn({ parts }: TestGateway): Promise<readonly string[]> {
  const rows = await parts.store.read((tx) => tx.query(allOrders, []));
  return rows.map(({ number, item, quantity }) => `${number}: ${quantity} ${item}`);
}

/** The lists of services that the properties hold for, each served together. */
import { ordersV1 } from '../../examples/orders/contract.ts';
import { vouchersV1, vouchersV2 } from '../../examples/vouchers/vouchers.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { alarmsV1 } from '../support/alarms.ts';
import { invoicesV1, wrappedInvoicesV1 } from '../support/invoices.ts';
import { recurringBeforeV70, recurringV70 } from '../support/newer-recurring.ts';
import { rpcShipmentsV1, shipmentsV1 } from '../support/shipments.ts';
import { treesV1 } from '../support/trees.ts';
import { operationsOf, runs, type Subject } from './property.ts';

/** The operations that have a subject with all runs. */
const known = new Set<Operation>();
/** With one seed all subjects of an operation get the same values: the others show what a service and its routes change. */
const repeatedShare = 1 / 8;

/** One subject for each operation that callers name, with a title for its tests. */
function subjectsOf(list: readonly Service[], runs: number): readonly (Subject & { readonly title: string })[] {
  const protocols = createProtocols(list);
  const routes = compileRoutes(list);
  return operationsOf(list).map((each) => {
    const isRepeated = known.has(each.operation);
    known.add(each.operation);
    return { ...each, protocols, routes, runs: isRepeated ? Math.ceil(runs * repeatedShare) : runs };
  });
}

const fewer = Math.ceil(runs / 4);

/**
 * The built-in services; two outside of `src/payments`, one of them in two versions; two with every kind of value, one of them wrapped; two as foreign WSDLs describe them; one with objects in objects of their kind; two with an operation of
 * one name; two versions of one.
 */
export const subjects = [
  ...subjectsOf(services, runs),
  ...subjectsOf([ordersV1], fewer),
  ...subjectsOf([vouchersV1, vouchersV2], fewer),
  ...subjectsOf([invoicesV1, wrappedInvoicesV1], fewer),
  ...subjectsOf([shipmentsV1, rpcShipmentsV1], fewer),
  ...subjectsOf([treesV1], fewer),
  ...[...subjectsOf([recurringV25, alarmsV1], fewer), ...subjectsOf([recurringBeforeV70, recurringV70], fewer)].filter(
    ({ operation }) => operation.name === 'disable',
  ),
];

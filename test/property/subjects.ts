/** The lists of services that the properties hold for, each served together. */
import { ordersV1 } from '../../examples/orders/contract.ts';
import type { Service } from '../../src/contract/service.ts';
import { createProtocols } from '../../src/formats/index.ts';
import { compileRoutes } from '../../src/gateway/route.ts';
import { services } from '../../src/services/index.ts';
import { recurringV25 } from '../../src/services/recurring/v25.ts';
import { alarmsV1 } from '../support/alarms.ts';
import { recurringV70 } from '../support/newer-recurring.ts';
import { operationsOf, runs, type Subject } from './property.ts';

/** One subject for each operation that callers name, with a title for its tests. */
export function subjectsOf(list: readonly Service[], runs: number): readonly (Subject & { readonly title: string })[] {
  const protocols = createProtocols(list);
  const routes = compileRoutes(list);
  return operationsOf(list).map((each) => ({ ...each, protocols, routes, runs }));
}

const fewer = Math.ceil(runs / 4);

/** The built-in services; one outside of `src/services`; two with an operation of one name; two versions of one. */
export const subjects = [
  ...subjectsOf(services, runs),
  ...subjectsOf([ordersV1], fewer),
  ...[...subjectsOf([recurringV25, alarmsV1], fewer), ...subjectsOf([recurringV25, recurringV70], fewer)].filter(
    ({ operation }) => operation.name === 'disable',
  ),
];

/** The service of the console: what operators do, and what its views show of a running server. */
import { neutralConventions, type Service, service } from '../core/contract/index.ts';
import {
  allOperatorProblems,
  type ContributedActions,
  operationsBySubject,
  operatorRoles,
  roles,
} from '../operators/index.ts';
import { actionOperations } from './actions/contract.ts';
import { explorerOperations } from './explorer/contract.ts';
import { overviewOperations } from './overview/contract.ts';
import { requestOperations } from './request/contract.ts';
import { stateOperations } from './state/contract.ts';
import { testingOperations, testingProblems } from './testing/contract.ts';
import { trafficOperations, trafficProblems } from './traffic/contract.ts';

/** The operations of each view, beside those of operators. Their paths begin with the name of the view: `/traffic/requests`. */
export const viewOperations = Object.freeze({
  overview: overviewOperations,
  explorer: explorerOperations,
  state: stateOperations,
  traffic: trafficOperations,
  request: requestOperations,
  actions: actionOperations,
  testing: testingOperations,
});

/** The service of the console of a gateway whose services contribute these actions. */
export function consoleOf(contributed: ContributedActions): Service {
  return service({
    name: 'Console',
    version: 1,
    answers: { from: 1, to: 1 },
    doc: 'What the console of the gateway shows and does.',
    address: '/console/api',
    // The page tells an absent list from an empty one.
    conventions: { ...neutralConventions, emptyLists: 'absent', fractions: 'absent' },
    roles: operatorRoles,
    // Who may act may read. What people of a tenant ask for is bound to it, or refused.
    roleSets: {
      [roles.act]: [roles.read],
      [roles.readTenant]: [roles.read],
      [roles.actTenant]: [roles.read, roles.act],
    },
    problems: { ...allOperatorProblems, ...testingProblems, ...trafficProblems },
    operations: [...[...operationsBySubject(contributed).values()].flat(), ...Object.values(viewOperations).flat()],
  });
}

/** The service of the console: what its views read and do. Each view adds its operations here. */
import { service } from '../contract/service.ts';
import { callerOperations, callerProblems } from './callers/contract.ts';
import { explorerOperations } from './explorer/contract.ts';
import { overviewOperations } from './overview/contract.ts';
import { consoleRoles } from './roles.ts';
import { stateOperations, stateViewProblems } from './state/contract.ts';
import { testingOperations, testingProblems } from './testing/contract.ts';
import { trafficOperations, trafficProblems } from './traffic/contract.ts';

/** The operations of each view. Their paths begin with the name of the view: `/traffic/requests`. */
export const viewOperations = Object.freeze({
  overview: overviewOperations,
  explorer: explorerOperations,
  state: stateOperations,
  traffic: trafficOperations,
  testing: testingOperations,
  callers: callerOperations,
});

export type ViewName = keyof typeof viewOperations;

/** The fields of actions that the audit log records, by operation. Never a message, or text of callers. */
export const auditedFields: Readonly<Record<string, readonly string[]>> = Object.freeze({
  sendExplorerRequest: ['service', 'version', 'operation', 'format', 'demoCredential'],
  settlePendingRequest: ['id', 'result', 'code'],
  retryDeadLetter: ['tenant', 'id'],
  changeTestClock: ['set', 'days', 'hours', 'minutes'],
  addTestFault: ['operation', 'service', 'format', 'delayMs', 'drop', 'answer', 'malformed', 'always', 'times'],
  replaceDeprecation: ['id'],
  removeDeprecation: ['id'],
  exemptCaller: ['id', 'credential'],
  endExemption: ['id', 'credential'],
});

export const consoleV1 = service({
  name: 'Console',
  version: 1,
  answers: { from: 1, to: 1 },
  doc: 'What the console of the gateway shows and does.',
  address: '/console/api',
  roles: consoleRoles,
  // Who may act may read.
  roleSets: { 'console-admin': ['console'] },
  problems: { ...stateViewProblems, ...testingProblems, ...trafficProblems, ...callerProblems },
  operations: Object.values(viewOperations).flat(),
});

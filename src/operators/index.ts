/** The subjects of operators: what commands and the console can do, each with its handlers, which are loaded when they are needed. */

import { RegistryError } from '../access/credentials/credential-rules.ts';
import type { Input, Operation, Output } from '../contract/operation.ts';
import type { Service } from '../contract/service.ts';
import {
  accountOperations,
  addMerchantAccount,
  listBalancePlatforms,
  listMerchantAccounts,
  saveBalancePlatform,
  showPlatform,
} from './accounts/contract.ts';
import { auditOperations } from './audit/contract.ts';
import { callerOperations, callerProblems } from './callers/contract.ts';
import { credentialOperations } from './credentials/contract.ts';
import { deprecationOperations } from './deprecations/contract.ts';
import { keyOperations } from './keys/contract.ts';
import { type OwnProof, operatorProblems } from './operation.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from './operator.ts';
import { pendingOperations, pendingProblems } from './pending/contract.ts';
import { recordOperations } from './records/contract.ts';
import { reportOperations } from './report/contract.ts';
import { retentionOperations } from './retention/contract.ts';
import { shadowOperations } from './shadow/contract.ts';
import { shopperOperations } from './shoppers/contract.ts';
import { webhookOperations, webhookProblems } from './webhooks/contract.ts';

/** Operations with their handlers. */
interface Subject<O extends Operation = Operation> {
  readonly operations: readonly O[];
  readonly load: () => Promise<OperatorHandlers<O>>;
}

function subject<O extends Operation>(operations: readonly O[], load: Subject<O>['load']): Subject<O> {
  return { operations, load };
}

/** Each subject has a folder, and its line here. */
export const subjects = Object.freeze({
  credentials: subject(
    credentialOperations,
    async () => (await import('./credentials/handlers.ts')).credentialHandlers,
  ),
  accounts: subject(accountOperations, async () => (await import('./accounts/handlers.ts')).accountHandlers),
  callers: subject(callerOperations, async () => (await import('./callers/handlers.ts')).callerHandlers),
  deprecations: subject(
    deprecationOperations,
    async () => (await import('./deprecations/handlers.ts')).deprecationHandlers,
  ),
  report: subject(reportOperations, async () => (await import('./report/handlers.ts')).reportHandlers),
  webhooks: subject(webhookOperations, async () => (await import('./webhooks/handlers.ts')).webhookHandlers),
  pending: subject(pendingOperations, async () => (await import('./pending/handlers.ts')).pendingHandlers),
  records: subject(recordOperations, async () => (await import('./records/handlers.ts')).recordHandlers),
  keys: subject(keyOperations, async () => (await import('./keys/handlers.ts')).keyHandlers),
  audit: subject(auditOperations, async () => (await import('./audit/handlers.ts')).auditHandlers),
  retention: subject(retentionOperations, async () => (await import('./retention/handlers.ts')).retentionHandlers),
  shadow: subject(shadowOperations, async () => (await import('./shadow/handlers.ts')).shadowHandlers),
  shoppers: subject(shopperOperations, async () => (await import('./shoppers/handlers.ts')).shopperHandlers),
});

/** The operations of all subjects. */
export const operatorOperations = Object.values(subjects).flatMap(({ operations }) => [...operations] as Operation[]);

/** The operations about the data of one service, with its name. The others are about every gateway. */
const ofService: ReadonlyMap<Operation, string> = new Map<Operation, string>([
  ...[listMerchantAccounts, addMerchantAccount, ...shopperOperations].map((each) => [each, 'Recurring'] as const),
  ...[listBalancePlatforms, saveBalancePlatform, showPlatform].map((each) => [each, 'BalancePlatform'] as const),
]);

/** Whether an operation is about something that a gateway with these services has. */
export function isServed(operation: Operation, services: readonly Pick<Service, 'name'>[]): boolean {
  const owner = ofService.get(operation);
  return owner === undefined || services.some(({ name }) => name === owner);
}

/** Whether a gateway with these services has a built-in one. */
export function servesBuiltIn(services: readonly Pick<Service, 'name'>[]): boolean {
  const owners = new Set(ofService.values());
  return services.some(({ name }) => owners.has(name));
}

/** The problems that they declare. */
export const allOperatorProblems = { ...operatorProblems, ...pendingProblems, ...webhookProblems, ...callerProblems };

/** What works without a database, whatever is stored. */
const ofForwarding: ReadonlySet<Operation> = new Set<Operation>([...pendingOperations, ...recordOperations]);
/** What Redis stores for gateways without a database. */
const ofCallers: ReadonlySet<Operation> = new Set<Operation>([
  ...callerOperations,
  ...deprecationOperations,
  ...reportOperations,
]);

/** Without a database, other changes would end with the process, and other gateways would not have them. */
function requireStored(operation: Operation, { backend: { records } }: OperatorContext): void {
  if (records === undefined || operation.effect === 'reads' || ofForwarding.has(operation)) return;
  if (records.callers === undefined) refuse('This gateway has no database, so it stores nothing.');
  if (!ofCallers.has(operation))
    refuse(
      'This gateway has no database, so it stores nothing but requests, their outcomes, callers and deprecations.',
    );
}

type LooseHandlers = OperatorHandlers<Operation>;

/** Performs an operation for commands and the console. Throws a Problem with one text for both. */
export async function perform<O extends Operation>(
  operation: O,
  input: Input<O>,
  context: OperatorContext,
): Promise<Output<O>> {
  const found = Object.values(subjects).find(({ operations }) =>
    (operations as readonly Operation[]).includes(operation),
  );
  if (found === undefined) throw new TypeError(`${operation.name} belongs to no subject`);
  requireStored(operation, context);
  if ('ownSecret' in operation.input.fields) await context.confirm?.(input as OwnProof);
  const handlers = (await found.load()) as unknown as LooseHandlers;
  try {
    return (await handlers[operation.name]!(input, context)) as Output<O>;
  } catch (thrown) {
    if (thrown instanceof RegistryError) refuse(thrown.message);
    throw thrown;
  }
}

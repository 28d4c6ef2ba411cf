/** The subjects of operators: what commands and the console can do, each with its handlers, which are loaded when they are needed. */

import { RegistryError } from '../access/index.ts';
import { erase, type OperatorActions } from '../backend/index.ts';
import type { Input, Operation, Output } from '../core/contract/index.ts';
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
import { webhookOperations, webhookProblems } from './webhooks/contract.ts';

/** Operations with their handlers. */
interface Subject<O extends Operation = Operation> {
  readonly operations: readonly O[];
  readonly load: () => Promise<OperatorHandlers<O>>;
}

function subject<O extends Operation>(operations: readonly O[], load: Subject<O>['load']): Subject<O> {
  return { operations, load };
}

/** Each subject of the engine has a folder, and its line here. Services contribute others. */
export const subjects = Object.freeze({
  credentials: subject(
    credentialOperations,
    async () => (await import('./credentials/handlers.ts')).credentialHandlers,
  ),
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
});

/** The operations that services contribute, with what they are about. */
export type ContributedActions = readonly Pick<OperatorActions<never>, 'subject' | 'operations'>[];

/** The operations of each subject, with those that services contribute. */
export function operationsBySubject(contributed: ContributedActions): ReadonlyMap<string, readonly Operation[]> {
  const own: ContributedActions = Object.entries(subjects).map(([name, { operations }]) => ({
    subject: name,
    operations,
  }));
  const all = Map.groupBy([...own, ...contributed], ({ subject }) => subject);
  return new Map([...all].map(([name, parts]) => [name, parts.flatMap(({ operations }) => operations)]));
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
  const work = findWork(operation, context);
  requireStored(operation, context);
  if ('ownSecret' in operation.input.fields) await context.confirm?.(input as OwnProof);
  try {
    return (await work(input)) as Output<O>;
  } catch (thrown) {
    if (thrown instanceof RegistryError) refuse(thrown.message);
    throw thrown;
  }
}

/** Refuses the operation of a service that this gateway does not serve. */
function findWork(operation: Operation, context: OperatorContext): (input: unknown) => Promise<unknown> {
  const has = ({ operations }: Pick<Subject, 'operations'>): boolean => operations.includes(operation);
  const own = Object.values<Pick<Subject, 'operations'> & { readonly load: () => Promise<unknown> }>(subjects).find(
    has,
  );
  if (own !== undefined)
    return async (input) => ((await own.load()) as LooseHandlers)[operation.name]!(input as Input<Operation>, context);
  const ofService = context.backend.services.actions.find(has);
  if (ofService === undefined) return refuse(`this gateway does not serve ${operation.name}`);
  const { backend, by, boundTenant } = context;
  return (input) =>
    ofService.perform(operation, input as never, {
      ...{ by, boundTenant },
      erase: (erasure, key, { isDryRun }) => erase(backend, erasure, key, { actor: by, isDryRun }),
    });
}

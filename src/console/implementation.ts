/** Implements the service of the console: what operators do, and the views of a running server. */
import { credentialActor } from '../access/index.ts';
import { serversOf, shadowsOf } from '../backend/index.ts';
import type { Caller, Operation, Service } from '../core/contract/index.ts';
import { BoundedMap } from '../core/lib/index.ts';
import {
  boundTenantOf,
  type OperatorContext,
  type OwnProof,
  operationsBySubject,
  perform,
} from '../operators/index.ts';
import type { BoundHandler, Implementation } from '../stores/index.ts';
import { actionHandlers } from './actions/handlers.ts';
import { contextOfTenant, isOfTenant, requireOfTenant } from './bound-tenant.ts';
import type { ConsoleContext, ViewHandlers } from './console-context.ts';
import { consoleOf, viewOperations } from './contract.ts';
import { explorerHandlers } from './explorer/handlers.ts';
import { overviewHandlers } from './overview/handlers.ts';
import { requestHandlers } from './request/handlers.ts';
import { confirmPerson } from './session/confirm.ts';
import { stateHandlers } from './state/handlers.ts';
import { testingHandlers } from './testing/handlers.ts';
import { trafficHandlers } from './traffic/handlers.ts';

type Perform = (input: never, caller: Caller) => Promise<unknown>;

/** The tenants whose handlers are in memory. */
const tenantsMax = 100;

export function implementConsole(context: ConsoleContext): Implementation {
  const service = consoleOf(context.backend.services.actions);
  const ofOperators = handlersOf(context, service);
  const ofTenants = new BoundedMap<string, ReadonlyMap<Operation, Perform>>(tenantsMax);
  const find = (operation: Operation, input: unknown, caller: Caller): Perform => {
    const boundTenant = boundTenantOf(caller);
    if (boundTenant === undefined) return ofOperators.get(operation)!;
    requireOfTenant(operation, input, { boundTenant, backend: context.backend });
    const create = () => handlersOf(contextOfTenant(context, boundTenant), service);
    return ofTenants.getOrCreate(boundTenant, create).get(operation)!;
  };
  return Object.freeze({
    service,
    handlers: new Map(
      [...ofOperators.keys()].map((each) =>
        bind(each, async (input, caller) => find(each, input, caller)(input, caller)),
      ),
    ),
    olderVersions: [],
  });
}

function handlersOf(context: ConsoleContext, service: Service): ReadonlyMap<Operation, Perform> {
  const { overview, explorer, state, traffic, request, actions, testing } = viewOperations;
  const { boundTenant, backend } = context;
  const bySubject = operationsBySubject(backend.services.actions);
  const isOffered = (operation: Operation) => boundTenant === undefined || isOfTenant(operation, backend);
  return new Map([
    ...[...bySubject.values()].flat().map((each) => [each, performFor(each, context)] as const),
    ...performView(overview, overviewHandlers(context)),
    ...performView(explorer, explorerHandlers(context)),
    ...performView(state, stateHandlers(context)),
    ...performView(traffic, trafficHandlers(context)),
    ...performView(request, requestHandlers(context)),
    ...performView(actions, actionHandlers(service, bySubject, isOffered)),
    ...performView(testing, testingHandlers(context)),
  ]);
}

function performFor(operation: Operation, context: ConsoleContext): Perform {
  const { deprecations, failed, plan, refreshShadows } = context;
  const shared: Omit<OperatorContext, 'by'> = {
    ...context,
    mappedUpstreams: serversOf(plan).flatMap(({ name, credentials }) => (credentials.kind === 'mapped' ? name : [])),
    shadows: context.shadows ?? shadowsOf(plan.shadows),
    refreshShadows: async () => refreshShadows?.().catch(failed),
    // A change is saved. A store that fails now is polled again.
    deprecations: { ...deprecations, refresh: async () => deprecations.refresh?.().catch(failed) },
  };
  const confirm = (caller: Caller) => (proof: OwnProof) => confirmPerson(context, caller, proof);
  return (input, caller) =>
    perform(operation, input, {
      ...shared,
      by: credentialActor(caller.credential),
      // The demo has a person without a secret.
      confirm: caller.bySession && context.oneClick === undefined ? confirm(caller) : undefined,
    });
}

function performView<O extends Operation>(operations: readonly O[], handlers: ViewHandlers<O>) {
  const all: Readonly<Record<string, Perform>> = handlers;
  return operations.map((each): [Operation, Perform] => [each, all[each.name]!]);
}

type Call = (input: never, caller: Caller) => Promise<unknown>;

function bind(operation: Operation, work: Call): [Operation, BoundHandler] {
  const call = (input: unknown, caller: Caller) => work(input as never, caller);
  if (operation.effect === 'reads')
    return [operation, { kind: 'plain', handle: ({ input, caller }) => call(input, caller) }];
  return [
    operation,
    {
      kind: 'twoPhase',
      // The transaction of the request is open in `handle`, and transactions do not nest.
      lookup: ({ input, caller }) => call(input, caller),
      handle: async (_request, _transaction, _context, result) => result,
    },
  ];
}

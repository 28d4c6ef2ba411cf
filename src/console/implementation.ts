/** Implements the service of the console: what operators do, and the views of a running server. */
import { credentialActor } from '../audit/audit-event.ts';
import { serversOf } from '../backend/upstreams/plan.ts';
import { shadowsOf } from '../backend/upstreams/read-shadow.ts';
import type { Caller } from '../contract/canonical.ts';
import type { Operation } from '../contract/operation.ts';
import type { BoundHandler } from '../gateway/handler.ts';
import type { Implementation } from '../gateway/implement.ts';
import { isServed, operatorOperations, perform } from '../operators/index.ts';
import type { OperatorContext } from '../operators/operator.ts';
import { actionHandlers } from './actions/handlers.ts';
import type { ConsoleContext, ViewHandlers } from './console-context.ts';
import { consoleOf, viewOperations } from './contract.ts';
import { explorerHandlers } from './explorer/handlers.ts';
import { overviewHandlers } from './overview/handlers.ts';
import { stateHandlers } from './state/handlers.ts';
import { testingHandlers } from './testing/handlers.ts';
import { trafficHandlers } from './traffic/handlers.ts';

type Perform = (input: never, caller: Caller) => Promise<unknown>;

export function implementConsole(context: ConsoleContext): Implementation {
  const { overview, explorer, state, traffic, actions, testing } = viewOperations;
  const service = consoleOf(context.services);
  return Object.freeze({
    service,
    handlers: new Map([
      ...operatorOperations
        .filter((each) => isServed(each, context.services))
        .map((each) => bind(each, performFor(each, context))),
      ...bindView(overview, overviewHandlers(context)),
      ...bindView(explorer, explorerHandlers(context)),
      ...bindView(state, stateHandlers(context)),
      ...bindView(traffic, trafficHandlers(context)),
      ...bindView(actions, actionHandlers(service)),
      ...bindView(testing, testingHandlers(context)),
    ]),
    olderVersions: [],
  });
}

function performFor(operation: Operation, context: ConsoleContext): Perform {
  const { deprecations, failed, plan, refreshShadows } = context;
  const shared: Omit<OperatorContext, 'by'> = {
    ...context,
    mappedUpstreams: serversOf(plan).flatMap(({ name, credentials }) => (credentials.kind === 'mapped' ? name : [])),
    shadows: shadowsOf(plan.shadows),
    refreshShadows: async () => refreshShadows?.().catch(failed),
    // A change is saved. A store that fails now is polled again.
    deprecations: { ...deprecations, refresh: async () => deprecations.refresh?.().catch(failed) },
  };
  return (input, { credential }) => perform(operation, input, { ...shared, by: credentialActor(credential) });
}

function bindView<O extends Operation>(operations: readonly O[], handlers: ViewHandlers<O>) {
  const all: Readonly<Record<string, Perform>> = handlers;
  return operations.map((each) => bind(each, all[each.name]!));
}

function bind(operation: Operation, work: Perform): [Operation, BoundHandler] {
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

/** Binds the operations of a view to its port: what only the server knows or can do. */
import type { Input, Operation, Output } from '../contract/operation.ts';
import type { BoundHandler } from '../gateway/handler.ts';
import type { OperationHandlers } from '../gateway/implement.ts';

/** One method for each operation. `by`: the id of the credential of the person. */
export type PortOf<O extends Operation> = {
  readonly [N in O['name']]: (
    input: Input<Extract<O, { readonly name: N }>>,
    by: string,
  ) => Promise<Output<Extract<O, { readonly name: N }>>>;
};

type Perform = (input: unknown, by: string) => Promise<unknown>;

/** The methods of a port open transactions of their own. */
export function bindPort<O extends Operation>(operations: readonly O[], port: PortOf<O>): OperationHandlers {
  const methods: Readonly<Record<string, Perform>> = port as Readonly<Record<O['name'], Perform>>;
  return new Map(operations.map((each): [Operation, BoundHandler] => [each, handlerOf(each, methods[each.name]!)]));
}

function handlerOf({ effect }: Operation, perform: Perform): BoundHandler {
  if (effect === 'reads') return { kind: 'plain', handle: ({ input, caller }) => perform(input, caller.credential) };
  return {
    kind: 'twoPhase',
    // The transaction of the request is open in `handle`, and transactions do not nest.
    lookup: ({ input, caller }) => perform(input, caller.credential),
    handle: async (_request, _transaction, _context, result) => result,
  };
}

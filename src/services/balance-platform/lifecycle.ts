/** Lifecycles: which status may follow which. Closed is final; the same status again is no change. */
import { describe, Problem } from '../../contract/problem.ts';
import { platformProblems } from './problems.ts';
import type { Records, ResourceKind } from './resource.ts';

type StatusOf<K extends ResourceKind> = Records[K]['status'];

export type Lifecycle<S extends string = string> = Readonly<Record<S, readonly S[]>>;

export const lifecycles: { readonly [K in ResourceKind]: Lifecycle<StatusOf<K>> } = Object.freeze({
  accountHolder: {
    active: ['suspended', 'closed'],
    suspended: ['active', 'closed'],
    closed: [],
  },
  balanceAccount: {
    active: ['suspended', 'closed'],
    inactive: ['active', 'closed'],
    suspended: ['active', 'closed'],
    closed: [],
  },
  paymentInstrument: {
    inactive: ['active', 'closed'],
    active: ['suspended', 'closed'],
    suspended: ['active', 'closed'],
    closed: [],
  },
});

/** Throws illegalMove where the lifecycle has no such transition, and finallyClosed for any change of a closed resource. */
export function checkTransition<K extends ResourceKind>(kind: K, from: StatusOf<K>, to: StatusOf<K> | undefined): void {
  if (from === 'closed') throw new Problem(platformProblems.finallyClosed);
  const lifecycle: Lifecycle = lifecycles[kind];
  if (to === undefined || to === from || lifecycle[from]?.includes(to)) return;
  throw new Problem(platformProblems.illegalMove, describe(platformProblems.illegalMove, from, to));
}

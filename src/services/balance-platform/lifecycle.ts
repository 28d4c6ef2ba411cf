/** Checks changes of status. Closed is final; the same status again is no change. */
import type { Transitions } from '../../contract/operation.ts';
import { describe, Problem } from '../../contract/problem.ts';
import { platformProblems } from './problems.ts';
import type { ResourceRecord, StoredResource } from './resource.ts';

/** Throws illegalMove where the lifecycle has no such transition, and finallyClosed for any change of a closed resource. */
export function checkTransition<R extends ResourceRecord>(
  { kind, record }: StoredResource<R>,
  to: R['status'] | undefined,
): void {
  const from = record.status;
  if (from === 'closed') throw new Problem(platformProblems.finallyClosed);
  const lifecycle: Transitions = kind.lifecycle;
  if (to === undefined || to === from || lifecycle[from]?.[to] !== undefined) return;
  throw new Problem(platformProblems.illegalMove, describe(platformProblems.illegalMove, from, to));
}

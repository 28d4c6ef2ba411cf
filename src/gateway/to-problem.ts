/** Turns anything thrown while a request is handled into a problem that may be shown. */
import { Problem } from '../contract/problem.ts';
import { LockTimeout } from '../idempotency/ports.ts';
import { StoreUnavailable } from '../store/errors.ts';
import { RowAltered } from '../store/row-integrity.ts';
import { VaultUnavailable } from '../vault/ports.ts';

export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof StoreUnavailable || thrown instanceof VaultUnavailable || thrown instanceof RowAltered)
    return new Problem('unavailable', undefined, { cause: thrown });
  if (thrown instanceof LockTimeout) return new Problem('inProgress', undefined, { cause: thrown });
  return Problem.from(thrown);
}

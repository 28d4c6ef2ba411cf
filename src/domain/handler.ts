/** What a handler is: a canonical request in, the canonical answer out, or a Problem thrown. */
import type { RecurringOperations } from '../api/recurring/v25.ts';
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Operation, Output } from '../contract/operation.ts';
import type { Clock, References, Unit, Updater, Vault, View } from './ports.ts';

/** What the handlers lean on. */
export interface World {
  readonly clock: Clock;
  readonly references: References;
  readonly updater: Updater;
  readonly vault: Vault;
}

/** A reading operation sees the store, a writing one has a unit of work. */
export type Handler<O extends Operation> = (
  request: CanonicalRequest<O>,
  store: O['effect'] extends 'reads' ? View : Unit,
  world: World,
) => Promise<Output<O>>;

export type Operations = RecurringOperations;

/** One handler for each operation: a missing or a stray one does not compile. */
export type Handlers = { readonly [N in keyof Operations]: Handler<Operations[N]> };

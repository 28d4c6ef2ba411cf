/** What a handler is: a canonical request in, the canonical answer out, or a Problem thrown. */

import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Operation, Output } from '../contract/operation.ts';
import type { Clock, IdGenerator } from '../lib/clock-and-ids.ts';
import type { BalancePlatformOperations } from '../services/balance-platform/v2.ts';
import type { Updater } from '../services/recurring/account-updater/updater.ts';
import type { RecurringOperations } from '../services/recurring/v25.ts';
import type { ReadTransaction, Store, Transaction } from '../store/transaction.ts';
import type { Vault } from '../vault/ports.ts';

/** What the handlers lean on. */
export interface HandlerContext {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly updater: Updater;
  readonly vault: Vault;
}

/** A reading operation sees the store, a writing one has a unit of work. */
export type Handler<O extends Operation> = (
  request: CanonicalRequest<O>,
  store: O['effect'] extends 'reads' ? ReadTransaction : Transaction,
  world: HandlerContext,
) => Promise<Output<O>>;

/** A writing operation that first asks somebody outside, while no unit is open, and takes what it hears into its unit. */
export interface TwoPhaseHandler<O extends Operation, H = unknown> {
  /** Whether there is anybody to ask; else the unit hears nothing. */
  needsLookup(world: HandlerContext): boolean;
  /** `id`: the same for a request and its retries, at most 64 characters. What throws here ends the request. */
  lookup(request: CanonicalRequest<O>, store: Pick<Store, 'read'>, world: HandlerContext, id: string): Promise<H>;
  handle(
    request: CanonicalRequest<O>,
    unit: Transaction,
    world: HandlerContext,
    heard: H | undefined,
  ): Promise<Output<O>>;
}

export type Operations = RecurringOperations & BalancePlatformOperations;

/** One handler for each operation: a missing or a stray one does not compile. */
export type Handlers = {
  readonly [N in keyof Operations]: Handler<Operations[N]> | TwoPhaseHandler<Operations[N]>;
};

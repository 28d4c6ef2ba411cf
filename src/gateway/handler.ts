/** Handlers: a canonical request in, the canonical output out, or a Problem thrown. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Operation, Output } from '../contract/operation.ts';
import type { Clock, IdGenerator } from '../lib/clock-and-ids.ts';
import type { Store } from '../store/store.ts';
import type { ReadTransaction, Transaction } from '../store/transaction.ts';
import type { Vault } from '../vault/ports.ts';

/** What the engine gives every handler; a service brings its own dependencies when it is composed. */
export interface HandlerContext {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly vault: Vault;
}

/** A reading operation gets a read transaction, a writing one a transaction that commits with its outcome. */
export type Handler<O extends Operation> = (
  request: CanonicalRequest<O>,
  transaction: O['effect'] extends 'reads' ? ReadTransaction : Transaction,
  context: HandlerContext,
) => Promise<Output<O>>;

/** A writing operation that first calls another system, while no transaction is open. */
export interface TwoPhaseHandler<O extends Operation, R = unknown> {
  /** `id` is the same for a request and its retries, at most 64 characters. What throws here ends the request. */
  lookup(request: CanonicalRequest<O>, store: Pick<Store, 'read'>, context: HandlerContext, id: string): Promise<R>;
  handle(
    request: CanonicalRequest<O>,
    transaction: Transaction,
    context: HandlerContext,
    result: R,
  ): Promise<Output<O>>;
}

/** What an operation may be implemented by. */
export type HandlerOf<O extends Operation> = Handler<O> | (O['effect'] extends 'reads' ? never : TwoPhaseHandler<O>);

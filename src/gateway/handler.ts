/** Handlers: a canonical request in, the canonical output out, or a Problem thrown. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Operation, Output } from '../contract/operation.ts';
import type { BoundHandler as HandlerOver } from '../idempotency/ports.ts';
import type { Clock, IdGenerator } from '../lib/clock-and-ids.ts';
import type { ReadStore } from '../store/store.ts';
import type { ReadTransaction, Transaction } from '../store/transaction.ts';
import type { Vault } from '../vault/ports.ts';

/** What the engine gives every handler; a service brings its own dependencies when it is composed. */
export interface HandlerContext {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly vault: Vault;
}

/**
 * A reading operation gets a read transaction, a writing one a transaction that commits with its outcome.
 * `in out`, here and below: the compiler finds no use of `O` in a conditional type such as `Output`, and would accept the
 * handler of a version that returns less.
 */
export type Handler<in out O extends Operation> = (
  request: CanonicalRequest<O>,
  transaction: O['effect'] extends 'reads' ? ReadTransaction : Transaction,
  context: HandlerContext,
) => Promise<Output<O>>;

/** A writing operation that first calls another system, while no transaction is open. */
export interface TwoPhaseHandler<in out O extends Operation, R> {
  /** `id` is the same for a request and its retries, at most 64 characters. What throws here ends the request. */
  readonly lookup: (request: CanonicalRequest<O>, store: ReadStore, context: HandlerContext, id: string) => Promise<R>;
  readonly handle: (
    request: CanonicalRequest<O>,
    transaction: Transaction,
    context: HandlerContext,
    result: R,
  ) => Promise<Output<O>>;
}

/** A handler without the types of its operation; `Implementation` pairs the two. */
export type BoundHandler = HandlerOver<ReadTransaction, HandlerContext>;

/** What an operation may be implemented by: a function, or two where it asks another system first. */
export type HandlerOf<O extends Operation> =
  | Handler<O>
  // biome-ignore lint/suspicious/noExplicitAny: the two phases agree on the type of the result; no other code sees it.
  | (O['effect'] extends 'reads' ? never : TwoPhaseHandler<O, any>);

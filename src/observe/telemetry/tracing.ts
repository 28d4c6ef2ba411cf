/** Traces the steps of requests: each function returns its argument with a span around it. */
import type { Protocols } from '../../formats/index.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import type { Middleware } from '../../http/middleware/state.ts';
import type { ExecuteIdempotently } from '../../idempotency/execute-idempotently.ts';
import type { RemoteHandler } from '../../idempotency/ports.ts';
import type { TraceDelivery } from '../../jobs/webhooks/deliver.ts';
import type { TraceCall } from '../../lib/call-tracer.ts';
import type { Dialect } from '../../store/sql/engine.ts';
import type { Store } from '../../store/store.ts';
import type { ReadTransaction } from '../../store/transaction.ts';

export type Execute = ExecuteIdempotently<ReadTransaction, HandlerContext>;

export interface Tracing {
  /** The span of a request, from its head to its response. */
  readonly middleware: Middleware;
  decode(protocols: Protocols): Protocols;
  execute(execute: Execute): Execute;
  /** Also stores the trace of a request with its events. */
  store(store: Store, dialect: Dialect): Store;
  upstream(handler: RemoteHandler<HandlerContext>): RemoteHandler<HandlerContext>;
  readonly delivery: TraceDelivery;
  /** A call of a service to another server. */
  readonly call: TraceCall;
}

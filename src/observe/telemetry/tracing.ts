/** What traces of requests and of deliveries are made by, without the packages of OpenTelemetry. */
import type { RequestObserver } from '../../gateway/request-observer.ts';
import type { TraceDelivery } from '../../jobs/webhooks/deliver.ts';
import type { TraceCall } from '../../lib/call-tracer.ts';

export interface Tracing {
  /** Makes a span of each request, from its head to its response, and of each of its steps. */
  readonly observer: RequestObserver;
  readonly delivery: TraceDelivery;
  /** A call of a service to another server. */
  readonly call: TraceCall;
}

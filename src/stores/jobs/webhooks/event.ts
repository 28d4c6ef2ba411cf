/** Events for webhooks. A service creates them in the transaction of a request; they are delivered once it is committed. */

export interface DomainEvent<Data extends object = object> {
  /** `recurring.token.created` */
  readonly type: string;
  /** Events with the same key reach an endpoint in their order; absent: independent of all others. */
  readonly orderingKey?: string | undefined;
  /** Contains nothing that is sealed. */
  readonly data: Data;
}

/** The events of one request, in their order. */
export interface EventBatch {
  readonly tenant: string;
  /** The reference of the request, from which the ids of the events are derived. */
  readonly requestReference: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly events: readonly DomainEvent[];
}

/** An event that waits for delivery. */
export interface QueuedEvent<Data extends object = object> {
  /** Stays the same in every attempt to deliver the event. */
  readonly eventId: string;
  /** The reference of the request that caused the event. */
  readonly requestReference: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The trace of that request (W3C Trace Context), where requests are traced. */
  readonly traceparent?: string | undefined;
  readonly data: Data;
}

/** The stored form has the members of the data among the others. */
export function printQueuedEvent({ eventId, requestReference, at, traceparent, data }: QueuedEvent): string {
  return JSON.stringify({ eventId, requestReference, at, traceparent, ...data });
}

/** The caller knows the type of the data: the format of an endpoint has accepted its events. */
export function parseQueuedEvent<Data extends object>(text: string): QueuedEvent<Data> {
  const { eventId, requestReference, at, traceparent, ...data } = JSON.parse(text);
  return { eventId, requestReference, at, data, ...(traceparent !== undefined && { traceparent }) };
}

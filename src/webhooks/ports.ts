/** What the webhooks need of the store: who is to be told, and how much is still to be told. */

import type { TakenJob } from '../jobs/job.ts';
import type { Sealed } from '../vault/ports.ts';
import type { DomainEvent, RecurringEventData, ResourceEventData } from './event.ts';

/**
 * Of stored details, `tokenization`: an event of its own with each request; `classic`: a `RECURRING_CONTRACT` in a list of
 * items. Of a balance platform, `configuration`: a resource as it is now.
 */
export type EndpointFormat = 'tokenization' | 'classic' | 'configuration';

/** Where a company wants to be told. */
export interface Endpoint {
  readonly company: string;
  readonly endpointId: string;
  readonly url: string;
  readonly format: EndpointFormat;
  /** The key that deliveries are signed with, as `shown`; for the record `webhook <endpointId>`. */
  readonly sealed: Sealed;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A notice as it is kept until it is delivered. */
type QueuedEvent<N extends DomainEvent> = N & {
  /** The same in every attempt to deliver it. */
  readonly eventId: string;
  /** Of the request that it came of. */
  readonly pspReference: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

export type RecurringEvent = QueuedEvent<RecurringEventData>;
export type ResourceEvent = QueuedEvent<ResourceEventData>;
export type Event = RecurringEvent | ResourceEvent;
export type DetailEvent = Exclude<RecurringEvent, { readonly kind: 'checked' }>;

/** Every method throws `StoreUnavailable`. */
export interface EndpointStore {
  add(endpoint: Endpoint): Promise<void>;
  /** By company, oldest first. */
  list(): Promise<readonly Endpoint[]>;
  /** With all that it has not been told; gives how much that was, or undefined where there is no such endpoint. */
  remove(endpointId: string): Promise<number | undefined>;
  /** To whom the job delivers; undefined where the endpoint was removed. */
  findFor(job: TakenJob): Promise<Endpoint | undefined>;
  /** What is due at an endpoint is due so much later: taking each of it only to put it back would cost more, and hold up others. */
  deferDue(endpoint: Endpoint, afterMs: number): Promise<void>;
  /** How long the one that waits the longest has been due, in milliseconds; undefined where none is due. */
  oldestDueMs(): Promise<number | undefined>;
  countDeadLetters(): Promise<number>;
}

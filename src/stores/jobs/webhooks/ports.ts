/** Webhook endpoints, and what the delivery needs of the store. */

import type { Sealed } from '../../../core/vault/index.ts';
import type { TakenJob } from '../job.ts';

/** Receives events of a tenant. */
export interface Endpoint {
  readonly tenant: string;
  readonly endpointId: string;
  readonly url: string;
  /** The name of a `WebhookFormat`. */
  readonly format: string;
  /** The types of the events that it gets; absent: those that the description of its format has. */
  readonly eventTypes?: readonly string[] | undefined;
  /** The keys that sign deliveries, as `payload`; for the record `webhook <endpointId>`. */
  readonly sealed: Sealed;
  /** Where it has two keys: when the second one replaces the first, and whether that is over by the clock of the database. */
  readonly rotation?: { readonly until: number; readonly isOver: boolean } | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The row was changed outside of the program: no event is sent there. */
  readonly altered?: true;
}

/** When deferred events are due. */
export interface Pace {
  readonly afterMs: number;
  readonly spacingMs: number;
}

/** Every method throws `StoreUnavailable`. */
export interface EndpointStore {
  add(endpoint: Endpoint): Promise<void>;
  /** By tenant, oldest first; altered ones too. */
  list(): Promise<readonly Endpoint[]>;
  /** Removes the endpoint with its events; returns their number, or undefined where there is no such endpoint. */
  remove(endpointId: string): Promise<number | undefined>;
  /** Replaces the sealed keys; returns whether there is such an endpoint. `rotatingUntil` is absent for a single key. Throws `RowAltered`. */
  rotate(
    endpointId: string,
    change: { readonly rotatingUntil: number | undefined; seal(endpoint: Endpoint): Sealed },
  ): Promise<boolean>;
  /** The endpoint of a delivery; undefined where it was removed. Throws `RowAltered`. */
  findFor(job: TakenJob): Promise<Endpoint | undefined>;
  /**
   * Defers all due events of an endpoint at once, the first by `afterMs` and each further one by `spacingMs` more, up to a minute more.
   * Taking and deferring each one would cost more, and delay other endpoints.
   */
  deferDue(endpoint: Endpoint, pace: Pace): Promise<void>;
  /** The age of the oldest event that waits for delivery, in milliseconds; undefined where none waits. */
  oldestWaitingMs(): Promise<number | undefined>;
  countDeadLetters(): Promise<number>;
}

/** The ordering key of a delivery begins with its endpoint. */
export function endpointIdOf({ orderingKey }: Pick<TakenJob, 'orderingKey'>): string {
  return orderingKey.slice(0, orderingKey.indexOf('/'));
}

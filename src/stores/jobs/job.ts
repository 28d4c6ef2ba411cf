/** Jobs: work that outlives a request. */

import type { Sealed } from '../../core/vault/index.ts';

/** Names the handler of a job; the service that handles the jobs declares their kinds and payloads. */
export type JobKind = string;

/** A job that is saved in the transaction of a request and run after it. */
export interface NewJob {
  readonly tenant: string;
  /** Unique within the tenant. */
  readonly jobId: string;
  readonly kind: JobKind;
  /** Jobs with the same key run one after the other, in the order in which they were saved; absent: on its own. */
  readonly orderingKey?: string | undefined;
  /** JSON text; never holds a card number. */
  readonly payload: string;
  /** A card number, sealed for the record `job <jobId>`. */
  readonly sealed?: Sealed | undefined;
  /** Delay in milliseconds; ignored where another job with the same ordering key comes first. */
  readonly afterMs?: number | undefined;
}

/** A job under a lease: no other process takes it until the lease expires. */
export interface TakenJob extends NewJob {
  readonly orderingKey: string;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly createdAt: number;
  /** When it was taken, in milliseconds, by the clock of the database: those of servers may differ. */
  readonly ageMs: number;
  /** This one included. */
  readonly attempts: number;
  readonly leaseOwner: string;
}

/** A job that was abandoned and is not retried. */
export interface DeadJob extends Pick<TakenJob, 'tenant' | 'jobId' | 'kind' | 'payload' | 'createdAt' | 'attempts'> {
  /** Milliseconds since the epoch. */
  readonly deadSince: number;
  /** A text for people. */
  readonly lastFailure: string;
}

/** The lease expired and another process took the job: the result of this attempt must not be saved. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The jobs of a store; each method runs in a transaction of its own. */
export interface JobQueue {
  /** Leases jobs that are due, the longest due first. They are due again when the lease expires. */
  take(
    kind: JobKind,
    options: { readonly leaseOwner: string; readonly leaseMs: number; readonly max: number },
  ): Promise<readonly TakenJob[]>;
  /** Deletes a completed job; the next one with its ordering key becomes due. Throws `LeaseLost`. */
  end(job: TakenJob): Promise<void>;
  /** Makes the job due again after this time; the attempt is not counted. Throws `LeaseLost`. */
  defer(job: TakenJob, afterMs: number): Promise<void>;
  /** Makes the job due again after this time, and with `leavesOrder` the next one with its ordering key at once. Throws `LeaseLost`. */
  retryLater(job: TakenJob, afterMs: number, because: string, leavesOrder?: boolean): Promise<void>;
  /** Makes it a dead job; the next one with its ordering key becomes due. Throws `LeaseLost`. */
  abandon(job: TakenJob, because: string): Promise<void>;
  /** Makes a dead job due as if it were new; false where there is no such dead job. */
  revive(tenant: string, jobId: string): Promise<boolean>;
}

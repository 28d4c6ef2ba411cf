/** Work that outlives a request, and the checks among it that are gathered into files. */

import type { Updater } from '../services/recurring/account-updater/updater.ts';
import type { Sealed } from '../vault/ports.ts';

/** Kinds of work that outlives a request. */
export type JobKind =
  /** A check that its updater is asked for again. */
  | 'check'
  /** A check that waits for a file to be gathered into. */
  | 'gather'
  /** A check that is in a file, which holds it; it is due when no answer has come in time. */
  | 'answer'
  /** A file of checks that is to be written. */
  | 'file'
  /** The round in which checks are gathered and answers read: one for all processes. */
  | 'round'
  | 'webhook';

/** Work that is kept with the effect of a request and done after it. */
export interface NewJob {
  readonly company: string;
  /** Unique within the company. */
  readonly jobId: string;
  readonly kind: JobKind;
  /** Jobs of a lane are done one after the other, in the order in which they were saved; absent: a lane of its own. */
  readonly orderingKey?: string | undefined;
  /** JSON text; never holds a card number. */
  readonly payload: string;
  /** A card number, sealed for the record `job <jobId>`. */
  readonly sealed?: Sealed | undefined;
  /** Before anyone takes it, in milliseconds; it stands only where no other job of the lane comes first. */
  readonly afterMs?: number | undefined;
}

/** A job that was taken: nobody else takes it until the lease is over. */
export interface TakenJob extends NewJob {
  readonly orderingKey: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** How often it was taken, this time included. */
  readonly attempts: number;
  /** Who took it. */
  readonly leaseOwner: string;
}

/** A job that nobody takes any more. */
export interface DeadJob extends Pick<TakenJob, 'company' | 'jobId' | 'kind' | 'payload' | 'createdAt' | 'attempts'> {
  /** Milliseconds since the epoch. */
  readonly deadSince: number;
  /** Why; for people. */
  readonly lastFailure: string;
}

/** The lease was over, and another process took the job: what this one made of it must not be kept. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The jobs of a store, each method in a unit of its own. */
export interface JobQueue {
  /** Those of a kind that are due, the longest due first; they are due again when the lease is over. */
  take(
    kind: JobKind,
    options: { readonly holder: string; readonly leaseMs: number; readonly max: number },
  ): Promise<readonly TakenJob[]>;
  /** As `postpone`, and this time does not count: nothing was tried. Throws `LeaseLost`. */
  defer(job: TakenJob, afterMs: number): Promise<void>;
  /** It comes again after so many milliseconds. Throws `LeaseLost`. */
  retryLater(job: TakenJob, afterMs: number, because: string): Promise<void>;
  /** Nobody takes it any more, and the next of its lane is due. Throws `LeaseLost`. */
  abandon(job: TakenJob, because: string): Promise<void>;
  /** The longest given up first. */
  findDead(company: string, kind: JobKind, max: number): Promise<readonly DeadJob[]>;
  /** Has it taken again, as often and for as long as a new one; false where no such job was given up. */
  revive(company: string, jobId: string): Promise<boolean>;
}

/** Checks that are gathered into files. */
export interface BatchQueue {
  /** Has checks that another kind of updater was to tell of go on with this one; and keeps the one job for rounds. */
  begin(updater: Updater['kind']): Promise<void>;
  /** How many checks wait for a file, counted up to `max`; and for how long the first of them has, in milliseconds. */
  findWaiting(max: number): Promise<{ readonly checks: number; readonly longestMs: number }>;
  /**
   * Puts up to `max` checks into the file, the longest waiting first, and keeps the job to write it, in one unit; where none
   * waits there is no file. They are due again after `answerMsMax`. Gives how many there are.
   */
  collect(file: string, options: { readonly max: number; readonly answerMsMax: number }): Promise<number>;
  /** Checks of a file that wait for their answer, in an order that stays; those after the given one. */
  findBatchedChecks(file: string, max: number, after?: TakenJob): Promise<readonly TakenJob[]>;
}

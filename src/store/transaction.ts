/** How stored details and resources are read and written: in units, each kept whole or not at all. */

import type { NewJob, TakenJob } from '../jobs/job.ts';
import type { PlatformReads, PlatformWrites } from '../services/balance-platform/resource.ts';
import type { Announcements } from '../services/recurring/account-updater/updater.ts';
import type {
  DetailChange,
  HeldDetail,
  Holder,
  ListedDetail,
  Shopper,
  ShopperKey,
  StoredDetail,
} from '../services/recurring/details.ts';
import type { EventBatch } from '../webhooks/event.ts';

/** What can be read of stored details. */
export interface ReadTransaction extends PlatformReads {
  findShopper(key: ShopperKey): Promise<Shopper<ListedDetail> | undefined>;
  /** An active detail of the shopper, with all that is sealed of it. */
  findDetail(key: ShopperKey, recurringDetailReference: string): Promise<StoredDetail | undefined>;
  /** Who of a merchant account has an active detail with this fingerprint: the earliest 100, oldest first. */
  findHolders(account: Omit<ShopperKey, 'shopperReference'>, fingerprint: string): Promise<readonly Holder[]>;
}

/** One unit of work: all of it is kept, or nothing. */
export interface Transaction extends ReadTransaction, PlatformWrites, Announcements {
  findShopper(key: ShopperKey): Promise<Shopper | undefined>;
  /** Makes the shopper known, or brings the e-mail up to date; leaves `createdAt` of a known shopper alone. */
  saveShopper(
    key: ShopperKey,
    shopper: { readonly createdAt: number; readonly email?: string | undefined },
  ): Promise<void>;
  /** Adds the detail, or replaces the active one with the same reference. */
  saveDetail(key: ShopperKey, detail: StoredDetail): Promise<void>;
  /** `at`: milliseconds since the epoch. */
  disableDetail(key: ShopperKey, recurringDetailReference: string, at: number): Promise<void>;
  /** The active details of a merchant account with this fingerprint: the earliest 100, oldest first. */
  findDetails(account: Omit<ShopperKey, 'shopperReference'>, fingerprint: string): Promise<readonly HeldDetail[]>;
  /** Adds to the history of the detail; one request changes a detail once. */
  saveChange(company: string, change: DetailChange): Promise<void>;
  /** Tells whoever the company wants to be told, once the unit is kept: each of them in the order of its shopper, or of its resource. */
  enqueueEvents(telling: EventBatch): Promise<void>;
  saveJob(job: NewJob): Promise<void>;
  /** A check that is in a file and waits for its answer. */
  findBatchedCheck(company: string, jobId: string): Promise<TakenJob | undefined>;
  /** The job is done, by what this unit does. Throws `LeaseLost` where it is somebody else's by now; the unit must be given up then. */
  endJob(job: TakenJob): Promise<void>;
}

export interface Store {
  read<T>(work: (view: ReadTransaction) => Promise<T>): Promise<T>;
  /** Resolves when the unit is durable: fsynced, not merely written. */
  write<T>(work: (unit: Transaction) => Promise<T>): Promise<T>;
}

/** The store cannot answer now; nothing was done. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The store went away during the commit: the unit was kept whole, or nothing of it. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}

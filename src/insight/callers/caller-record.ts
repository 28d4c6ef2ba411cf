/** Caller records: who uses which operation, in which version and format, with which client; and how often. */
import { hash } from 'node:crypto';

/** What one record is about. Texts are empty where requests did not get far enough to tell. */
export interface CallerUse {
  readonly tenant: string;
  /** Empty for requests without a valid credential. */
  readonly credential: string;
  readonly service: string;
  readonly operation: string;
  /** As the caller wrote it in the address; absent where the address has none. */
  readonly version: number | undefined;
  readonly format: string;
  readonly client: string;
}

/** Requests by what became of them. */
export interface OutcomeCounts {
  readonly succeeded: number;
  /** By the caller's fault. */
  readonly refused: number;
  /** By the gateway's, or that of a server behind it. */
  readonly failed: number;
  /** By a brown-out, or after a sunset. */
  readonly switchedOff: number;
  /** Further calls that a deprecation exempted. */
  readonly exempt: number;
}

/** Counts of one day, in UTC. `day`: since the epoch. */
export interface DayCounts extends OutcomeCounts {
  readonly day: number;
}

/** The sealed text of the last request. */
export interface SealedRequest {
  readonly keyId: string;
  readonly dataKey: string;
  readonly payload: string;
}

/** What a record says, without its counts. */
export interface RecordedUse {
  readonly id: string;
  readonly use: CallerUse;
  /** Milliseconds since the epoch. */
  readonly firstUsedAt: number;
  readonly lastUsedAt: number;
  /** `ok`, or the name of the problem. */
  readonly lastOutcome: string;
}

/** What requests add to a record. */
export interface CallerUpdate extends RecordedUse {
  readonly days: readonly DayCounts[];
  /** Absent where no request since the last update could be read. */
  readonly request?: SealedRequest | undefined;
}

/** Keeps caller records. */
export interface CallerRecords {
  /**
   * Adds updates to the records, in one transaction. It rejects where nothing was written. An update beyond the limits
   * goes to the record `other` of its credential, or of all callers.
   */
  add(updates: readonly CallerUpdate[]): Promise<void>;
}

/** Keeps caller records for reports, too. */
export interface StoredCallerRecords extends CallerRecords {
  /** Returns the records used since the moment, last used first. Milliseconds since the epoch. */
  listUses(since: number): Promise<readonly RecordedUse[]>;
  /** The counts of the days since the moment, by the ids of the records. */
  listDays(
    records: readonly Pick<RecordedUse, 'id' | 'use'>[],
    since: number,
  ): Promise<ReadonlyMap<string, readonly DayCounts[]>>;
  findUse(id: string): Promise<CallerUse | undefined>;
  /** Whether a credential has records. */
  hasCredential(credential: string): Promise<boolean>;
  /** The last request of a record that has one. */
  findRequest(id: string): Promise<SealedRequest | undefined>;
  /** Deletes records that were last used before the moment, and the counts of days before it. */
  deleteBefore(moment: number): Promise<void>;
}

export const recordsPerCredentialMax = 500;
/** Records of a store. */
const recordsMax = 10_000;

/** `max` records, of which each credential has `perCredential`. Tests have other limits. */
export interface RecordLimits {
  readonly max: number;
  readonly perCredential: number;
}

export const defaultLimits: RecordLimits = { max: recordsMax, perCredential: recordsPerCredentialMax };

const other = 'other';

/** The record of what exceeds the limit of its credential. */
export function otherOfCredential({ tenant, credential }: CallerUse): CallerUse {
  return { ...otherUse, tenant, credential };
}

const otherUse = { service: other, operation: other, version: undefined, format: other, client: other } as const;

/** The record of what exceeds the limit of the store. */
export const otherOfAll: CallerUse = Object.freeze({ ...otherUse, tenant: '', credential: other });

export function isOther({ format }: CallerUse): boolean {
  return format === other;
}

/** 16 hexadecimal digits: a command takes no such text for an option. */
export function idOf({ tenant, credential, service, operation, version, format, client }: CallerUse): string {
  const text = JSON.stringify([tenant, credential, service, operation, version ?? null, format, client]);
  return hash('sha256', text).slice(0, 16);
}

/** A last request belongs to its record: moved to another it cannot be opened. */
export function sealedRecordOf(id: string): string {
  return `caller ${id}`;
}

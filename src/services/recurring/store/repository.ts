/** Shoppers and their stored details in a database: the store of the domain, and the progress of imports beside it. */

import type { IdempotentStore, IdempotentTransaction } from '../../../idempotency/ports.ts';
import type { JobKind } from '../../../jobs/job.ts';
import type { Engine, Session, Statement, TransactionSession } from '../../../store/sql/engine.ts';
import { createIdempotencyRecords, findOutcome } from '../../../store/sql/idempotency-records.ts';
import { endJob, saveJob } from '../../../store/sql/jobs.ts';
import { enqueueEvents } from '../../../store/sql/outbox.ts';
import type { ReadTransaction, Store, Transaction } from '../../../store/transaction.ts';
import type { StoredResource } from '../../balance-platform/resource.ts';
import { findInstrumentSample, platformUnitOf, platformViewOf } from '../../balance-platform/store/repository.ts';
import { findBatchedCheck } from '../account-updater/store/batch.ts';
import {
  announcementsOf,
  findKnown,
  type KnownShopper,
  saveAnnouncement,
  saveChange,
} from '../account-updater/store/card-changes.ts';
import type { Announcement } from '../account-updater/updater.ts';
import type { ContractType, ListedDetail, Shopper, ShopperKey, StoredDetail } from '../details.ts';
import { createShopperCache, type ShopperCache } from './shopper-cache.ts';
import * as sql from './statements.ts';

/** A unit that an import works in: rows and how far they go are kept together. */
export interface ImportTransaction extends IdempotentTransaction {
  /** `source`: the checksum of a file, or the name of a seeding; `rowsDone`: rows from its start; `at`: milliseconds since the epoch. */
  saveProgress(source: string, rowsDone: number, at: number): Promise<void>;
  /** Adds what was announced of a card, in the place of what was announced of it before. */
  saveAnnouncement(company: string, announcement: Announcement, at: number): Promise<void>;
}

export interface DetailStore extends Store, IdempotentStore {
  write<T>(work: (unit: ImportTransaction) => Promise<T>): Promise<T>;
  /** Any one detail that has something sealed, to try the keys on; undefined where there is none yet. */
  findSample(): Promise<{ readonly company: string; readonly detail: StoredDetail } | undefined>;
  /** Any one payment instrument, for the same. */
  findInstrumentSample(): Promise<StoredResource<'paymentInstrument'> | undefined>;
  /** Everything of a shopper, disabled details and their histories too; undefined for one who is not known. */
  findKnown(key: ShopperKey): Promise<KnownShopper | undefined>;
  /** How many rows of the source are kept; 0 for one never seen. */
  findProgress(source: string): Promise<number>;
}

/** The reference names another shopper's detail, or one that is disabled. The unit must be given up. */
export class ReferenceTaken extends Error {
  override readonly name = 'ReferenceTaken';
}

const place = (key: ShopperKey) => [key.company, key.merchantAccount, key.shopperReference] as const;

const shownPart = (row: sql.OpenRow) => ({
  recurringDetailReference: row.recurring_detail_reference,
  createdAt: row.created_at,
  contracts: row.contracts.split(',') as ContractType[],
  open: JSON.parse(row.open_part) as StoredDetail['open'],
});

const detailOf = (row: sql.DetailRow): StoredDetail => ({
  ...shownPart(row),
  fingerprint: row.fingerprint,
  sealed: {
    keyId: row.key_id,
    dataKey: row.data_key,
    number: row.sealed_number ?? undefined,
    shown: row.sealed_shown ?? undefined,
  },
});

const listedOf = (row: sql.ListedRow): ListedDetail =>
  row.sealed_shown === null
    ? shownPart(row)
    : { ...shownPart(row), sealed: { keyId: row.key_id, dataKey: row.data_key, shown: row.sealed_shown } };

const columnsOf = (detail: StoredDetail) => [
  detail.recurringDetailReference,
  detail.createdAt,
  detail.contracts.join(),
  detail.fingerprint,
  JSON.stringify(detail.open),
  detail.sealed.keyId,
  detail.sealed.dataKey,
  detail.sealed.number ?? null,
  detail.sealed.shown ?? null,
];

/** Compiles the finding of a shopper, whose details are read as the statement gives them. */
const finder =
  <R extends { readonly recurring_detail_reference: string }, D extends ListedDetail>(
    statement: Statement<sql.ShopperRow<R>>,
    read: (row: R) => D,
  ) =>
  async (session: Session, key: ShopperKey): Promise<Shopper<D> | undefined> => {
    const rows = await session.query(statement, place(key));
    const [first] = rows;
    if (first === undefined) return undefined;
    return {
      createdAt: first.known_since,
      email: first.email ?? undefined,
      details: rows.flatMap((row) => (row.recurring_detail_reference === null ? [] : [read(row as R)])),
    };
  };

const findShopper = finder(sql.findShopper, detailOf);
const listShopper = finder(sql.listShopper, listedOf);

const findSample = async (session: Session) => {
  const [row] = await session.query(sql.findSample, []);
  return row && { company: row.company, detail: detailOf(row) };
};

const findHolders =
  (session: Session): ReadTransaction['findHolders'] =>
  async ({ company, merchantAccount }, fingerprint) => {
    const rows = await session.query(sql.findHolders, [company, merchantAccount, fingerprint]);
    return rows.map(({ shopper_reference, created_at, email }) => ({
      shopperReference: shopper_reference,
      createdAt: created_at,
      email: email ?? undefined,
    }));
  };

const findDetail =
  (session: Session): ReadTransaction['findDetail'] =>
  async (key, recurringDetailReference) => {
    const [row] = await session.query(sql.findDetail, [...place(key), recurringDetailReference]);
    return row && detailOf(row);
  };

const findDetails =
  (session: Session): Transaction['findDetails'] =>
  async ({ company, merchantAccount }, fingerprint) => {
    const rows = await session.query(sql.findDetails, [company, merchantAccount, fingerprint]);
    return rows.map((row) => ({ shopperReference: row.shopper_reference, detail: detailOf(row) }));
  };

const viewOf = (session: Session, remembered: ShopperCache | undefined): ReadTransaction => ({
  ...platformViewOf(session),
  findShopper: (key) =>
    remembered === undefined ? listShopper(session, key) : remembered.find(key, () => listShopper(session, key)),
  findDetail: findDetail(session),
  findHolders: findHolders(session),
});

/** What a unit did that others have to hear of. */
interface Traces {
  /** Shoppers that it wrote. */
  readonly touched: ShopperKey[];
  /** Kinds of jobs that it saved. */
  readonly saved: Set<JobKind>;
}

const unitOf = (session: TransactionSession, { touched, saved }: Traces): ImportTransaction => ({
  ...createIdempotencyRecords(session),
  ...platformUnitOf(session),
  savepoint: (work) => session.savepoint(work),
  findShopper: (key) => findShopper(session, key),
  findDetail: findDetail(session),
  findHolders: findHolders(session),
  saveShopper: async (key, { createdAt, email }) => {
    touched.push(key);
    await session.execute(sql.saveShopper, [...place(key), createdAt, email ?? null]);
  },
  saveDetail: async (key, detail) => {
    touched.push(key);
    const written = await session.execute(sql.saveDetail, [...place(key), ...columnsOf(detail)]);
    if (written === 0) throw new ReferenceTaken('the recurringDetailReference belongs to another or a disabled detail');
  },
  disableDetail: async (key, recurringDetailReference, at) => {
    touched.push(key);
    await session.execute(sql.disableDetail, [...place(key), recurringDetailReference, at]);
  },
  findDetails: findDetails(session),
  ...announcementsOf(session),
  saveChange: (company, change) => saveChange(session, company, change),
  enqueueEvents: async (telling) => {
    if (await enqueueEvents(session, telling)) saved.add('webhook');
  },
  saveJob: async (job) => {
    saved.add(job.kind);
    await saveJob(session, job);
  },
  findBatchedCheck: (company, jobId) => findBatchedCheck(session, company, jobId),
  endJob: (job) => endJob(session, job),
  saveAnnouncement: (company, announcement, at) => saveAnnouncement(session, company, announcement, at),
  saveProgress: async (source, rowsDone, at) => {
    await session.execute(sql.saveProgress, [source, rowsDone, at]);
  },
});

/** Remembers nothing where it may not, or where the engine cannot tell what others write. */
const memoryOf = (engine: Engine, bytesMax: number): ShopperCache | undefined =>
  bytesMax === 0 || engine.foreignCommits === undefined
    ? undefined
    : createShopperCache(bytesMax, () => engine.foreignCommits!());

export interface DetailStoreOptions {
  /** Memory for shoppers that were listed, on an engine that can tell what others write; 0 is none. */
  readonly rememberedBytesMax?: number;
  /** Hears of the jobs that were saved, once they are kept. */
  readonly ring?: (kind: JobKind) => void;
}

/** A store that remembers is the only one of its engine: it would not hear of what another one commits there. */
export const createDetailStore = (
  engine: Engine,
  { rememberedBytesMax = 0, ring = () => {} }: DetailStoreOptions = {},
): DetailStore => {
  const remembered = memoryOf(engine, rememberedBytesMax);
  return Object.freeze<DetailStore>({
    read: (work) => engine.read((session) => work(viewOf(session, remembered))),
    async write(work) {
      const touched: ShopperKey[] = [];
      const saved = new Set<JobKind>();
      try {
        const result = await engine.write((session) => work(unitOf(session, { touched, saved })));
        for (const kind of saved) ring(kind);
        return result;
      } finally {
        // Whatever came of it: what became of a commit that failed may be unknown, and reading again is always right.
        remembered?.forget(touched);
      }
    },
    findOutcome: (scope) => engine.read((session) => findOutcome(session, scope)),
    findSample: () => engine.read(findSample),
    findInstrumentSample: () => engine.read(findInstrumentSample),
    findKnown: (key) => engine.read((session) => findKnown(session, key)),
    findProgress: (source) =>
      engine.read(async (session) => (await session.query(sql.findProgress, [source]))[0]?.rows_done ?? 0),
  });
};

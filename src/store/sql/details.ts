/** Shoppers and their stored details in a database: the store of the domain, and the progress of imports beside it. */
import type { ContractType, Shopper, ShopperKey, Store, StoredDetail, Unit, View } from '../../domain/ports.ts';
import * as sql from './detail-statements.ts';
import type { Engine, Session } from './engine.ts';

/** A unit that an import works in: rows and how far they go are kept together. */
export interface ImportUnit extends Unit {
  /** `checksum`: that of the file; `rowsDone`: rows from its start; `at`: milliseconds since the epoch. */
  saveProgress(checksum: string, rowsDone: number, at: number): Promise<void>;
}

export interface DetailStore extends Store {
  write<T>(work: (unit: ImportUnit) => Promise<T>): Promise<T>;
  /** Any one detail that has something sealed, to try the keys on; undefined where there is none yet. */
  findSample(): Promise<{ readonly company: string; readonly detail: StoredDetail } | undefined>;
  /** How many rows of the file are kept; 0 for one never seen. */
  findProgress(checksum: string): Promise<number>;
}

/** The reference names another shopper's detail, or one that is disabled. The unit can go on without it. */
export class ReferenceTaken extends Error {
  override readonly name = 'ReferenceTaken';
}

export const createDetailStore = (engine: Engine): DetailStore => {
  return Object.freeze<DetailStore>({
    read: (work) => engine.read((session) => work(viewOf(session))),
    write: (work) => engine.write((session) => work(unitOf(session))),
    findSample: () => engine.read(findSample),
    findProgress: (checksum) =>
      engine.read(async (session) => (await session.query(sql.findProgress, [checksum]))[0]?.rows_done ?? 0),
  });
};

const viewOf = (session: Session): View => ({ findShopper: (key) => findShopper(session, key) });

const unitOf = (session: Session): ImportUnit => ({
  findShopper: (key) => findShopper(session, key),
  saveShopper: async (key, { createdAt, email }) => {
    await session.execute(sql.saveShopper, [...place(key), createdAt, email ?? null]);
  },
  saveDetail: async (key, detail) => {
    const written = await session.execute(sql.saveDetail, [...place(key), ...columnsOf(detail)]);
    if (written === 0) throw new ReferenceTaken('the recurringDetailReference belongs to another or a disabled detail');
  },
  disableDetail: async (key, recurringDetailReference, at) => {
    await session.execute(sql.disableDetail, [...place(key), recurringDetailReference, at]);
  },
  saveProgress: async (checksum, rowsDone, at) => {
    await session.execute(sql.saveProgress, [checksum, rowsDone, at]);
  },
});

const place = (key: ShopperKey) => [key.company, key.merchantAccount, key.shopperReference] as const;

const findShopper = async (session: Session, key: ShopperKey): Promise<Shopper | undefined> => {
  const rows = await session.query(sql.findShopper, place(key));
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    createdAt: first.known_since,
    email: first.email ?? undefined,
    details: first.recurring_detail_reference === null ? [] : rows.map(detailOf),
  };
};

const findSample = async (session: Session) => {
  const [row] = await session.query(sql.findSample, []);
  return row && { company: row.company, detail: detailOf(row) };
};

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

const detailOf = (row: sql.ShopperRow): StoredDetail => ({
  recurringDetailReference: row.recurring_detail_reference!,
  createdAt: row.created_at,
  contracts: row.contracts.split(',') as ContractType[],
  fingerprint: row.fingerprint,
  open: JSON.parse(row.open_part),
  sealed: {
    keyId: row.key_id,
    dataKey: row.data_key,
    number: row.sealed_number ?? undefined,
    shown: row.sealed_shown ?? undefined,
  },
});

/** Shoppers and their stored details in a database: the store of the domain, and the progress of imports beside it. */
import type {
  ContractType,
  ListedDetail,
  Shopper,
  ShopperKey,
  Store,
  StoredDetail,
  Unit,
  View,
} from '../../domain/ports.ts';
import * as sql from './detail-statements.ts';
import type { Engine, Session, Statement } from './engine.ts';

/** A unit that an import works in: rows and how far they go are kept together. */
export interface ImportUnit extends Unit {
  /** `source`: the checksum of a file, or the name of a seeding; `rowsDone`: rows from its start; `at`: milliseconds since the epoch. */
  saveProgress(source: string, rowsDone: number, at: number): Promise<void>;
}

export interface DetailStore extends Store {
  write<T>(work: (unit: ImportUnit) => Promise<T>): Promise<T>;
  /** Any one detail that has something sealed, to try the keys on; undefined where there is none yet. */
  findSample(): Promise<{ readonly company: string; readonly detail: StoredDetail } | undefined>;
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

const viewOf = (session: Session): View => ({ findShopper: (key) => listShopper(session, key) });

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
  saveProgress: async (source, rowsDone, at) => {
    await session.execute(sql.saveProgress, [source, rowsDone, at]);
  },
});

export const createDetailStore = (engine: Engine): DetailStore => {
  return Object.freeze<DetailStore>({
    read: (work) => engine.read((session) => work(viewOf(session))),
    write: (work) => engine.write((session) => work(unitOf(session))),
    findSample: () => engine.read(findSample),
    findProgress: (source) =>
      engine.read(async (session) => (await session.query(sql.findProgress, [source]))[0]?.rows_done ?? 0),
  });
};

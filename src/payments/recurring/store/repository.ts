/** The shoppers of a merchant account and their stored details. */

import { type ReadTransaction, signRow, type Transaction, verifyRow } from '../../../stores/index.ts';
import { TableReader } from '../../table-reader.ts';
import {
  beforeAll,
  type ContractType,
  type HeldDetail,
  type Holder,
  type HolderPosition,
  type ListedDetail,
  type PublicPart,
  type Shopper,
  type ShopperKey,
  type StoredDetail,
} from '../details.ts';
import type { InstrumentMatch } from '../match-instrument.ts';
import { storedDetails } from '../tables.ts';
import { ShopperCache } from './shopper-cache.ts';
import * as sql from './statements.ts';

type MerchantAccount = Omit<ShopperKey, 'shopperReference'>;

/** A card or an account. */
interface SearchedInstrument {
  readonly fingerprint: string;
  readonly match: InstrumentMatch;
}

/** What makes two details of a shopper the same one. */
export interface SameDetail extends SearchedInstrument {
  readonly recurringDetailReference?: string | undefined;
}

/** The reference names another shopper's detail, or a disabled one. The transaction must be rolled back. */
export class ReferenceTaken extends Error {
  override readonly name = 'ReferenceTaken';
}

/** Reads through the shopper cache, where the store has one. */
export class DetailReader<T extends ReadTransaction = ReadTransaction> extends TableReader<T> {
  protected readonly cache: ShopperCache | undefined = this.tx.shared(ShopperCache);

  async findShopper(key: ShopperKey): Promise<Shopper<ListedDetail> | undefined> {
    const read = async () =>
      shopperOf(await this.tx.query(sql.listShopper, keyValues(key)), (row) => listedDetailOf(this.verified(key, row)));
    return this.cache === undefined ? await read() : await this.cache.find(key, read);
  }

  /** An active detail of the shopper, with its sealed parts. */
  async findDetail(key: ShopperKey, recurringDetailReference: string): Promise<StoredDetail | undefined> {
    const [row] = await this.tx.query(sql.findDetail, [...keyValues(key), recurringDetailReference]);
    return row && detailOf(this.verified(key, row));
  }

  /** The shoppers with an active detail of this fingerprint that follow `after`, oldest first: one more than an answer has. */
  async findHolders(
    { company, merchantAccount }: MerchantAccount,
    { fingerprint, match }: SearchedInstrument,
    after: HolderPosition = beforeAll,
  ): Promise<readonly Holder[]> {
    const statement = match.needsPayload ? sql.findHoldersWithPayload : sql.findHolders;
    const position = [after.createdAt, after.shopperReference];
    const rows = await this.tx.query(statement, [company, merchantAccount, fingerprint, ...position]);
    return rows.map((row) => {
      const shopperReference = row.shopper_reference;
      const detail = listedDetailOf(this.verified({ company, merchantAccount, shopperReference }, row));
      const { createdAt } = this.requireMatch(company, detail, match);
      return { shopperReference, createdAt, email: row.email ?? undefined };
    });
  }

  /** Throws `RowAltered`. */
  protected verified<R extends sql.PublicRow>(key: ShopperKey, row: R): R {
    return verifyRow(this.integrity, storedDetails, row, shopperColumns(key));
  }

  /** For details that were found by a fingerprint, which has no MAC. Throws `RowAltered` where it is that of another instrument. */
  requireMatch<D extends ListedDetail>(company: string, detail: D, match: InstrumentMatch): D {
    if (this.integrity?.hasKeys === true && !match.matches(detail))
      this.integrity.refuse({ table: 'stored_detail', tenant: company, id: detail.recurringDetailReference });
    return detail;
  }

  /** Any one detail with a sealed part, to try the keys on; undefined where there is none. */
  async findSample(): Promise<{ readonly company: string; readonly detail: StoredDetail } | undefined> {
    const [row] = await this.tx.query(sql.findSample, []);
    return row && { company: row.company, detail: detailOf(row) };
  }
}

/** Reads from the database only, and removes the shoppers that it changes from the cache. */
export class DetailRepository extends DetailReader<Transaction> {
  readonly #changed: ShopperKey[] = [];

  constructor(tx: Transaction) {
    super(tx);
    const { cache } = this;
    if (cache !== undefined) tx.afterEnd(() => cache.forget(this.#changed));
  }

  override async findShopper(key: ShopperKey): Promise<Shopper | undefined> {
    return shopperOf(await this.tx.query(sql.findShopper, keyValues(key)), (row) => detailOf(this.verified(key, row)));
  }

  /** The oldest active detail of the shopper with this fingerprint or reference, and how many active ones there are. */
  async findSame(
    key: ShopperKey,
    { fingerprint, recurringDetailReference, match }: SameDetail,
  ): Promise<{
    readonly active: number;
    readonly same?: (PublicPart & Pick<StoredDetail, 'fingerprint'>) | undefined;
  }> {
    const parameters = [...keyValues(key), fingerprint, recurringDetailReference ?? null];
    const [row] = await this.tx.query(match.needsPayload ? sql.findSameWithPayload : sql.findSame, parameters);
    if (row === undefined) throw new Error('the count of details is missing');
    if (row.recurring_detail_reference === null) return { active: row.active };
    const same = listedDetailOf(this.verified(key, row));
    // A reference decides by itself.
    if (row.fingerprint === fingerprint) this.requireMatch(key.company, same, match);
    return { active: row.active, same: { ...same, fingerprint: row.fingerprint } };
  }

  /** The active details of a merchant account with this fingerprint: the earliest 100, oldest first. */
  async findDetails(
    { company, merchantAccount }: MerchantAccount,
    { fingerprint, match }: SearchedInstrument,
  ): Promise<readonly HeldDetail[]> {
    const rows = await this.tx.query(sql.findDetails, [company, merchantAccount, fingerprint]);
    return rows.map((row) => {
      const shopperReference = row.shopper_reference;
      const key = { company, merchantAccount, shopperReference };
      return { shopperReference, detail: this.requireMatch(company, detailOf(this.verified(key, row)), match) };
    });
  }

  /**
   * Returns false, and writes nothing, where the shopper is known. A new shopper has no details, which need not be read: on
   * PostgreSQL, what is not read conflicts with no other transaction.
   */
  async addShopper(
    key: ShopperKey,
    { createdAt, email }: { readonly createdAt: number; readonly email?: string | undefined },
  ): Promise<boolean> {
    this.#changed.push(key);
    return (await this.tx.execute(sql.addShopper, [...keyValues(key), createdAt, email ?? null])) > 0;
  }

  /** Adds the shopper, or updates the e-mail address; `createdAt` of a known shopper stays. */
  async saveShopper(
    key: ShopperKey,
    { createdAt, email }: { readonly createdAt: number; readonly email?: string | undefined },
  ): Promise<void> {
    this.#changed.push(key);
    await this.tx.executeDeferred(sql.saveShopper, [...keyValues(key), createdAt, email ?? null]);
  }

  /**
   * Adds the detail, or replaces the active one with the same reference. Throws `ReferenceTaken`. `isSame`: the stored one has
   * its date and its fingerprint, which need not be written. `mayBeTaken`: without it, the write travels with the next statement, and
   * a reference that is taken fails the transaction.
   */
  async saveDetail(key: ShopperKey, detail: StoredDetail, { isSame = false, mayBeTaken = true } = {}): Promise<void> {
    this.#changed.push(key);
    const statement = isSame ? sql.saveSameDetail : sql.saveDetail;
    const row = [...keyValues(key), ...this.#columnsOf(key, detail)];
    const taken = () => new ReferenceTaken('the recurringDetailReference belongs to another or a disabled detail');
    if (!mayBeTaken) await this.tx.executeDeferred(statement, row, taken);
    else if ((await this.tx.execute(statement, row)) === 0) throw taken();
  }

  #columnsOf(key: ShopperKey, detail: StoredDetail) {
    const contracts = detail.contracts.join();
    const public_data = JSON.stringify(detail.publicData);
    const { recurringDetailReference: reference, createdAt, fingerprint, sealed } = detail;
    const fields = { recurring_detail_reference: reference, created_at: createdAt, contracts, public_data };
    return [
      ...[reference, createdAt, contracts, fingerprint, public_data],
      ...[sealed.keyId, sealed.dataKey, sealed.number ?? null, sealed.payload ?? null],
      signRow(this.integrity, storedDetails, fields, shopperColumns(key)),
    ];
  }

  /** `at`: milliseconds since the epoch. */
  async disableDetail(key: ShopperKey, recurringDetailReference: string, at: number): Promise<void> {
    this.#changed.push(key);
    await this.tx.execute(sql.disableDetail, [...keyValues(key), recurringDetailReference, at]);
  }
}

function keyValues({ company, merchantAccount, shopperReference }: ShopperKey) {
  return [company, merchantAccount, shopperReference] as const;
}

/** The columns of the shopper in the row of a detail. */
export function shopperColumns({ company, merchantAccount, shopperReference }: ShopperKey) {
  return { company, merchant_account: merchantAccount, shopper_reference: shopperReference };
}

function publicPartOf(row: sql.PublicRow): PublicPart {
  return {
    recurringDetailReference: row.recurring_detail_reference,
    createdAt: row.created_at,
    contracts: row.contracts.split(',') as ContractType[],
    publicData: JSON.parse(row.public_data) as StoredDetail['publicData'],
  };
}

/** The detail of a row. */
function detailOf(row: sql.DetailRow): StoredDetail {
  return {
    ...publicPartOf(row),
    fingerprint: row.fingerprint,
    sealed: {
      keyId: row.key_id,
      dataKey: row.data_key,
      number: row.sealed_number ?? undefined,
      payload: row.sealed_payload ?? undefined,
    },
  };
}

function listedDetailOf(row: sql.ListedRow): ListedDetail {
  const { key_id: keyId, data_key: dataKey, sealed_payload: payload } = row;
  return keyId && dataKey && payload
    ? { ...publicPartOf(row), sealed: { keyId, dataKey, payload } }
    : publicPartOf(row);
}

/** A shopper without a detail has one row, whose detail columns are null. */
function shopperOf<R extends { readonly recurring_detail_reference: string }, D extends ListedDetail>(
  rows: readonly sql.ShopperRow<R>[],
  detailOf: (row: R) => D,
): Shopper<D> | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    createdAt: first.known_since,
    email: first.email ?? undefined,
    details: rows.flatMap((row) => (row.recurring_detail_reference === null ? [] : [detailOf(row as R)])),
  };
}

/** The permits of stored details. */
import type { Infer } from '../../../core/contract/index.ts';
import {
  fieldsOf,
  prepareInsert,
  type ReadTransaction,
  type RowOf,
  statement,
  type Transaction,
  verifyRow,
} from '../../../stores/index.ts';
import { TableReader } from '../../table-reader.ts';
import type { ShopperKey } from '../details.ts';
import { permits } from '../tables.ts';
import type { permit } from './contract.ts';

type MerchantAccount = Omit<ShopperKey, 'shopperReference'>;

export interface StoredPermit {
  readonly token: string;
  readonly shopperReference: string;
  readonly recurringDetailReference: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The same; absent where the permit ends with its detail. */
  readonly validTill?: number | undefined;
  /** The part that is stored as JSON. */
  readonly content: Omit<Infer<typeof permit>, 'validTillDate'>;
}

type PermitRow = Omit<RowOf<typeof permits>, 'company' | 'disabled_at'>;

const addPermit = prepareInsert('save-permit', permits);

const columns =
  'token, merchant_account, shopper_reference, recurring_detail_reference, created_at, valid_till, content, row_mac'
    .split(', ')
    .map((name) => `p.${name}`)
    .join(', ');

/** A permit ends with its detail. */
const validPermits = `
    from permit p
    join stored_detail d on d.company = p.company and d.recurring_detail_reference = p.recurring_detail_reference
     and d.disabled_at is null
   where p.company = $1 and p.merchant_account = $2 and p.disabled_at is null and (p.valid_till is null or p.valid_till > $3)`;

const findPermit = statement<PermitRow>('find-permit', `select ${columns}${validPermits} and p.token = $4`);

const findPermits = statement<PermitRow>(
  'find-permits',
  `select ${columns}${validPermits} and p.recurring_detail_reference = $4 order by p.created_at, p.token limit 1000`,
);

/** Removes the MAC: a permit that is made valid again in the store is refused. */
const disablePermit = statement(
  'disable-permit',
  `update permit set disabled_at = $4, row_mac = null
    where company = $1 and merchant_account = $2 and token = $3 and disabled_at is null`,
);

/** Permits that are valid: not disabled, not over, and of an active detail. */
export class PermitReader<T extends ReadTransaction = ReadTransaction> extends TableReader<T> {
  /** `at`: milliseconds since the epoch. Throws `RowAltered`. */
  async find(account: MerchantAccount, token: string, at: number): Promise<StoredPermit | undefined> {
    const [row] = await this.tx.query(findPermit, [account.company, account.merchantAccount, at, token]);
    return row && this.#permitOf(account, row);
  }

  /** Those of a detail, oldest first. `at`: milliseconds since the epoch. Throws `RowAltered`. */
  async findOfDetail(account: MerchantAccount, detail: string, at: number): Promise<readonly StoredPermit[]> {
    const rows = await this.tx.query(findPermits, [account.company, account.merchantAccount, at, detail]);
    return rows.map((row) => this.#permitOf(account, row));
  }

  #permitOf({ company }: MerchantAccount, row: PermitRow): StoredPermit {
    const {
      rowMac: _,
      merchantAccount: __,
      content,
      ...fields
    } = fieldsOf(verifyRow(this.integrity, permits, row, { company }));
    return { ...fields, content: JSON.parse(content) as StoredPermit['content'] };
  }
}

export class PermitRepository extends PermitReader<Transaction> {
  async add({ company, merchantAccount }: MerchantAccount, permit: StoredPermit): Promise<void> {
    const content = JSON.stringify(permit.content);
    await addPermit(this.tx, { ...permit, company, merchantAccount, content }, this.integrity);
  }

  /** `at`: milliseconds since the epoch. */
  async disable({ company, merchantAccount }: MerchantAccount, token: string, at: number): Promise<void> {
    await this.tx.execute(disablePermit, [company, merchantAccount, token, at]);
  }
}

/** The SQL of shoppers, their stored details; one text for both engines. */
import { type RowOf, statement } from '../../../stores/index.ts';
import type { storedDetails } from '../tables.ts';

/** One stored detail. */
export type DetailRow = Omit<
  RowOf<typeof storedDetails>,
  'company' | 'merchant_account' | 'shopper_reference' | 'disabled_at'
>;

export type PublicRow = Pick<
  DetailRow,
  'recurring_detail_reference' | 'created_at' | 'contracts' | 'public_data' | 'row_mac'
>;

/** A detail as far as a list shows it, or a search compares it: the keys come along only with a payload. */
export type ListedRow = PublicRow & {
  readonly [C in 'key_id' | 'data_key' | 'sealed_payload']?: string | null;
};

/** One row for each active detail of a shopper; for a shopper without one, a single row whose detail is null throughout. */
export type ShopperRow<D> = {
  readonly known_since: number;
  readonly email: string | null;
} & (D | { readonly [Column in keyof D]: null });

/** The limit is the most active details that a shopper may have, and that an answer may hold. */
const ofShopper = `
     from shopper s
     left join stored_detail d
       on d.company = s.company and d.merchant_account = s.merchant_account
      and d.shopper_reference = s.shopper_reference and d.disabled_at is null
    where s.company = $1 and s.merchant_account = $2 and s.shopper_reference = $3
    order by d.created_at, d.recurring_detail_reference
    limit 100`;

export const findShopper = statement<ShopperRow<DetailRow>>(
  'find-shopper',
  `select s.created_at as known_since, s.email, d.recurring_detail_reference, d.created_at, d.contracts, d.fingerprint,
          d.public_data, d.row_mac, d.key_id, d.data_key, d.sealed_number, d.sealed_payload${ofShopper}`,
);

/** The most frequent question; each column costs time, so it asks for what an answer shows and no more. */
export const listShopper = statement<ShopperRow<ListedRow>>(
  'list-shopper',
  `select s.created_at as known_since, s.email, d.recurring_detail_reference, d.created_at, d.contracts, d.public_data,
          d.row_mac, d.sealed_payload, case when d.sealed_payload is null then null else d.key_id end as key_id,
          case when d.sealed_payload is null then null else d.data_key end as data_key${ofShopper}`,
  { isQuick: true },
);

const publicColumns = ['recurring_detail_reference', 'created_at', 'contracts', 'public_data', 'row_mac'];
/** A card is compared by its public data, an account by its payload. */
const payloadColumns = ['key_id', 'data_key', 'sealed_payload'];

type SameDetailRow = { readonly active: number } & (
  | (ListedRow & Pick<DetailRow, 'fingerprint'>)
  | { readonly recurring_detail_reference: null }
);

/** One row: how many active details a shopper has, and the oldest one of this fingerprint or reference. */
export const findSame = statement<SameDetailRow>('find-same-detail', sameText(publicColumns));
export const findSameWithPayload = statement<SameDetailRow>(
  'find-same-detail-with-payload',
  sameText([...publicColumns, ...payloadColumns]),
);

function sameText(columns: readonly string[]): string {
  return `select n.active, fingerprint, ${columns.join(', ')}
     from (select count(*) as active
             from stored_detail
            where company = $1 and merchant_account = $2 and shopper_reference = $3 and disabled_at is null) n
     left join (select fingerprint, ${columns.join(', ')}
                  from stored_detail
                 where company = $1 and merchant_account = $2 and shopper_reference = $3 and disabled_at is null
                   and (fingerprint = $4 or recurring_detail_reference = $5)
                 order by created_at, recurring_detail_reference
                 limit 1) d on true`;
}

type HolderRow = ListedRow & {
  readonly shopper_reference: string;
  readonly email: string | null;
};

/** The most holders that an answer has. */
export const holdersMax = 100;

/** One more than an answer has, which tells whether more follow. */
export const findHolders = statement<HolderRow>('find-holders', holdersText(publicColumns));
export const findHoldersWithPayload = statement<HolderRow>(
  'find-holders-with-payload',
  holdersText([...publicColumns, ...payloadColumns]),
);

function holdersText(columns: readonly string[]): string {
  return `select d.shopper_reference, ${columns.map((column) => `d.${column}`).join(', ')}, s.email
     from stored_detail d
     join shopper s on s.company = d.company and s.merchant_account = d.merchant_account
      and s.shopper_reference = d.shopper_reference
    where d.company = $1 and d.fingerprint = $3 and d.merchant_account = $2 and d.disabled_at is null
      and (d.created_at > $4 or (d.created_at = $4 and d.shopper_reference > $5))
    order by d.created_at, d.shopper_reference
    limit ${holdersMax + 1}`;
}

const detailColumns = [...publicColumns, 'fingerprint', ...payloadColumns, 'sealed_number'].join(', ');

export const findDetails = statement<DetailRow & { readonly shopper_reference: string }>(
  'find-details',
  `select shopper_reference, ${detailColumns}
     from stored_detail
    where company = $1 and fingerprint = $3 and merchant_account = $2 and disabled_at is null
    order by created_at, shopper_reference
    limit 100`,
);

export const findDetail = statement<DetailRow>(
  'find-detail',
  `select ${detailColumns}
     from stored_detail
    where company = $1 and recurring_detail_reference = $4 and merchant_account = $2 and shopper_reference = $3
      and disabled_at is null`,
);

/** Writes no row where the shopper is known. */
export const addShopper = statement(
  'add-shopper',
  `insert into shopper (company, merchant_account, shopper_reference, created_at, email) values ($1, $2, $3, $4, $5)
   on conflict (company, merchant_account, shopper_reference) do nothing`,
);

/** Writes no row where the address is known already. */
export const saveShopper = statement(
  'save-shopper',
  `insert into shopper (company, merchant_account, shopper_reference, created_at, email) values ($1, $2, $3, $4, $5)
   on conflict (company, merchant_account, shopper_reference)
   do update set email = excluded.email
   where excluded.email is not null and shopper.email is distinct from excluded.email`,
);

/** Writes no row when the reference belongs to another shopper of the company or to a disabled detail. */
export const saveDetail = statement('save-detail', saveText(['created_at', 'fingerprint']));

/**
 * The same for a detail whose date and fingerprint stay. SQLite writes the entries of an index again where an update sets one
 * of its columns, even to the same value. An update statement would search for the row, and conflict on PostgreSQL.
 */
export const saveSameDetail = statement('save-same-detail', saveText([]));

function saveText(indexed: readonly ('created_at' | 'fingerprint')[]): string {
  const columns = [
    'contracts',
    'public_data',
    'row_mac',
    'key_id',
    'data_key',
    'sealed_number',
    'sealed_payload',
    ...indexed,
  ];
  return `insert into stored_detail
     (company, merchant_account, shopper_reference, recurring_detail_reference, created_at, contracts, fingerprint,
      public_data, key_id, data_key, sealed_number, sealed_payload, row_mac)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict (company, recurring_detail_reference)
   do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
   where stored_detail.merchant_account = excluded.merchant_account
     and stored_detail.shopper_reference = excluded.shopper_reference and stored_detail.disabled_at is null`;
}

/** Removes the MAC: a detail that is made active again in the store is refused. */
export const disableDetail = statement(
  'disable-detail',
  `update stored_detail set disabled_at = $5, row_mac = null
    where company = $1 and recurring_detail_reference = $4
      and merchant_account = $2 and shopper_reference = $3 and disabled_at is null`,
);

/** Any one detail that has something sealed, disabled or not. */
export const findSample = statement<DetailRow & { readonly company: string }>(
  'find-sample',
  `select company, ${detailColumns}
     from stored_detail where sealed_number is not null or sealed_payload is not null limit 1`,
);

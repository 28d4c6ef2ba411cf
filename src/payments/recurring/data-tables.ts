/** What the console of the demo shows of shoppers and their stored details. */

import type { DataPage, DataRow, DataTable } from '../../backend/index.ts';
import type { Infer } from '../../core/contract/index.ts';
import type { HandlerContext } from '../../core/gateway/index.ts';
import { parseTextList } from '../../core/lib/index.ts';
import { type RowOf, type Store, statement } from '../../stores/index.ts';
import type { ListedDetail, ShopperKey } from './details.ts';
import { PermitReader, type StoredPermit } from './permits/store.ts';
import type { amount } from './schemas.ts';
import { DetailReader } from './store/repository.ts';
import type { shoppers } from './tables.ts';

type ShopperRow = Omit<RowOf<typeof shoppers>, 'email'> & { readonly details: number };

const pageSize = 50;

const listShoppers = statement<ShopperRow>(
  'browse-shoppers',
  `select s.company, s.merchant_account, s.shopper_reference, s.created_at,
     (select count(*) from stored_detail d where d.company = s.company and d.merchant_account = s.merchant_account
        and d.shopper_reference = s.shopper_reference and d.disabled_at is null) as details
   from shopper s where (s.company, s.merchant_account, s.shopper_reference) > ($1, $2, $3)
   order by s.company, s.merchant_account, s.shopper_reference limit ${pageSize}`,
);

const detailTable = 'stored-details';
const permitTable = 'permits';

interface DataSource {
  readonly store: Pick<Store, 'read'>;
  readonly context: Pick<HandlerContext, 'clock'>;
}

/** In the order in which the console shows them. */
export function recurringDataTables({ store, context: { clock } }: DataSource): readonly DataTable[] {
  return [
    {
      name: 'shoppers',
      title: 'Shoppers',
      doc: 'The shoppers of every merchant account.',
      columns: ['Shopper', 'Merchant account', 'Company', 'Since', 'Stored details'],
      needsParent: false,
      read: ({ after }) => store.read(async (tx) => shopperPage(await tx.query(listShoppers, firstAfter(after)))),
    },
    {
      name: detailTable,
      title: 'Stored details',
      doc: 'The active details of a shopper. Numbers are stored sealed, and are not opened here.',
      columns: ['Reference', 'Variant', 'Card or account', 'Contracts', 'Created'],
      needsParent: true,
      async read({ parent }) {
        const [company, merchantAccount, shopperReference] = parseTextList(parent, 3) ?? [];
        if (company === undefined || merchantAccount === undefined || shopperReference === undefined)
          return { rows: [] };
        const key = { company, merchantAccount, shopperReference };
        const shopper = await store.read((tx) => tx.repository(DetailReader).findShopper(key));
        return { rows: (shopper?.details ?? []).map((detail) => detailRow(key, detail)) };
      },
    },
    {
      name: permitTable,
      title: 'Permits',
      doc: 'The permits of a stored detail that are valid: not disabled, and not over.',
      columns: ['Token', 'Result key', 'Partner', 'Profile', 'Restriction', 'Valid until', 'Created'],
      needsParent: true,
      async read({ parent }) {
        const [company, merchantAccount, detail] = parseTextList(parent, 3) ?? [];
        if (company === undefined || merchantAccount === undefined || detail === undefined) return { rows: [] };
        const account = { company, merchantAccount };
        const permits = await store.read((tx) =>
          tx.repository(PermitReader).findOfDetail(account, detail, clock.now()),
        );
        return { rows: permits.map(permitRow) };
      },
    },
  ];
}

/** An empty text is before every other. */
function firstAfter(after: string | undefined) {
  const [company = '', merchantAccount = '', shopperReference = ''] = parseTextList(after, 3) ?? [];
  return [company, merchantAccount, shopperReference] as const;
}

function shopperPage(found: readonly ShopperRow[]): DataPage {
  const rows = found.map(
    ({ company, merchant_account: account, shopper_reference: reference, created_at, details }) => {
      const id = JSON.stringify([company, account, reference]);
      return {
        id,
        cells: [reference, account, company, new Date(created_at).toISOString(), String(details)],
        below: [{ table: detailTable, parent: id, title: `Stored details of ${reference}` }],
      };
    },
  );
  return { rows, ...(rows.length === pageSize && { next: rows.at(-1)!.id }) };
}

function detailRow(
  { company, merchantAccount }: ShopperKey,
  { recurringDetailReference, createdAt, contracts, publicData }: ListedDetail,
): DataRow {
  const { variant, card, tokenDetails } = publicData;
  const shown =
    card === undefined
      ? tokenDetails === undefined
        ? 'an account, sealed'
        : 'a token of a wallet'
      : `•••• ${card.number}, expires ${card.expiryMonth}/${card.expiryYear}`;
  const cells = [recurringDetailReference, variant, shown, contracts.join(', '), new Date(createdAt).toISOString()];
  const parent = JSON.stringify([company, merchantAccount, recurringDetailReference]);
  const below = [{ table: permitTable, parent, title: `Permits of ${recurringDetailReference}` }];
  return { id: recurringDetailReference, cells, below };
}

function permitRow({ token, createdAt, validTill, content }: StoredPermit): DataRow {
  const { resultKey = '', partnerId = '', profileReference = '', restriction } = content;
  const until = validTill === undefined ? 'the end of the detail' : new Date(validTill).toISOString();
  const created = new Date(createdAt).toISOString();
  const cells = [token, resultKey, partnerId, profileReference, restrictionText(restriction), until, created];
  return { id: token, cells, below: [] };
}

function restrictionText(restriction: StoredPermit['content']['restriction'] = {}): string {
  const { maxAmount, singleTransactionLimit, singleUse } = restriction;
  return [
    maxAmount && `up to ${amountText(maxAmount)} in all`,
    singleTransactionLimit && `up to ${amountText(singleTransactionLimit)} in one payment`,
    singleUse && 'one payment',
  ]
    .filter((each) => typeof each === 'string')
    .join(', ');
}

/** In minor units, as callers send it. */
function amountText({ currency, value }: Infer<typeof amount>): string {
  return `${currency} ${value}`;
}

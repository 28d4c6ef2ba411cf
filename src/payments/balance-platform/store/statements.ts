/** The SQL of the balance platform: the same statements for each kind of resource, over its own table. */

import { type RowOf, statement, type Table } from '../../../stores/index.ts';
import type { balancePlatforms } from './tables.ts';

export type PlatformRow = Omit<RowOf<typeof balancePlatforms>, 'created_at'>;

const platformColumns = 'balance_platform, company, description, status, time_zone';

export const findPlatform = statement<PlatformRow>(
  'find-balance-platform',
  `select ${platformColumns}, row_mac from balance_platform where balance_platform = $1`,
);

export const listPlatforms = statement<PlatformRow>(
  'list-balance-platforms',
  `select ${platformColumns}, row_mac from balance_platform order by company, balance_platform`,
);

/** Writes no row where the name belongs to another company. */
export const savePlatform = statement(
  'save-balance-platform',
  `insert into balance_platform (${platformColumns}, created_at, row_mac) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (balance_platform) do update
     set description = excluded.description, status = excluded.status, time_zone = excluded.time_zone,
         row_mac = excluded.row_mac
   where balance_platform.company = excluded.company`,
);

/** A resource. Only kinds with a sealed number have the last five columns, and kinds with other sealed members three of them. */
export type ResourceRow = {
  readonly balance_platform: string;
  readonly id: string;
  readonly parent_id: string;
  readonly status: string;
  readonly row_mac: string | null;
  readonly revision: number;
  readonly record: string;
  readonly number_fingerprint?: string;
  readonly key_id?: string | null;
  readonly data_key?: string | null;
  readonly sealed_number?: string | null;
  readonly sealed_payload?: string | null;
};

/** Whether a number was issued, by its fingerprint. */
export const findIssued = statement<{ readonly id: string }>(
  'find-issued-number',
  'select id from payment_instrument where number_fingerprint = $1',
);

const numberColumns = ['number_fingerprint', 'key_id', 'data_key', 'sealed_number', 'sealed_payload'] as const;
const payloadColumns = ['key_id', 'data_key', 'sealed_payload'] as const;

const numbered = (from: number, columns: readonly string[]): string =>
  columns.map((_, at) => `$${from + at}`).join(', ');

export type ResourceStatements = ReturnType<typeof resourceStatements>;

/** The statements of a kind of resource, over its table. */
export function resourceStatements(
  { name }: Table,
  { sealed, sealedPayload }: { readonly sealed?: object; readonly sealedPayload?: true },
) {
  const sealedColumns = sealed ? numberColumns : sealedPayload ? payloadColumns : [];
  const added = ['balance_platform', 'id', 'parent_id', 'status', 'revision', 'record', 'row_mac', ...sealedColumns];
  const read = added.join(', ');
  // A number never changes.
  const changed = ['parent_id', 'status', 'revision', 'record', 'row_mac', ...(sealedPayload ? payloadColumns : [])];
  const ofParent = 'balance_platform = $1 and parent_id = $2';
  /** Later than that of all others of the parent: what is added, or moved here, comes after them, so that earlier pages do not shift. */
  const next = `(select case when max(listed_at) >= now_ms() then max(listed_at) + 1 else now_ms() end from ${name}
       where balance_platform = $1 and parent_id = $3)`;
  // Skips rows in the index alone: otherwise a large offset would read every row before it.
  const page = (also: string, from: number) =>
    `select ${read} from
       (select id as page_id, listed_at as page_at from ${name} where ${ofParent}${also}
         order by listed_at, id limit $${from} offset $${from + 1}) page
       cross join ${name} where balance_platform = $1 and id = page_id
       order by page_at, page_id`;
  return Object.freeze({
    find: statement<ResourceRow>(`find-${name}`, `select ${read} from ${name} where balance_platform = $1 and id = $2`),
    /** Any resource, of any platform. */
    findAny: statement<ResourceRow>(`find-any-${name}`, `select ${read} from ${name} limit 1`),
    list: statement<ResourceRow>(`list-${name}`, page('', 3)),
    listWithStatus: statement<ResourceRow>(`list-${name}-with-status`, page(' and status = $3', 4)),
    findOpen: statement<{ readonly id: string }>(
      `find-open-${name}`,
      `select id from ${name} where ${ofParent} and status <> 'closed' order by listed_at, id limit 1`,
    ),
    /** Writes no row where the number was issued before. */
    add: statement(
      `add-${name}`,
      `insert into ${name} (${added.join(', ')}, listed_at)
       values (${numbered(1, added)}, ${next}) on conflict do nothing`,
    ),
    /** Writes no row where the stored revision is not the one before. */
    change: statement(
      `change-${name}`,
      `update ${name} set ${changed.map((column, at) => `${column} = $${3 + at}`).join(', ')},
         listed_at = case when parent_id = $3 then listed_at else ${next} end
        where balance_platform = $1 and id = $2 and revision = $${3 + changed.length}`,
    ),
  });
}

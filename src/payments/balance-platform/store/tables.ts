/** The tables of balance platforms and their resources: one for each kind, with the same columns. */
import { type ColumnsRow, column, type KeptFor, type Reindexing, type Table, table } from '../../../stores/index.ts';

const { tenant, text, integer, moment, json, dataKey, optionalDataKey, nullable } = column;

/** Balance platforms: companies have them, and their resources belong to them. */
export const balancePlatforms = table('balance_platform', {
  columns: {
    balancePlatform: tenant,
    company: text,
    description: nullable(text),
    status: text,
    timeZone: text,
    createdAt: moment,
  },
  key: ['balancePlatform'],
  signed: { columns: ['company', 'description', 'status', 'timeZone'] },
  belongsTo: 'none',
  keptFor: 'forever',
});

/** What differs between the tables of kinds. */
export interface TableOptions {
  /** Whether lists by status, and what keeps the parent from being closed, are found by an index. */
  readonly isFoundByStatus?: true;
  readonly reindexing?: Reindexing<NumberRow>;
  /** The migration that creates it. */
  readonly since?: number;
}

interface TableParts {
  readonly name: string;
  readonly table: string;
  readonly tableOptions?: TableOptions;
  readonly parent?: { readonly kind: { readonly table: Table } };
  readonly sealed?: object;
  readonly sealedPayload?: true;
}

// `listedAt` is the place in the list of the parent: the moment at which a row came there, and behind all that were there.
const columns = {
  balancePlatform: tenant,
  id: text,
  // Of the resource above, or of the platform.
  parentId: text,
  status: text,
  revision: integer,
  record: json,
  listedAt: moment,
};

/** The number of a card or an account is sealed; its fingerprint keeps it from being given out again, to anyone. */
const numberColumns = {
  numberFingerprint: text,
  ...dataKey,
  sealedNumber: nullable(text),
  sealedPayload: nullable(text),
};

/** A row of a kind with a sealed number. */
export type NumberRow = ColumnsRow<typeof columns & typeof numberColumns>;

/** The table of a kind of resource. */
export function resourceTable(parts: TableParts): Table {
  if (parts.sealed !== undefined) return numberTable(parts);
  if (parts.sealedPayload !== undefined)
    return table(parts.table, {
      ...partsOf(parts),
      columns: { ...columns, ...optionalDataKey, sealedPayload: nullable(text) },
      sealedRecord: (id) => `${parts.name} ${id}`,
    });
  return table(parts.table, { ...partsOf(parts), columns });
}

function numberTable(parts: TableParts): Table {
  return table(parts.table, {
    ...partsOf(parts),
    columns: { ...columns, ...numberColumns },
    unique: [['numberFingerprint']],
    sealedRecord: (id) => `${parts.name} ${id}`,
    ...(parts.tableOptions?.reindexing && { reindexing: parts.tableOptions.reindexing }),
  });
}

function partsOf({ parent, tableOptions }: TableParts) {
  const above = parent?.kind.table;
  const place = ['balancePlatform', 'parentId'] as const;
  return {
    key: ['balancePlatform', 'id'] as const,
    since: tableOptions?.since ?? 1,
    references:
      above === undefined
        ? [{ columns: ['balancePlatform'] as const, table: balancePlatforms }]
        : [{ columns: place, table: above }],
    indexes: {
      list: { on: [...place, 'listedAt', 'id'] as const },
      ...(above && { open: { on: [...place, 'listedAt', 'id'] as const, where: "status <> 'closed'" } }),
      ...(tableOptions?.isFoundByStatus && {
        byStatus: { on: [...place, 'status', 'listedAt', 'id'] as const },
      }),
    },
    // Not the fingerprint of a number, which a rotation of the index key changes, and which decides only whether a drawn number is
    // drawn again. Not `listedAt`, which decides only the order of lists.
    signed: { columns: ['parentId', 'status', 'revision', 'record'] as const },
    belongsTo: 'none',
    keptFor: 'forever' satisfies KeptFor,
  } as const;
}

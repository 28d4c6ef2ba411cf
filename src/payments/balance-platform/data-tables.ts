/** What the console of the demo shows of balance platforms and their resources. */
import type { DataPage, DataRow, DataTable } from '../../backend/index.ts';
import { parseTextList } from '../../core/lib/index.ts';
import type { Store } from '../../stores/index.ts';
import type { Platform } from './balance-platforms/contract.ts';
import { paymentInstruments } from './payment-instruments/kind.ts';
import type { ResourceKind, ResourceRecord } from './resource.ts';
import { resourceKinds } from './resources.ts';
import { platformOf, ResourceReader } from './store/repository.ts';
import { listPlatforms } from './store/statements.ts';

const pageSize = 50;

export function platformDataTables(store: Pick<Store, 'read'>): readonly DataTable[] {
  return [
    {
      name: 'balance-platforms',
      title: 'Balance platforms',
      doc: 'The balance platforms of every company.',
      columns: ['Platform', 'Company', 'Status', 'Description'],
      needsParent: false,
      read: () =>
        store.read(async (tx) => ({ rows: (await tx.query(listPlatforms, [])).map(platformOf).map(platformRow) })),
    },
    ...resourceKinds.map((kind) => resourceTable(kind, store)),
  ];
}

function resourceTable(kind: ResourceKind, store: Pick<Store, 'read'>): DataTable {
  return {
    name: kind.name,
    title: titleOf(kind),
    doc:
      kind.sealed === undefined ? 'Resources with their status.' : 'Cards and bank accounts. Their numbers are sealed.',
    columns: ['Id', 'Status', 'Reference', ...(kind === paymentInstruments ? ['Card'] : [])],
    needsParent: true,
    async read({ parent: selection, after }) {
      const [platform, parent] = parseTextList(selection, 2) ?? [];
      if (platform === undefined || parent === undefined) return { rows: [] };
      const offset = /^\d{1,9}$/.test(after ?? '') ? Number(after) : 0;
      const found = await store.read((tx) =>
        tx.repository(ResourceReader).listResources({ kind, platform, parent }, { offset, limit: pageSize }),
      );
      const rows = found.map(({ record }) => resourceRow(kind, platform, record));
      return { rows, ...(rows.length === pageSize && { next: String(offset + pageSize) }) } satisfies DataPage;
    },
  };
}

function platformRow({ id, company, status, description = '' }: Platform): DataRow {
  return { id, cells: [id, company, status, description], below: belowOf(undefined, id, id) };
}

function resourceRow(kind: ResourceKind, platform: string, record: ResourceRecord): DataRow {
  const { id, status, reference = '' } = record;
  const cells = [id, status, reference, ...(kind === paymentInstruments ? [cardOf(record)] : [])];
  return { id, cells, below: belowOf(kind, platform, id) };
}

/** The tables of the kinds below a resource, or below the platform. */
function belowOf(parentKind: ResourceKind | undefined, platform: string, id: string): DataRow['below'] {
  return resourceKinds
    .filter(({ parent }) => parent?.kind === parentKind)
    .map((kind) => ({ table: kind.name, parent: JSON.stringify([platform, id]), title: `${titleOf(kind)} of ${id}` }));
}

/** `Account holders`, of the kind `accountHolder`. */
function titleOf({ name }: ResourceKind): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}s`;
}

/** The number of a card is sealed; its last four digits are in the record. */
function cardOf(
  record: ResourceRecord & { readonly card?: { readonly lastFour?: string; readonly brand?: string } },
): string {
  const { card } = record;
  return card === undefined ? 'bank account' : `${card.brand ?? 'card'} •••• ${card.lastFour ?? ''}`;
}

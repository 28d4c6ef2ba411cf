/** The tables of the balance platform whose rows have a MAC: its own, and that of each kind of resource. */
import type { SignedTable } from '../../../store/sql/signed-rows.ts';
import type { ResourceKind } from '../resource.ts';
import { resourceKinds } from '../resources.ts';
import { platformColumns } from './row-macs.ts';

const key = ['balance_platform', 'id'];
const state = ['status', 'revision', 'record'];

export const signedPlatformTables: readonly SignedTable[] = [
  { name: 'balance_platform', key: ['balance_platform'], columns: platformColumns },
  ...resourceKinds.map(signedResourceTable),
];

/** The fields of `resourceFields`. */
function signedResourceTable({ table, parent }: ResourceKind): SignedTable {
  return {
    name: table,
    key,
    columns: [...key, ...(parent === undefined ? [] : [parent.column]), ...state],
    fieldsOf: (row) => [...key, parent?.column, ...state].map((column) => (column && row[column]) ?? null),
  };
}

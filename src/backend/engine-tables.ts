/** The tables of the engine. Services bring others. */
import { auditTables } from '../audit/tables.ts';
import { callerTables } from '../callers/tables.ts';
import type { TableOwner } from '../store/sql/create-tables.ts';
import { storeTables } from '../store/sql/tables.ts';
import { shadowTables } from './shadow/tables.ts';

export const engineTables: TableOwner = Object.freeze<TableOwner>({
  name: 'engine',
  tables: [...storeTables, ...callerTables, ...auditTables, ...shadowTables],
});

/** Erases a row with all that belongs to it, as the tables declare it. */
import { statement, type Value } from './sql/engine.ts';
import type { Belonging, Table } from './table.ts';
import type { Transaction } from './transaction.ts';

/** Returns how many rows of each table were erased. `key`: the key of the row. */
type Erasure = (tx: Transaction, key: readonly Value[]) => Promise<Readonly<Record<string, number>>>;

/** `tables`: in the order in which they reference each other. */
export function createErasure(root: Table, tables: readonly Table[]): Erasure {
  const conditions = new Map([[root.name, root.key.map((column, at) => `${column} = $${at + 1}`).join(' and ')]]);
  const steps = [{ counted: root.name, erase: eraseStatement(root, root, conditions.get(root.name)!) }];
  for (const table of tables) {
    const { parent } = table;
    const ofParent = parent && conditions.get(parent.table.name);
    if (parent === undefined || ofParent === undefined) continue;
    // The columns of the key have the same names in both.
    const isOfRoot = parent.table === root && parent.by === root.key;
    const condition = isOfRoot ? ofParent : conditionOf(table, parent, ofParent);
    conditions.set(table.name, condition);
    steps.unshift({ counted: parent.erasedAs ?? table.name, erase: eraseStatement(root, table, condition) });
  }
  return async (tx, key) => {
    const erased: Record<string, number> = {};
    for (const { counted, erase } of steps) erased[counted] = await tx.execute(erase, key);
    return erased;
  };
}

function eraseStatement(root: Table, { name }: Table, condition: string) {
  return statement(`erase-${name}-of-${root.name}`, `delete from ${name} where ${condition}`);
}

/** Selects the rows that belong to those of the parent that `ofParent` selects. */
function conditionOf({ name }: Table, { table: parent, by, isShared }: Belonging, ofParent: string): string {
  const columns = by.join(', ');
  const belongs = `(${columns}) in (select ${columns} from ${parent.name} where ${ofParent})`;
  if (!isShared) return belongs;
  const same = by.map((column) => `${parent.name}.${column} = ${name}.${column}`).join(' and ');
  return `${belongs} and not exists (select 1 from ${parent.name} where ${same} and not (${ofParent}))`;
}

/** `triglyph keys sign-rows`: signs rows that have no MAC, or named rows after a review. */
import type { Backend } from '../../backend/backend.ts';
import type { WrongRow } from '../../store/sql/signed-rows.ts';
import { systemUser } from '../audited-command.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';
import { describeWrong } from './verify-rows.ts';

export interface SignOptions {
  readonly unsigned?: boolean;
  /** `TABLE/TENANT/ID`, as `verify-rows` names them. */
  readonly row?: readonly string[];
  readonly dryRun?: boolean;
}

/** Of rows without a MAC, no more are held in memory. */
const shownMax = 1_000;

/** Sets exit code 1 if rows stay without a right MAC. Signs no row with a wrong MAC that is not named. */
export async function signRows({ unsigned = false, row: named = [], dryRun = false }: SignOptions): Promise<void> {
  if (unsigned === named.length > 0) throw new CommandError(['give either --unsigned or --row, which may be repeated']);
  for (const name of named)
    if (name.split('/').length < 3)
      throw new CommandError([`${name}: name a row as TABLE/TENANT/ID, as verify-rows does`]);
  const names = new Set(named);
  const isChosen = (row: WrongRow) => (unsigned ? row.isUnsigned : names.has(nameOf(row)));
  await withBackend(async (backend) => {
    if (!backend.integrity.hasKeys) throw new CommandError(['there are no keys of MACs yet: start a server once']);
    const { chosen, left } = await findChosen(backend, isChosen, unsigned ? shownMax : Number.POSITIVE_INFINITY);
    const missing = [...names].filter((name) => !chosen.first.some((row) => nameOf(row) === name));
    if (missing.length > 0)
      throw new CommandError(
        missing.map((name) => `${name}: there is no such row, or its MAC is right; nothing was signed`),
      );
    print(...linesOf(chosen));
    if (dryRun) print(`${chosen.rows} rows would be signed as they are now.`);
    else {
      await record(backend, chosen, unsigned);
      print(`${await backend.signRows(isChosen)} rows were signed as they are now.`);
    }
    if (left > 0) {
      print(`${left} other rows have a wrong or no MAC: triglyph keys verify-rows lists them.`);
      process.exitCode = 1;
    }
  });
}

/** What is signed. There may be as many rows as the store has. */
interface Chosen {
  readonly rows: number;
  readonly byTable: ReadonlyMap<string, number>;
  /** All where rows are named. */
  readonly first: readonly WrongRow[];
}

async function findChosen(
  backend: Pick<Backend, 'wrongPages'>,
  isChosen: (row: WrongRow) => boolean,
  firstMax: number,
): Promise<{ readonly chosen: Chosen; readonly left: number }> {
  const byTable = new Map<string, number>();
  const first: WrongRow[] = [];
  let [rows, left] = [0, 0];
  for await (const { wrong } of backend.wrongPages())
    for (const row of wrong) {
      if (!isChosen(row)) {
        left += 1;
        continue;
      }
      rows += 1;
      byTable.set(row.table, (byTable.get(row.table) ?? 0) + 1);
      if (first.length < firstMax) first.push(row);
    }
  return { chosen: { rows, byTable, first }, left };
}

/** Before anything is signed: each named row, and the number of unsigned ones by table. */
async function record({ audit }: Pick<Backend, 'audit'>, { byTable, first }: Chosen, unsigned: boolean): Promise<void> {
  const by = { kind: 'rowsSigned', actor: systemUser() } as const;
  const events = unsigned
    ? [...byTable].map(([table, rows]) => ({ ...by, subject: table, detail: { rows, mac: 'missing' } }))
    : first.map(({ table, tenant, id, isUnsigned }) => ({
        ...by,
        subject: `${table} ${tenant} ${id}`,
        detail: { rows: 1, mac: isUnsigned ? 'missing' : 'wrong' },
      }));
  if (events.length > 0) await audit.append(events);
}

function linesOf({ rows, first }: Chosen): readonly string[] {
  const more = rows > shownMax ? [`and ${rows - shownMax} more`] : [];
  return [...first.slice(0, shownMax).map(describeWrong), ...more];
}

function nameOf({ table, tenant, id }: WrongRow): string {
  return `${table}/${tenant}/${id}`;
}

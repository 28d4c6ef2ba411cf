/** `triglyph keys sign-rows`: signs rows that have no MAC, or named rows after a review. */
import type { Backend } from '../../app/backend.ts';
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
    const { wrong } = await backend.findWrongRows();
    const chosen = wrong.filter(isChosen);
    const missing = [...names].filter((name) => !chosen.some((row) => nameOf(row) === name));
    if (missing.length > 0)
      throw new CommandError(
        missing.map((name) => `${name}: there is no such row, or its MAC is right; nothing was signed`),
      );
    print(...linesOf(chosen));
    if (dryRun) print(`${chosen.length} rows would be signed as they are now.`);
    else {
      await record(backend, chosen, unsigned);
      print(`${await backend.signRows(isChosen)} rows were signed as they are now.`);
    }
    const left = wrong.length - chosen.length;
    if (left > 0) {
      print(`${left} other rows have a wrong or no MAC: triglyph keys verify-rows lists them.`);
      process.exitCode = 1;
    }
  });
}

/** Before anything is signed: each named row, and the number of unsigned ones by table. */
async function record({ audit }: Backend, chosen: readonly WrongRow[], unsigned: boolean): Promise<void> {
  const by = { kind: 'rowsSigned', actor: systemUser() } as const;
  const events = unsigned
    ? [...Map.groupBy(chosen, ({ table }) => table)].map(([table, rows]) => ({
        ...by,
        subject: table,
        detail: { rows: rows.length, mac: 'missing' },
      }))
    : chosen.map(({ table, tenant, id, isUnsigned }) => ({
        ...by,
        subject: `${table} ${tenant} ${id}`,
        detail: { rows: 1, mac: isUnsigned ? 'missing' : 'wrong' },
      }));
  if (events.length > 0) await audit.append(events);
}

function linesOf(rows: readonly WrongRow[]): readonly string[] {
  const more = rows.length > shownMax ? [`and ${rows.length - shownMax} more`] : [];
  return [...rows.slice(0, shownMax).map(describeWrong), ...more];
}

function nameOf({ table, tenant, id }: WrongRow): string {
  return `${table}/${tenant}/${id}`;
}

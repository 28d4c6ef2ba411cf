/** `triglyph keys verify-rows`: compares the MACs of all rows that have one. */
import type { WrongRow } from '../../store/sql/signed-rows.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

/** More are not printed: somebody has changed them all, or the keys are those of another store. */
const shownMax = 1_000;

/** Sets exit code 1 if a row is altered. Changes nothing: what was altered must not be signed. */
export function verifyRows(): Promise<void> {
  return withBackend(
    async (backend) => {
      const { rows, wrong } = await backend.findWrongRows(shownMax);
      print(
        ...wrong.map(describeWrong),
        wrong.length === 0
          ? `The MACs of ${rows} rows are right.`
          : `${wrong.length}${wrong.length === shownMax ? ' or more' : ''} rows are altered, or have no MAC yet (docs/keys.md).`,
      );
      if (wrong.length > 0) process.exitCode = 1;
    },
    { runsUnrecorded: true },
  );
}

export function describeWrong({ table, tenant, id, isUnsigned }: WrongRow): string {
  return `${table}  ${tenant}  ${id}: its MAC is ${isUnsigned ? 'missing' : 'wrong'}`;
}

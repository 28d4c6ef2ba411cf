/** `triglyph keys verify-rows`: compares the MACs of all rows that have one, and the fingerprints of all numbers. */
import type { WrongRow } from '../../store/sql/signed-rows.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

/** More are not printed: all rows were changed, or the keys are those of another store. */
const shownMax = 1_000;

/** Sets exit code 1 if a row or a fingerprint is altered. Changes nothing: what was altered must not be signed. */
export function verifyRows(): Promise<void> {
  return withBackend(
    async (backend) => {
      if (!backend.integrity.hasKeys)
        throw new CommandError(['no row has a MAC yet, so nothing was compared: start a server once']);
      const { rows, wrong } = await backend.findWrongRows(shownMax);
      print(
        ...wrong.map(describeWrong),
        wrong.length === 0
          ? `The MACs of ${rows} rows are right.`
          : `${wrong.length}${wrong.length === shownMax ? ' or more' : ''} rows are altered, or have no MAC yet (docs/keys.md).`,
      );
      const moved = await backend.indexRotation.findWrongFingerprints(shownMax);
      print(
        ...moved.map(
          ({ table, tenant, id }) => `${table}  ${tenant}  ${id}: its fingerprint is not that of its number`,
        ),
        moved.length === 0
          ? 'The fingerprints are those of the sealed numbers.'
          : `${moved.length}${moved.length === shownMax ? ' or more' : ''} rows have a wrong fingerprint: rotate the index key (docs/keys.md).`,
      );
      if (wrong.length + moved.length > 0) process.exitCode = 1;
    },
    { runsUnrecorded: true },
  );
}

export function describeWrong({ table, tenant, id, isUnsigned }: WrongRow): string {
  return `${table}  ${tenant}  ${id}: its MAC is ${isUnsigned ? 'missing' : 'wrong'}`;
}

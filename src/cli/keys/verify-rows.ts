/** `triglyph keys verify-rows`: compares the MACs of all rows that have one. */
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

/** More are not printed: somebody has changed them all, or the keys are those of another store. */
const shownMax = 1_000;

/** Sets exit code 1 if a row is altered. Changes nothing: what was altered must not be signed. */
export function verifyRows(): Promise<void> {
  return withBackend(
    async (backend) => {
      const { rows, altered } = await backend.findAlteredRows(shownMax);
      print(
        ...altered.map(({ table, tenant, id }) => `${table}  ${tenant}  ${id}: its MAC is wrong or missing`),
        altered.length === 0
          ? `The MACs of ${rows} details, and of all credentials and webhook endpoints are right.`
          : `${altered.length}${altered.length === shownMax ? ' or more' : ''} rows are altered, or have no MAC yet (docs/keys.md).`,
      );
      if (altered.length > 0) process.exitCode = 1;
    },
    { runsUnrecorded: true },
  );
}

/** `triglyph audit verify`: verifies the chain, and compares it with a copy. */
import { type CopyComparison, compareCopy } from '../../audit/copy/compare.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

/** Sets exit code 1 where the log is not what was recorded, and where a copy has no entry. */
export async function verify({ copy, json }: { readonly copy?: string; readonly json?: boolean }): Promise<void> {
  const { verified, comparison } = await withBackend(
    async ({ auditLog }) => ({
      verified: await auditLog.verify(),
      comparison: copy === undefined ? undefined : await compareCopy(copy, auditLog),
    }),
    { runsUnrecorded: true },
  );
  if (verified === undefined && comparison === undefined)
    throw new CommandError(['nothing was recorded in this store']);
  const { entries = 0, faults = [] } = verified ?? {};
  const isWhole = faults.length === 0 && (comparison?.faults.length ?? 0) === 0;
  if (!isWhole || (comparison !== undefined && isEmpty(comparison))) process.exitCode = 1;
  if (json) {
    print(JSON.stringify({ whole: isWhole, entries, faults, copy: comparison }));
    return;
  }
  print(
    ...faults.map(({ sequence, message }) => `entry ${sequence}: ${message}`),
    ...(comparison === undefined ? [] : copyLines(comparison)),
    faults.length === 0 ? `${entries} entries are as they were recorded.` : 'The audit log was tampered with.',
  );
}

const isEmpty = ({ compared, older, faults }: CopyComparison) => compared + older + faults.length === 0;

function copyLines(comparison: CopyComparison): readonly string[] {
  const { compared, older, unreadable, faults } = comparison;
  return [
    ...faults.map(({ sequence, message }) => `entry ${sequence}: ${message}`),
    ...(isEmpty(comparison) ? ['The copy has no entry, so nothing was compared: name a file of AUDIT_LOG.'] : []),
    `${compared} entries of the copy are in the log${older > 0 ? `, and ${older} are older than its first` : ''}.`,
    ...(unreadable > 0 ? [`${unreadable} lines of the copy are no entries.`] : []),
  ];
}

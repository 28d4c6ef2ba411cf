/** `triglyph audit`: shows the audit log, and verifies that nothing of it was changed or removed. */
import type { Command } from 'commander';
import { type CopyComparison, compareCopy, formatEntry } from '../../access/index.ts';
import type { Output } from '../../core/contract/index.ts';
import { formatSecond } from '../../core/lib/index.ts';
import { listAuditEntries, perform, verifyAuditLog } from '../../operators/index.ts';
import { CommandError } from './command-error.ts';
import { addOperation, linesOf, withOperator } from './operator-command.ts';
import { print } from './output.ts';

export function add(program: Command): void {
  const audit = program.command('audit').description('shows and verifies the audit log');
  addOperation(audit, 'show', listAuditEntries, {
    doc: 'prints entries of the audit log, oldest first',
    flags: { before: null, since: '--since <moment>', until: '--until <moment>', max: '--max <entries>' },
    defaults: { max: '100' },
    example: 'triglyph audit show --since 24h --kind loginRefused',
    access: { runsUnrecorded: true },
    jsonLines: ({ entries }) => entries.toReversed().map(formatEntry),
    text: ({ entries }) => linesOf(entries.toReversed(), partsOf, 'There is no such entry.'),
  });
  audit
    .command('verify')
    .option('--copy <file>', 'compares the entries with a copy that AUDIT_LOG has made')
    .option('--json', 'prints JSON')
    .description('verifies that no entry was changed, added, removed or reordered; exit code 1 where one was')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph audit verify --copy /var/log/triglyph/audit.jsonl\n\n' +
        'A whole store that was set back to an earlier state verifies. A copy elsewhere shows that entries are gone.',
    )
    .action(verify);
  audit.addHelpText('after', '\nExample:\n  triglyph audit verify');
}

type Entry = Output<typeof listAuditEntries>['entries'][number];

function partsOf({ sequence, recordedAt, kind, actorType, actor, subject, detail }: Entry): readonly string[] {
  const members = Object.entries(JSON.parse(detail) as object).map(([name, value]) => `${name}=${value}`);
  return [String(sequence), formatSecond(recordedAt), kind, `${actorType} ${actor}`, subject, ...members];
}

/** Sets exit code 1 where the log is not what was recorded, and where a copy has no entry. */
async function verify({ copy, json }: { readonly copy?: string; readonly json?: boolean }): Promise<void> {
  const { verified, comparison } = await withOperator(
    async (context) => ({
      verified: await perform(verifyAuditLog, {}, context),
      comparison: copy === undefined ? undefined : await compareCopy(copy, context.backend.auditLog),
    }),
    { runsUnrecorded: true },
  );
  const { entries, faults, isEmpty: hasNothing } = verified;
  if (hasNothing && comparison === undefined) throw new CommandError(['nothing was recorded in this store']);
  const isWhole = faults.length === 0 && (comparison?.faults.length ?? 0) === 0;
  if (!isWhole || (comparison !== undefined && isEmpty(comparison))) process.exitCode = 1;
  if (json) print(JSON.stringify({ whole: isWhole, entries, faults, copy: comparison }));
  else
    print(
      ...faults.map(lineOf),
      ...(comparison === undefined ? [] : copyLines(comparison)),
      faults.length === 0 ? `${entries} entries are as they were recorded.` : 'The audit log was tampered with.',
    );
}

const isEmpty = ({ compared, older, faults }: CopyComparison) => compared + older + faults.length === 0;

const lineOf = ({ sequence, message }: { readonly sequence: number; readonly message: string }) =>
  `entry ${sequence}: ${message}`;

function copyLines(comparison: CopyComparison): readonly string[] {
  const { compared, older, unreadable, faults } = comparison;
  return [
    ...faults.map(lineOf),
    ...(isEmpty(comparison) ? ['The copy has no entry, so nothing was compared: name a file of AUDIT_LOG.'] : []),
    `${compared} entries of the copy are in the log${older > 0 ? `, and ${older} are older than its first` : ''}.`,
    ...(unreadable > 0 ? [`${unreadable} lines of the copy are no entries.`] : []),
  ];
}

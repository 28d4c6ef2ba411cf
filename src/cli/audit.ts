/** `triglyph audit`: shows the audit log, and verifies that nothing of it was changed or removed. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { auditKinds } from '../audit/audit-event.ts';
import type { AuditEntry } from '../audit/chain.ts';
import { formatEntry } from '../audit/copy/copy.ts';
import { parseCount, parseMoment } from './audit/filters.ts';
import { formatSecond, print, printAll } from './output.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  const audit = program.command('audit').description('shows and verifies the audit log');
  audit
    .command('show')
    .option(
      '--since <moment>',
      'a date, a time such as 2026-11-22T09:00Z, or a time span such as 24h or 7d',
      parseMoment,
    )
    .option('--until <moment>', 'the same; entries before it', parseMoment)
    .addOption(new Option('--kind <kind>', 'what happened').choices(auditKinds))
    .option('--actor <name>', 'the id of a credential, or a user of the system')
    .option('--subject <text>', 'what it happened to, such as the id of a credential')
    .option('--max <entries>', 'the newest so many', parseCount, 100)
    .option('--json', 'prints JSON, one entry in a line')
    .description('prints entries of the audit log, oldest first')
    .addHelpText('after', '\nExample:\n  triglyph audit show --since 24h --kind loginRefused')
    .action(show);
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
    .action(async (options: { readonly copy?: string; readonly json?: boolean }) =>
      (await import('./audit/verify.ts')).verify(options),
    );
  audit.addHelpText('after', '\nExample:\n  triglyph audit verify');
}

interface ShowOptions {
  readonly since?: number;
  readonly until?: number;
  readonly kind?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly max: number;
  readonly json?: boolean;
}

async function show({ json, ...filter }: ShowOptions): Promise<void> {
  const entries = await withBackend(({ auditLog }) => auditLog.list(filter), { runsUnrecorded: true });
  if (json) printAll(entries.map(formatEntry));
  else if (entries.length === 0) print('There is no such entry.');
  else printAll(entries.map(formatLine));
}

function formatLine({ sequence, recordedAt, kind, actorType, actor, subject, detail }: AuditEntry): string {
  const members = Object.entries(JSON.parse(detail) as object).map(([name, value]) => `${name}=${value}`);
  return [sequence, formatSecond(recordedAt), kind, `${actorType} ${actor}`, subject, ...members].join('  ');
}

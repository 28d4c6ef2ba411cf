/** `triglyph backup`: copies the embedded store to a file while servers run. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { AuditTrail } from '../../access/index.ts';
import { storeAddress } from '../../backend/index.ts';
import { type BackupSummary, backUpSqlite } from '../../stores/sqlite/index.ts';
import { systemUser } from './audited-command.ts';
import { CommandError } from './command-error.ts';
import { type Progress, showProgress } from './import/progress.ts';
import { print } from './output.ts';
import { readProjectConfig } from './project.ts';
import { requireDatabase, withBackend } from './with-backend.ts';

export function add(program: Command): void {
  program
    .command('backup')
    .argument('<file>', 'the file to write; an existing one is left alone')
    .description('copies the embedded store to a file while servers run, and checks the copy')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph backup /srv/backups/triglyph-2026-11-22.db\n\n' +
        'The file has the rows as of the start of the command. It does not have the keys: keep a copy of the key file elsewhere.\n' +
        'PostgreSQL has programs of its own for this: see docs/backup.md.',
    )
    .action(backUp);
}

async function backUp(file: string): Promise<void> {
  const startedAt = performance.now();
  const dataDir = embeddedDataDir('backup');
  // A store that takes no writes, such as on a full disk, needs a backup all the same.
  const { bytes } = await withBackend(({ audit }) => copyStore(dataDir, file, audit), { runsUnrecorded: true });
  const seconds = (performance.now() - startedAt) / 1000;
  print(
    `${file}: the store of ${dataDir}, ${(bytes / 1e6).toFixed(1)} MB, checked (${seconds.toFixed(1)} s).`,
    'It can only be read with the key file, which is not in it: keep a copy of that apart from the backups.',
  );
}

async function copyStore(dataDir: string, file: string, audit: AuditTrail): Promise<BackupSummary> {
  let progress: Progress | undefined;
  const summary = await backUpSqlite(dataDir, file, (done, pages) => {
    progress ??= showProgress(pages);
    progress.update(done, `${done} of ${pages} pages`);
  }).finally(() => progress?.stop());
  const detail = { file: basename(file), bytes: summary.bytes };
  audit.record({ kind: 'export', actor: systemUser(), subject: 'backup', detail });
  return summary;
}

/** Throws a CommandError where the store is PostgreSQL; `instead` is what to do there. */
export function embeddedDataDir(
  command: string,
  instead = 'use pg_dump, or a base backup and archived WAL (docs/backup.md)',
): string {
  const config = readProjectConfig('production');
  requireDatabase(config);
  const address = storeAddress(config);
  if (address.kind === 'sqlite') return address.dataDir;
  throw new CommandError([`\`triglyph ${command}\` is for the embedded store: ${instead}`]);
}

/** `triglyph restore`: puts a backup in the place of the embedded store. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { keyFileFaults, openBackend } from '../../backend/index.ts';
import type { Config } from '../../config/index.ts';
import { formatSecond } from '../../core/lib/index.ts';
import { restoreSqlite } from '../../stores/sqlite/index.ts';
import { commandEvent, systemUser } from './audited-command.ts';
import { embeddedDataDir } from './backup.ts';
import { fail } from './command-error.ts';
import { print } from './output.ts';
import { projectServices, readProjectConfig } from './project.ts';

export function add(program: Command): void {
  program
    .command('restore')
    .argument('<file>', 'a file of `triglyph backup`')
    .description('puts a backup in the place of the embedded store, and keeps the earlier one; no server may run')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph restore /srv/backups/triglyph-2026-11-22.db\n\n' +
        'Refuses a damaged file, one of a newer release, and one that the key file does not open. What was done after the\n' +
        'backup is lost: retries of such requests are executed anew.',
    )
    .action(restore);
}

async function restore(file: string): Promise<void> {
  const dataDir = embeddedDataDir('restore');
  const config = readProjectConfig('production');
  if (config.keyFile !== undefined) fail(keyFileFaults(config.keyFile));
  let lastKeyedRequest: number | undefined;
  const { earlier } = await restoreSqlite(dataDir, file, async (stagedDir) => {
    lastKeyedRequest = await prepare({ ...config, dataDir: stagedDir }, basename(file));
  });
  print(
    `${dataDir}: restored from ${file}.${earlier === undefined ? '' : ` The earlier store is in ${earlier}.`}`,
    lastKeyedRequest === undefined
      ? 'It has no idempotency record: a retry of an earlier request is executed anew.'
      : `Its last request with an Idempotency-Key was at ${formatSecond(lastKeyedRequest)} UTC. A retry of a later one is executed anew.`,
    'Webhooks and checks that were done after the backup are done again. Start the server: triglyph serve',
  );
}

/** Migrates the store as a server does, and checks that the keys open it. Returns the time of its last keyed request. */
async function prepare(config: Config, file: string): Promise<number | undefined> {
  const actor = systemUser();
  const backend = await openBackend(config, { exclusive: true, actor, acceptsClock: true }, projectServices());
  try {
    // The log goes back to the time of the backup, and says so.
    const command = commandEvent();
    const restored = { kind: 'import', actor, subject: 'backup', detail: { file } } as const;
    await backend.audit.append([...(command ? [command] : []), restored]);
    return await backend.inspection.findNewestRecord();
  } finally {
    await backend.close();
  }
}

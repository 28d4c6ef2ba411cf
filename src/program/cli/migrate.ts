/** `triglyph migrate`: creates the tables of a new store, or brings those of an older release to this one. */
import type { Command } from 'commander';
import { describeStore, openStore, ownersOf, storeAddress } from '../../backend/index.ts';
import { migrate } from '../../stores/index.ts';
import { print } from './output.ts';
import { projectServices, readProjectConfig } from './project.ts';
import { recordInStore, reportUnrecorded } from './record-command.ts';
import { explainStoreErrors, requireDatabase } from './with-backend.ts';

export function add(program: Command): void {
  program
    .command('migrate')
    .description('creates the store, or migrates it to this release; needs no keys')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL_FILE=/etc/triglyph/owner-url triglyph migrate\n\n' +
        'Servers migrate when they start. After `migrate`, they need no right to change tables. Other commands change no schema.',
    )
    .action(migrateStore);
}

async function migrateStore(): Promise<void> {
  const config = readProjectConfig('production');
  requireDatabase(config);
  const address = storeAddress(config);
  const place = describeStore(address);
  const engine = await openStore(address, { exclusive: false, create: true });
  try {
    const applied = await explainStoreErrors(
      () => migrate(engine, ownersOf(projectServices())),
      () => [
        `The store is ${place}. All missing migrations are applied together, or none.`,
        'Run `triglyph migrate` again when it answers: it applies what is missing.',
      ],
    );
    if (applied.length > 0) print(`${place}: applied ${applied.join(', ')}.`);
    else print(`${place}: nothing to do.`);
  } finally {
    await engine.close();
  }
  await record();
}

/** An old schema may have no audit log, so the command is recorded after its effect. The role of a migration may lack the keys. */
async function record(): Promise<void> {
  await recordInStore().catch(reportUnrecorded);
}

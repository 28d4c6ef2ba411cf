/** `triglyph migrate`: brings the store to the tables of this program, as serving does when it may. */
import type { Command } from 'commander';
import { readConfig, readVariables } from '../app/config.ts';
import { describeStore, openStore, storeAddress } from '../app/open-store.ts';
import { migrate } from '../store/sql/migrate.ts';
import { migrations } from '../store/sql/migrations/index.ts';
import { print } from './output.ts';

const run = async (): Promise<void> => {
  const address = storeAddress(readConfig('production', readVariables()));
  const engine = await openStore(address, { exclusive: false, create: true });
  try {
    const landed = await migrate(engine);
    const place = describeStore(address);
    const said =
      landed.length === 0
        ? `${place}: nothing to do, it is at migration ${migrations.length} (${migrations.at(-1)?.name}).`
        : `${place}: landed ${landed.join(', ')}.`;
    print(said);
  } finally {
    await engine.close();
  }
};

export const add = (program: Command): void => {
  program
    .command('migrate')
    .description('brings the store of the configuration to the tables of this program; needs no keys')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL_FILE=/etc/triglyph/owner-url triglyph migrate\n\n' +
        'Servers do the same when they start; after it they need no right to change tables.',
    )
    .action(run);
};

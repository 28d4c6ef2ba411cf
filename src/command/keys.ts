/** `triglyph keys`: makes the key file that the store's secrets are sealed under. */
import type { Command } from 'commander';
import { createKeyFile } from '../vault/key-ring.ts';

export const add = (program: Command): void => {
  const keys = program.command('keys').description('the keys that card data and credentials are kept under');
  keys
    .command('create')
    .argument('<file>', 'where to write it; a file that is there is left alone')
    .description('makes a key file with fresh keys, readable by its owner alone')
    .addHelpText('after', '\nExample:\n  triglyph keys create /etc/triglyph/keys')
    .action((file: string) => {
      createKeyFile(file);
      process.stdout.write(
        `${file}: made. Name it in KEY_FILE, and keep a copy apart from the data: without it no card can be read again.\n`,
      );
    });
  keys.addHelpText('after', '\nExample:\n  triglyph keys create /etc/triglyph/keys');
};

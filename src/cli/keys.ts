/** `triglyph keys`: makes and changes the key file, and moves what is stored from one wrapping key to another. */
import type { Command } from 'commander';
import { addWrappingKey, useWrappingKey } from '../vault/key-file.ts';
import { createKeyFile } from '../vault/key-ring.ts';
import { print } from './output.ts';

const create = (file: string): void => {
  createKeyFile(file);
  print(
    `${file}: made. Name it in KEY_FILE, and keep a copy apart from the data: without it no card can be read again.`,
  );
};

const addKey = (file: string, { standby = false }: { readonly standby?: boolean }): void => {
  const { id, earlier } = addWrappingKey(file, { standby });
  const copy = 'Keep a copy of the file apart from the data.';
  if (standby)
    print(
      `${file}: ${id} stands by, ${earlier} is the current key. ${copy}`,
      `1. Restart every server, one after the other (SIGHUP to a primary with workers), so that all know ${id}.`,
      `2. triglyph keys use ${file} ${id}`,
    );
  else
    print(
      `${file}: ${id} is the current key, ${earlier} and older ones stay. ${copy}`,
      `1. Restart the server, so that it knows ${id}.`,
      '2. triglyph keys rotate',
      `Where several processes serve, take a step back before that, triglyph keys use ${file} ${earlier}, and restart each of`,
      `them: one that does not know ${id} cannot read what another one seals with it. keys add --standby does so at once.`,
    );
};

const use = (file: string, id: string): void => {
  useWrappingKey(file, id);
  print(
    `${file}: ${id} is the current key.`,
    '1. Restart every server, one after the other (SIGHUP to a primary with workers).',
    '2. triglyph keys rotate',
  );
};

export const add = (program: Command): void => {
  const keys = program.command('keys').description('the keys that card data and credentials are kept under');
  keys
    .command('create')
    .argument('<file>', 'where to write it; a file that is there is left alone')
    .description('makes a key file with fresh keys, readable by its owner alone')
    .addHelpText('after', '\nExample:\n  triglyph keys create /etc/triglyph/keys')
    .action(create);
  keys
    .command('add')
    .argument('<file>', 'the key file')
    .option('--standby', 'behind the others: known to servers, and not sealed with until `keys use` names it')
    .description('adds a fresh wrapping key and makes it the current one; the old ones stay')
    .addHelpText('after', '\nExample:\n  triglyph keys add --standby /etc/triglyph/keys')
    .action(addKey);
  keys
    .command('use')
    .argument('<file>', 'the key file')
    .argument('<keyId>', 'a wrapping key in it')
    .description('makes a wrapping key the current one')
    .addHelpText('after', '\nExample:\n  triglyph keys use /etc/triglyph/keys k-1f2e3d4c')
    .action(use);
  keys
    .command('rotate')
    .description(
      'moves all that is sealed to the current wrapping key, beside running servers; interrupted, it goes on',
    )
    .addHelpText(
      'after',
      '\nExample:\n  triglyph keys rotate\n\n' +
        'Every server must know the current key before. No card number is opened: only the wrapping changes.',
    )
    .action(async () => (await import('./keys/rotate.ts')).run());
  keys
    .command('status')
    .description('counts what is sealed under each wrapping key')
    .addHelpText('after', '\nExample:\n  triglyph keys status')
    .action(async () => (await import('./keys/rotate.ts')).status());
  keys.addHelpText('after', '\nExample:\n  triglyph keys create /etc/triglyph/keys');
};

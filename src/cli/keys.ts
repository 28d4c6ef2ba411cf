/** `triglyph keys`: creates and changes the key file, and moves stored data from one wrapping key to another. */
import type { Command } from 'commander';
import { addWrappingKey, useWrappingKey } from '../vault/key-file.ts';
import { createKeyFile } from '../vault/key-ring.ts';
import { print } from './output.ts';

export function add(program: Command): void {
  const keys = program.command('keys').description('manages the encryption keys of card data and credentials');
  keys
    .command('create')
    .argument('<file>', 'the file to write; an existing one is left alone')
    .description('creates a key file with new keys that only its owner can read')
    .addHelpText('after', '\nExample:\n  triglyph keys create /etc/triglyph/keys')
    .action(createFile);
  keys
    .command('add')
    .argument('<file>', 'the key file')
    .option('--standby', 'adds it after the others: servers know it, and encrypt with it after `keys use`')
    .description('adds a new wrapping key as the current one; the others stay')
    .addHelpText('after', '\nExample:\n  triglyph keys add --standby /etc/triglyph/keys')
    .action(addKey);
  keys
    .command('use')
    .argument('<file>', 'the key file')
    .argument('<keyId>', 'a wrapping key in it')
    .description('makes a wrapping key the current one')
    .addHelpText('after', '\nExample:\n  triglyph keys use /etc/triglyph/keys k-1f2e3d4c')
    .action(useKey);
  keys
    .command('rotate')
    .description('moves all stored data to the current wrapping key while servers run; resumes after an interruption')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph keys rotate\n\n' +
        'Every server must know the current key before. No card number is decrypted: only the wrapping of its data key changes.',
    )
    .action(async () => (await import('./keys/rotate.ts')).rotateKeys());
  keys
    .command('status')
    .description('counts the stored rows under each wrapping key')
    .addHelpText('after', '\nExample:\n  triglyph keys status')
    .action(async () => (await import('./keys/rotate.ts')).printKeyStatus());
  keys.addHelpText('after', '\nExample:\n  triglyph keys create /etc/triglyph/keys');
}

function createFile(file: string): void {
  createKeyFile(file);
  print(
    `${file}: created. Name it in KEY_FILE, and keep a copy apart from the data: without it no card can be read again.`,
  );
}

function addKey(file: string, { standby = false }: { readonly standby?: boolean }): void {
  const { id, earlier } = addWrappingKey(file, { standby });
  const copy = 'Keep a copy of the file apart from the data.';
  if (standby)
    print(
      `${file}: ${id} is on standby, ${earlier} is the current key. ${copy}`,
      `1. Restart every server, one after the other (SIGHUP to a primary with workers), so that all know ${id}.`,
      `2. triglyph keys use ${file} ${id}`,
    );
  else
    print(
      `${file}: ${id} is the current key, ${earlier} and older ones stay. ${copy}`,
      `1. Restart the server, so that it knows ${id}.`,
      '2. triglyph keys rotate',
      `With several processes, undo this step first: triglyph keys use ${file} ${earlier}. Then restart each of them, since a`,
      `process that does not know ${id} cannot read what another one encrypts with it. keys add --standby avoids this.`,
    );
}

function useKey(file: string, id: string): void {
  useWrappingKey(file, id);
  print(
    `${file}: ${id} is the current key.`,
    '1. Restart every server, one after the other (SIGHUP to a primary with workers).',
    '2. triglyph keys rotate',
  );
}

/** `triglyph keys`: creates and changes the key file, and moves stored data from one wrapping key to another. */

import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { readKeyProvider } from '../backend/key-provider.ts';
import { addPurposeKey, addWrappingKey, replaceKeys, usePurposeKey, useWrappingKey } from '../vault/key-file.ts';
import { isClear, type Purpose, parseKeyLines } from '../vault/key-lines.ts';
import { clearKeys } from '../vault/key-provider.ts';
import { createKeyFile, keyFileText } from '../vault/key-ring.ts';
import { CommandError } from './command-error.ts';
import { recordKey } from './keys/record.ts';
import type { SignOptions } from './keys/sign-rows.ts';
import { print } from './output.ts';
import { projectSources } from './project.ts';

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
    .option('--standby', 'servers know it, and use it after `keys use`')
    .addOption(new Option('--index', 'a new index key instead of a wrapping key').conflicts('pepper'))
    .option('--pepper', 'a new pepper instead of a wrapping key')
    .description('adds a new key as the current one; the others stay')
    .addHelpText('after', '\nExample:\n  triglyph keys add --standby /etc/triglyph/keys')
    .action(addKey);
  keys
    .command('use')
    .argument('<file>', 'the key file')
    .argument('<keyId>', 'a wrapping key in it, or `index` or `pepper` for the one on standby')
    .description('makes a key the current one')
    .addHelpText('after', '\nExample:\n  triglyph keys use /etc/triglyph/keys k-1f2e3d4c')
    .action(useKey);
  keys
    .command('wrap')
    .argument('<file>', 'the key file')
    .description('wraps the keys of a file with the newest version of the key at KMS_URL, those in the clear too')
    .addHelpText('after', '\nExample:\n  triglyph keys wrap /etc/triglyph/keys')
    .action(wrapFile);
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
  keys
    .command('verify-rows')
    .description('compares the MACs and the fingerprints of all rows that have one, and lists the altered rows')
    .addHelpText('after', '\nExample:\n  triglyph keys verify-rows')
    .action(async () => (await import('./keys/verify-rows.ts')).verifyRows());
  keys
    .command('sign-rows')
    .option('--unsigned', 'the rows that have no MAC, as after the restore of a backup from before the MACs')
    .option('--row <table/tenant/id...>', 'a row that you have reviewed, even if its MAC is wrong')
    .option('--dry-run', 'lists the rows, and signs nothing')
    .description('signs rows as they are now; servers may be running')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph keys sign-rows --unsigned --dry-run\n  triglyph keys sign-rows --row webhook_endpoint/Acme/we_Fx0uT4mQ9a1s\n\n' +
        'A signed row decides and is shown again: review it before (docs/keys.md).',
    )
    .action(async (options: SignOptions) => (await import('./keys/sign-rows.ts')).signRows(options));
  keys.addHelpText('after', '\nExample:\n  triglyph keys create /etc/triglyph/keys');
}

interface AddOptions {
  readonly standby?: boolean;
  readonly index?: boolean;
  readonly pepper?: boolean;
}

async function createFile(file: string): Promise<void> {
  const provider = readKeyProvider(projectSources());
  const keys = [await provider.create(), await provider.create(), await provider.create()] as const;
  createKeyFile(file, keyFileText(...keys));
  print(
    `${file}: created. Name it in KEY_FILE, and keep a copy apart from the data: without it nothing sealed can be read again.`,
  );
}

async function addKey(file: string, { standby = false, index, pepper }: AddOptions): Promise<void> {
  const key = await readKeyProvider(projectSources()).create();
  if (index || pepper) {
    const purpose = index ? 'index' : 'pepper';
    addOther(file, purpose, standby, key);
    await recordKey('keyMade', purpose, { standby });
    return;
  }
  const { id, earlier } = addWrappingKey(file, { standby, key });
  await recordKey('keyMade', id, { standby });
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

function addOther(file: string, purpose: Purpose, standby: boolean, key: string): void {
  addPurposeKey(file, purpose, { standby, key });
  const copy = 'Keep a copy of the file apart from the data.';
  if (standby)
    print(
      `${file}: a new key ${purpose} is on standby. ${copy}`,
      '1. Restart every server, one after the other (SIGHUP to a primary with workers), so that all know it.',
      `2. triglyph keys use ${file} ${purpose}`,
    );
  else
    print(
      `${file}: a new key ${purpose} is the current one, and the one before is ${purpose}-old. ${copy}`,
      '1. Restart the server. Several servers must all know a key before one uses it: keys add --standby.',
      lastStep(purpose),
    );
}

/** Hashes of secrets move when the secrets are used. */
function lastStep(id: string): string {
  return id === 'pepper'
    ? '2. triglyph keys status: it lists the credentials that still need pepper-old'
    : '2. triglyph keys rotate';
}

async function wrapFile(file: string): Promise<void> {
  const provider = readKeyProvider(projectSources());
  if (provider === clearKeys)
    throw new CommandError([
      'KMS_URL is not set: set it to the address of the key management service that wraps the keys',
    ]);
  const lines = parseKeyLines(readFileSync(file, 'utf8'));
  const record = () => recordKey('keyRotated', 'KMS_URL', { state: 'wrapped' });
  // With KMS_URL, keys in the clear open no audit log until they are wrapped.
  const hasClear = lines.some(({ key }) => isClear(key));
  if (!hasClear) await record();
  const keys = new Map<string, string>();
  for (const { id, key } of lines) keys.set(id, await provider.renew(key));
  replaceKeys(file, keys);
  if (hasClear) await record();
  print(
    `${file}: ${keys.size} keys are wrapped by the newest version of the key. Earlier copies of the file stay readable.`,
  );
}

async function useKey(file: string, id: string): Promise<void> {
  await recordKey('keyRotated', id, { state: 'current' });
  if (id === 'index' || id === 'pepper') usePurposeKey(file, id);
  else useWrappingKey(file, id);
  print(
    `${file}: ${id} is the current key.`,
    '1. Restart every server, one after the other (SIGHUP to a primary with workers).',
    lastStep(id),
  );
}

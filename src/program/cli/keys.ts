/** `triglyph keys`: creates and changes the key file, and moves stored data from one wrapping key to another. */

import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { AuditDetail } from '../../access/index.ts';
import { readKeyProvider } from '../../backend/index.ts';
import type { Output } from '../../core/contract/index.ts';
import {
  addPurposeKey,
  addWrappingKey,
  clearKeys,
  createKeyFile,
  isClear,
  keyFileText,
  type Purpose,
  parseKeyLines,
  replaceKeys,
  usePurposeKey,
  useWrappingKey,
} from '../../core/vault/index.ts';
import { listKeys, rotateKeys, shownMax, signRows, verifyRows } from '../../operators/index.ts';
import { StoreUnavailable } from '../../stores/index.ts';
import { systemUser } from './audited-command.ts';
import { CommandError } from './command-error.ts';
import { addOperation } from './operator-command.ts';
import { print } from './output.ts';
import { projectSources } from './project.ts';
import { recordInStore, reportUnrecorded } from './record-command.ts';

export function add(program: Command): void {
  const keys = program.command('keys').description('manages the encryption keys of stored data and credentials');
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
  addOperation(keys, 'rotate', rotateKeys, {
    doc: 'moves all stored data to the current wrapping key while servers run; resumes after an interruption',
    example:
      'Example:\n  triglyph keys rotate\n\n' +
      'Every server must know the current key before. No stored secret is decrypted: only the wrapping of its data key changes.',
    failed: ({ left, fingerprints }) => left > 0 || (fingerprints?.unopened ?? 0) > 0,
    json: (rotation) => rotation,
    text: rotationLines,
  });
  addOperation(keys, 'status', listKeys, {
    doc: 'counts the stored rows under each wrapping key',
    flags: { countRows: null },
    input: () => ({ countRows: true }),
    example: 'triglyph keys status',
    access: { runsUnrecorded: true },
    failed: ({ keys: listed }) => listed.some(({ state }) => state === 'missing'),
    json: ({ keys: listed }) => listed,
    text: ({ keys: listed }) => keyLines(listed),
  });
  addOperation(keys, 'verify-rows', verifyRows, {
    doc: 'compares the MACs and the fingerprints of all rows that have one, and lists the altered rows',
    example: 'triglyph keys verify-rows',
    access: { runsUnrecorded: true },
    failed: ({ altered, wrongFingerprints }) => altered.length + wrongFingerprints.length > 0,
    json: (verification) => verification,
    text: ({ rows, altered, wrongFingerprints: wrong }) => [
      ...altered.map(describeRow),
      altered.length === 0
        ? `The MACs of ${rows} rows are right.`
        : `${countOf(altered)} rows are altered, or have no MAC yet (docs/keys.md).`,
      ...wrong.map(({ table, tenant, id }) => `${table}  ${tenant}  ${id}: its fingerprint is not that of its number`),
      wrong.length === 0
        ? 'The fingerprints are those of the sealed numbers.'
        : `${countOf(wrong)} rows have a wrong fingerprint: rotate the index key (docs/keys.md).`,
    ],
  });
  addOperation(keys, 'sign-rows', signRows, {
    doc: 'signs rows as they are now; servers may be running',
    flags: { row: '--row <table/tenant/id...>' },
    example:
      'Example:\n  triglyph keys sign-rows --unsigned --dry-run\n  triglyph keys sign-rows --row webhook_endpoint/Acme/we_Fx0uT4mQ9a1s\n\n' +
      'A signed row decides and is shown again: review it before (docs/keys.md).',
    failed: ({ left }) => left > 0,
    json: (outcome) => outcome,
    text: ({ rows, chosen, signed, left }) => [
      ...rows.map(describeRow),
      ...(chosen > rows.length ? [`and ${chosen - rows.length} more`] : []),
      signed === undefined
        ? `${chosen} rows would be signed as they are now.`
        : `${signed} rows were signed as they are now.`,
      ...(left > 0 ? [`${left} other rows have a wrong or no MAC: triglyph keys verify-rows lists them.`] : []),
    ],
  });
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

/**
 * Records a change of the key file in the audit log of the configured store. A key file may be made before there is a store, and
 * changed where none can be reached. The first use of a key by a server is recorded in any case.
 */
async function recordKey(kind: 'keyMade' | 'keyRotated', id: string, detail: AuditDetail): Promise<void> {
  try {
    await recordInStore({ kind, actor: systemUser(), subject: id, detail });
  } catch (thrown) {
    // Settings without a store, or a folder that has none yet.
    if (!(thrown instanceof StoreUnavailable)) return;
    reportUnrecorded(thrown);
  }
}

type Rotation = Output<typeof rotateKeys>;
type Key = Rotation['keys'][number];

function rotationLines({ moved, left, unopened, firstUnopened, fingerprints, keys }: Rotation): readonly string[] {
  const [current] = keys;
  const unknown = keys.filter(({ state }) => state === 'missing').reduce((sum, { rows = 0 }) => sum + rows, 0);
  return [
    ...firstUnopened.map(
      ({ tenant, record }) =>
        `${tenant} ${record}: its data key does not open; it was changed, or moved from elsewhere`,
    ),
    ...(unopened > firstUnopened.length ? [`and ${unopened - firstUnopened.length} more of the same kind`] : []),
    ...(left - unknown > unopened
      ? [`A server still encrypts with an old key: make all of them use ${current?.id}, then rotate again.`]
      : []),
    `${moved} rows were moved to ${current?.id}.`,
    ...keyLines(keys.filter(({ kind }) => kind === 'wrapping')),
    ...(fingerprints === undefined
      ? []
      : [
          ...fingerprints.firstUnopened.map(
            ({ tenant, record }) => `${tenant} ${record}: it does not open, so its fingerprint stays`,
          ),
          `${fingerprints.changed} records have fingerprints under the current index key.`,
        ]),
    ...keyLines(keys.filter(({ kind }) => kind !== 'wrapping')),
  ];
}

/** A line for each wrapping key, the current one first, and what needs a second index key or pepper. */
function keyLines(keys: readonly Key[]): readonly string[] {
  const wrapping = keys.filter(({ kind }) => kind === 'wrapping');
  const width = Math.max(...wrapping.map(({ id }) => id.length));
  const rowsWidth = Math.max(...wrapping.map(({ rows = 0 }) => String(rows).length));
  return [
    ...wrapping.map(
      (key) => `${key.id.padEnd(width)}  ${String(key.rows ?? 0).padStart(rowsWidth)} rows  ${stateOf(key)}`,
    ),
    ...keys.flatMap((key) => (key.kind === 'wrapping' || key.state === 'current' ? [] : otherLines(key))),
  ];
}

function stateOf({ state, rows = 0 }: Key): string {
  if (state === 'current') return 'current';
  if (state === 'missing') return 'not in the key file: add its line again';
  return rows > 0
    ? 'old: triglyph keys rotate moves its rows'
    : 'unused: only older backups need it, so its line may be removed';
}

/** What still needs the second index key or pepper. */
function otherLines({ id, kind, state, rows = 0, until, credentials = [] }: Key): readonly string[] {
  if (state === 'next') return [`${id}  on standby: triglyph keys use FILE ${kind}, when every server knows it`];
  if (kind === 'index')
    return rows === 0
      ? [`${id}  needed by no idempotency record: its line may be removed after keys rotate`]
      : [
          `${id}  needed by ${rows} idempotency records, until ${until === undefined ? 'they are settled' : new Date(until).toISOString()}`,
        ];
  if (rows === 0) return [`${id}  needed by no credential: its line may be removed`];
  return [
    `${id}  needed by ${rows} credentials, until each is used, rotated or revoked:`,
    ...credentials.map((each) => `  ${each}`),
    ...(rows > credentials.length ? [`  and ${rows - credentials.length} more`] : []),
  ];
}

function describeRow({ table, tenant, id, isUnsigned }: Output<typeof verifyRows>['altered'][number]): string {
  return `${table}  ${tenant}  ${id}: its MAC is ${isUnsigned ? 'missing' : 'wrong'}`;
}

function countOf(rows: readonly unknown[]): string {
  return `${rows.length}${rows.length === shownMax ? ' or more' : ''}`;
}

/** The demo's data folder: its mark, its key file, and its removal. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoMark } from '../../../backend/index.ts';
import { createKeyFile } from '../../../core/vault/index.ts';
import { takeServingLock } from '../../../stores/sqlite/index.ts';
import { fail } from '../command-error.ts';
import { print } from '../output.ts';
import { certificateFile, certificateKeyFile } from './certificate.ts';

const keyFile = 'keys';

/** Marks the folder: `serve` refuses the demo's data, and the demo refuses any other. */
export function claimFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const mark = join(dataDir, demoMark);
  if (existsSync(mark)) return;
  if (readdirSync(dataDir).length > 0)
    fail([`DATA_DIR ${dataDir} holds something that is not the demo's: name an empty or missing folder.`]);
  writeFileSync(mark, 'The data of a demo, whose credentials are public. `triglyph demo --fresh` deletes it.\n');
}

/** Deletes the data of an earlier demo. Files that are not its own stay, and so do keys that a variable names. */
export function clearFolder(dataDir: string, { hasOwnKeys }: { readonly hasOwnKeys: boolean }): void {
  if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) return;
  if (!existsSync(join(dataDir, demoMark)))
    fail([`DATA_DIR ${dataDir} has no mark of the demo: --fresh deletes nothing else.`]);
  // Fails while another process serves from the folder.
  const release = takeServingLock(dataDir);
  const database = ['', '-wal', '-shm'].map((end) => `triglyph.db${end}`);
  // The mark stays: a folder that is cleared by half is still the demo's.
  for (const name of [...database, ...(hasOwnKeys ? [keyFile] : []), certificateFile, certificateKeyFile])
    rmSync(join(dataDir, name), { force: true });
  release();
}

/** Returns the key file of the demo, and creates a missing one. */
export function findKeyFile(dataDir: string): string {
  const file = join(dataDir, keyFile);
  if (!existsSync(file)) {
    createKeyFile(file);
    print(`Created the key file ${file}. In production, keep keys apart from the data.`);
  }
  return file;
}

/** The key file that a gateway without settings for keys creates next to its data. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyFile } from '../core/vault/index.ts';

/** Returns the name of the file if there is one. */
export function keyFileIn(dataDir: string): string | undefined {
  const file = join(dataDir, 'keys');
  return existsSync(file) ? file : undefined;
}

/** Returns the file `keys` in the folder. Creates the two where they are missing. */
export function keyFileOfFolder(dataDir: string): string {
  const file = join(dataDir, 'keys');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    createKeyFile(file);
  }
  return file;
}

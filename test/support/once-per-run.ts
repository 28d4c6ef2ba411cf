/** Prepares a folder once for all test files of a run. */
import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export const runFolderVariable = 'TEST_RUN_FOLDER';

/** Creates the folder of a run, and removes it when the process ends. */
export function createRunFolder(): string {
  const folder = createTempFolder();
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let ownFolder: string | undefined;

/** Jest's global set-up has created one; a program without Jest has its own. */
function findRunFolder(): string {
  ownFolder ??= process.env[runFolderVariable] ?? createRunFolder();
  return ownFolder;
}

/** Reserves a name until the end of the run. Returns false where another caller has it, also in another process. */
export function reserveForRun(name: string): boolean {
  return createLock(join(findRunFolder(), name));
}

/** Returns the folder of this name, which the first caller of the run prepares. */
export async function preparedOncePerRun(name: string, prepare: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(findRunFolder(), name);
  const lock = `${folder}.lock`;
  while (!existsSync(folder)) {
    if (createLock(lock)) {
      try {
        if (!existsSync(folder)) await prepareFolder(folder, prepare);
      } finally {
        rmdirSync(lock);
      }
    }
    // Another worker prepares it; where that fails, this one does.
    await until(`${name} to be prepared`, () => existsSync(folder) || !existsSync(lock));
  }
  return folder;
}

function createLock(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The folder has its name once it is complete. */
async function prepareFolder(folder: string, prepare: (folder: string) => Promise<void>): Promise<void> {
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part);
  await prepare(part);
  renameSync(part, folder);
}

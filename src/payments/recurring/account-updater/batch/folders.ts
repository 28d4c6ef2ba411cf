/** The folders for request and response files; the files hold card numbers in the clear. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Folders {
  /** Request files, for the updater to fetch. */
  readonly requests: string;
  /** Response files to be read. */
  readonly answers: string;
  /** Response files that were read, each with a report of its refused rows. */
  readonly done: string;
}

/** Creates missing folders, accessible to the serving user only. */
export function openFolders(folder: string): Folders {
  const folders = { requests: join(folder, 'requests'), answers: join(folder, 'answers'), done: join(folder, 'done') };
  for (const each of Object.values(folders)) mkdirSync(each, { recursive: true, mode: 0o700 });
  return folders;
}

/** Complete files only: a file is written under another ending, or with a leading dot, and then renamed. */
export function responseFiles({ answers }: Folders): readonly string[] {
  return readdirSync(answers)
    .filter((name) => /^[^.].*\.(jsonl|csv)$/i.test(name))
    .sort();
}

/** The folders that files of checks and of answers go through; they hold card numbers in the clear. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Folders {
  /** Files of checks, to be fetched. */
  readonly requests: string;
  /** Files of answers, to be read. */
  readonly answers: string;
  /** Files of answers that were read, each with a report of the rows that were refused. */
  readonly done: string;
}

/** Makes them where they are not there, for nobody but the user who serves. */
export const openFolders = (folder: string): Folders => {
  const folders = { requests: join(folder, 'requests'), answers: join(folder, 'answers'), done: join(folder, 'done') };
  for (const each of Object.values(folders)) mkdirSync(each, { recursive: true, mode: 0o700 });
  return folders;
};

/** Whole files only: a file is dropped under another ending, or with a dot in front, and renamed when it is complete. */
export const answerFiles = ({ answers }: Folders): readonly string[] =>
  readdirSync(answers)
    .filter((name) => /^[^.].*\.(jsonl|csv)$/i.test(name))
    .sort();

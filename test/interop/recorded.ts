/**
 * Replays what the clients have called against another commit: the calls of the stacks were recorded, and the same requests, sent to a
 * fresh demo of that commit in their order, have the same answers.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { triglyph } from '../support/commands.ts';
import { startServer } from '../support/server.ts';

const root = join(import.meta.dirname, '../..');

/** The credential of the demo that the clients use. */
const demoCredential = { username: 'ws@Company.Demo', secret: 'demo-password' };

/** What differs between two servers that answer the same: references that they make, and times. */
const rules = {
  mapId: ['**.recurringDetailReference', '**.alias', '**.rechargeReference', '**.firstPspReference'],
  ignore: ['**.pspReference'],
  within: { '**.creationDate': '1 d' },
};

/** The settings of a demo whose requests are recorded, all of them, with their sensitive members sealed. */
export const recordingVariables = (folder: string) => ({
  RECORD: join(folder, 'recorded'),
  RECORD_SHARE: '100',
  RECORD_SENSITIVE: 'sealed',
});

export interface Replayed {
  readonly compared: number;
  readonly different: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  readonly differences: readonly unknown[];
}

/** `folder`: of the demo that has recorded, with its keys. `commit`: such as `HEAD~1`. The checkout is removed afterwards. */
export async function replayAgainst(commit: string, folder: string): Promise<Replayed> {
  const checkout = join(folder, 'checkout');
  const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: root, stdio: 'pipe' });
  git('worktree', 'add', '--detach', checkout, commit);
  try {
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    const place = join(folder, 'before');
    mkdirSync(place);
    const before = await startServer('demo', place, {}, { file: join(checkout, 'src/program/main.ts') });
    try {
      writeFileSync(join(folder, 'rules.json'), JSON.stringify(rules));
      writeFileSync(join(folder, 'secret'), demoCredential.secret);
      const { stdout, stderr } = await triglyph(
        [
          ...['replay', 'recorded', '--against', before.callers, '--format', 'as-recorded', '--writes', '--fresh-keys'],
          ...['--username', demoCredential.username, '--secret-file', 'secret', '--rate', '500'],
          ...['--rules', 'rules.json', '--json'],
        ],
        folder,
        { DATA_DIR: join(folder, 'data'), KEY_FILE: join(folder, 'data/keys') },
      );
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Replayed;
    } finally {
      await before.stop();
    }
  } finally {
    git('worktree', 'remove', '--force', checkout);
  }
}

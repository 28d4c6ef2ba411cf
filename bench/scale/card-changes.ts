/** Measures the import of many announced card changes: its memory against an idle server, and a kill -9 in the middle. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { appendLuhnDigit } from '../../src/core/contract/check-digits.ts';
import { prepareProduction } from '../../test/support/server.ts';
import { memoryBytesOrNone } from '../server.ts';
import { serveAt } from './stores.ts';

const program = fileURLToPath(new URL('../../bin/triglyph.mjs', import.meta.url));
const sampleEveryMs = 20;
const idleMs = 2_000;

/** Replaces every other card, and renews the rest. */
const writeChanges = (path: string, rows: number): void => {
  const file = openSync(path, 'w');
  for (let n = 0; n < rows; n += 1) {
    const number = appendLuhnDigit(`411111${String(n).padStart(9, '0')}`);
    const newNumber = n % 2 === 0 ? appendLuhnDigit(`411112${String(n).padStart(9, '0')}`) : undefined;
    const row = { merchantAccount: 'AcmeWeb', number, newNumber, newExpiryMonth: '8', newExpiryYear: '2034' };
    writeSync(file, `${JSON.stringify(row)}\n`);
  }
  closeSync(file);
};

interface ImportRun {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
  /** The maximal resident memory in the first and in the last third of the run, in bytes. */
  readonly early: number;
  readonly late: number;
}

/** `shouldKill`: kills the import as soon as it returns true. */
const runImport = async (
  file: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
  shouldKill: () => boolean,
): Promise<ImportRun> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, 'updates', 'import', file], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...variables },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const samples: number[] = [];
  let killed = false;
  const watch = setInterval(() => {
    samples.push(memoryBytesOrNone(child.pid!, 'VmRSS'));
    if (!killed && shouldKill()) killed = child.kill('SIGKILL');
  }, sampleEveryMs);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  const third = Math.ceil(samples.length / 3);
  return {
    code: code as number | null,
    output,
    seconds: (performance.now() - startedAt) / 1000,
    early: Math.max(...samples.slice(0, third)),
    late: Math.max(...samples.slice(-third)),
  };
};

export interface Imported {
  readonly rows: number;
  /** Of the complete import. */
  readonly seconds: number;
  readonly idleServerBytes: number;
  readonly early: number;
  readonly late: number;
  /** Rows in the store when the import was killed. */
  readonly killedAt: number;
  /** The output of the second run. */
  readonly resumed: string;
  /** Rows in the store after the second run. */
  readonly rowsAfterResume: number;
}

/** Imports into SQLite: once completely, and once with a kill -9 in the middle. */
export const measureImport = async (folder: string, rows: number): Promise<Imported> => {
  const file = join(folder, 'changes.jsonl');
  writeChanges(file, rows);
  const { variables } = await prepareProduction(folder);
  const countAt = (dataDir: string): number => {
    try {
      const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
      const { changes } = database.prepare('select count(*) as changes from announced_change').get() as {
        changes: number;
      };
      database.close();
      return changes;
    } catch {
      return 0;
    }
  };
  const served = await serveAt('serve', { engine: 'SQLite', shoppers: 0, variables }, folder);
  await sleep(idleMs);
  const idleServerBytes = served.server.rssBytes();
  await served.server.stop();

  const whole = await runImport(file, folder, variables, () => false);
  if (whole.code !== 0 || countAt(variables.DATA_DIR!) !== rows) throw new Error(`the import failed: ${whole.output}`);

  const second = join(folder, 'second');
  mkdirSync(second);
  const { variables: others } = await prepareProduction(second);
  const killed = await runImport(file, folder, others, () => countAt(others.DATA_DIR!) > rows / 3);
  if (killed.code !== null) throw new Error('the import was not killed in the middle');
  const killedAt = countAt(others.DATA_DIR!);
  const resumed = await runImport(file, folder, others, () => false);
  if (resumed.code !== 0) throw new Error(`the import was not resumed: ${resumed.output}`);
  return {
    rows,
    seconds: whole.seconds,
    idleServerBytes,
    early: whole.early,
    late: whole.late,
    killedAt,
    resumed: resumed.output.trim(),
    rowsAfterResume: countAt(others.DATA_DIR!),
  };
};

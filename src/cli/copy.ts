/** `triglyph copy`: everything from one store to another; interrupted at any point it goes on where it was. */
import type { Command } from 'commander';
import { readVariables, type Variables } from '../app/config.ts';
import { describeStore, openStore, type StoreAddress } from '../app/open-store.ts';
import { settings } from '../app/settings.ts';
import { copyStore, type Sums } from '../store/sql/copy.ts';
import { compareSchema } from '../store/sql/migrate.ts';
import { CommandError } from './command-error.ts';
import { type Progress, showProgress } from './import/progress.ts';
import { print } from './output.ts';

interface Ends {
  readonly from: string;
  readonly to: string;
}

/** One statement at a time, and another beside it. */
const poolMax = 2;

/** The text is never shown: it may hold a password. */
const addressOf = (option: string, given: string, env: Variables): StoreAddress => {
  const name = /^env:(\w+)$/.exec(given)?.[1];
  const text = name === undefined ? given : (env[name]?.trim() ?? '');
  const dataDir = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (dataDir !== undefined) return { kind: 'sqlite', dataDir };
  const url = settings.databaseUrl.parse(text);
  if ('value' in url && url.value !== undefined) return { kind: 'postgres', url: url.value, poolMax };
  throw new CommandError([
    `${option}${name === undefined ? '' : ` names ${name}, which`} is no store: give sqlite:<folder>, postgres://user:password@host:5432/database, or env:NAME for a variable that holds one`,
  ]);
};

const summary = (sums: Sums, source: string, target: string, seconds: number): string => {
  const width = Math.max(...sums.map(({ name }) => name.length));
  const count = Math.max(...sums.map(({ rows }) => String(rows).length));
  const lines = sums.map(
    ({ name, rows, checksum }) => `${name.padEnd(width)}  ${String(rows).padStart(count)} rows  ${checksum}`,
  );
  const total = sums.reduce((sum, { rows }) => sum + rows, 0);
  return [
    ...lines,
    `Copied ${total} rows from ${source} to ${target} and found them the same in both (${seconds.toFixed(1)} s).`,
    'They open with the same key file as before.',
  ].join('\n');
};

const copy = async (source: StoreAddress, target: StoreAddress): Promise<Sums> => {
  let progress: Progress | undefined;
  const from = await openStore(source, { exclusive: true, create: false });
  try {
    await compareSchema(from);
    const to = await openStore(target, { exclusive: true, create: true });
    try {
      return await copyStore(from, to, {
        begun: (total) => {
          progress = showProgress(total);
        },
        moved: (done, doing, table) => progress?.update(done, `${table} ${doing}`),
      });
    } finally {
      await to.close();
    }
  } finally {
    progress?.stop();
    await from.close();
  }
};

const run = async ({ from, to }: Ends): Promise<void> => {
  const env = readVariables();
  const source = addressOf('--from', from, env);
  const target = addressOf('--to', to, env);
  const startedAt = performance.now();
  const sums = await copy(source, target);
  const seconds = (performance.now() - startedAt) / 1000;
  print(summary(sums, describeStore(source), describeStore(target), seconds));
};

export const add = (program: Command): void => {
  program
    .command('copy')
    .requiredOption('--from <store>', 'sqlite:<folder>, a postgres:// URL, or env:NAME for a variable that holds one')
    .requiredOption('--to <store>', 'an empty store, in the same forms; a folder comes to be')
    .description('copies everything to another store and compares the two; interrupted, it goes on where it was')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph copy --from sqlite:./data --to env:DATABASE_URL\n\n' +
        'Stop the servers first. It refuses a folder that is served from, and a target that holds rows of its own.',
    )
    .action(run);
};

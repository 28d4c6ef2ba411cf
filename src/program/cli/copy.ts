/** `triglyph copy`: copies everything from one store to another, and resumes after an interruption. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describeStore, openStore, ownersOf, type StoreAddress } from '../../backend/index.ts';
import { type Config, settings, type Variables } from '../../config/index.ts';
import { builtInServices } from '../../payments/index.ts';
import { compareSchema, copyStore, isHalfCopied, type Sums } from '../../stores/index.ts';
import { systemUser } from './audited-command.ts';
import { CommandError } from './command-error.ts';
import { type Progress, showProgress } from './import/progress.ts';
import { print } from './output.ts';
import { checkProject, projectServices, projectSources } from './project.ts';
import { recordInStore } from './record-command.ts';
import { explainStoreErrors } from './with-backend.ts';

export function add(program: Command): void {
  program
    .command('copy')
    .requiredOption('--from <store>', 'sqlite:<folder>, a postgres:// URL, or env:NAME for a variable that holds one')
    .requiredOption('--to <store>', 'an empty store, in the same forms; a missing folder is created')
    .description('copies everything to another store and compares both; resumes after an interruption')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph copy --from sqlite:./data --to env:DATABASE_URL\n\n' +
        'Stop the servers first. A folder that a server uses is refused, and so is a target with other rows.',
    )
    .action(runCopy);
}

async function runCopy({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  checkProject();
  const { variables } = projectSources();
  const source = parseStore('--from', from, variables);
  const target = parseStore('--to', to, variables);
  if (placeOf(source) === placeOf(target))
    throw new CommandError(['--from and --to name the same store: name an empty one in --to']);
  const startedAt = performance.now();
  await recordCopy(source, target);
  const sums = await copy(source, target);
  const seconds = (performance.now() - startedAt) / 1000;
  print(...summaryLines(sums, describeStore(source), describeStore(target), seconds));
}

async function copy(source: StoreAddress, target: StoreAddress): Promise<Sums> {
  let state = 'Nothing was copied in this run.';
  return explainStoreErrors(
    () =>
      copyWithProgress(source, target, (text) => {
        state = text;
      }),
    () => [
      `The copy goes from ${describeStore(source)} to ${describeStore(target)}. ${state}`,
      'Run the same command again when both answer: it goes on there.',
    ],
  );
}

/** `report` gets a sentence about what is done. */
async function copyWithProgress(
  source: StoreAddress,
  target: StoreAddress,
  report: (text: string) => void,
): Promise<Sums> {
  let progress: Progress | undefined;
  let total = 0;
  const from = await openStore(source, { exclusive: true, create: false });
  try {
    // Before the target is created.
    await compareSchema(from, ownersOf(builtInServices));
    const to = await openStore(target, { exclusive: true, create: true });
    try {
      return await copyStore(from, to, ownersOf(projectServices()), {
        begun: (rows) => {
          total = rows;
          progress = showProgress(total);
        },
        moved: (done, doing, table) => {
          progress?.update(done, `${table} ${doing}`);
          report(`${done} of ${total} steps are done: each row is copied, then compared.`);
        },
      });
    } finally {
      await to.close();
    }
  } finally {
    progress?.stop();
    await from.close();
  }
}

const placeOf = (store: StoreAddress) => (store.kind === 'sqlite' ? resolve(store.dataDir) : describeStore(store));

/** One connection for statements, and one for a read within a transaction. */
const poolMax = 2;

/** Error messages leave out the text, which may hold a password. */
function parseStore(option: string, argument: string, variables: Variables): StoreAddress {
  const name = /^env:(\w+)$/.exec(argument)?.[1];
  const text = name === undefined ? argument : (variables[name]?.trim() ?? '');
  const dataDir = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (dataDir !== undefined) return { kind: 'sqlite', dataDir };
  const url = settings.databaseUrl.parse(text);
  if ('value' in url && url.value !== undefined) return { kind: 'postgres', url: url.value, poolMax };
  throw new CommandError([
    `${option}${name === undefined ? '' : ` names ${name}, which`} is no store: give sqlite:<folder>, postgres://user:password@host:5432/database, or env:NAME for a variable that holds one`,
  ]);
}

function summaryLines(sums: Sums, source: string, target: string, seconds: number): readonly string[] {
  const width = Math.max(...sums.map(({ name }) => name.length));
  const countWidth = Math.max(...sums.map(({ rows }) => String(rows).length));
  const total = sums.reduce((sum, { rows }) => sum + rows, 0);
  return [
    ...sums.map(
      ({ name, rows, checksum }) => `${name.padEnd(width)}  ${String(rows).padStart(countWidth)} rows  ${checksum}`,
    ),
    `Copied ${total} rows from ${source} to ${target} and compared them (${seconds.toFixed(1)} s).`,
    'The target needs the same key file.',
  ];
}

/** A copy needs no keys, and no other settings. Without keys nothing can be added to the log. */
async function recordCopy(source: StoreAddress, target: StoreAddress): Promise<void> {
  // What an interrupted copy has copied already must stay as it is.
  if (await hasBegun(target)) return;
  const detail = { from: describeStore(source), to: describeStore(target) };
  await recordInStore({ kind: 'export', actor: systemUser(), subject: 'store', detail }, addressOf(source));
}

async function hasBegun(target: StoreAddress): Promise<boolean> {
  try {
    const engine = await openStore(target, { exclusive: false, create: false });
    try {
      return await isHalfCopied(engine);
    } finally {
      await engine.close();
    }
  } catch {
    // There is no target yet, or no tables in it. The copy says what else is wrong.
    return false;
  }
}

function addressOf(store: StoreAddress): Pick<Config, 'dataDir' | 'databaseUrl'> | Pick<Config, 'databaseUrl'> {
  switch (store.kind) {
    case 'sqlite':
      return { dataDir: store.dataDir, databaseUrl: undefined };
    case 'postgres':
      return { databaseUrl: store.url };
    default:
      return store satisfies never;
  }
}

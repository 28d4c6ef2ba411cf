/** `triglyph demo`: a server with data to play with, on this machine alone, and three calls to copy. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Backend, openBackend } from '../app/backend.ts';
import { type Config, readConfig, readVariables } from '../app/config.ts';
import { describeStore, storeAddress } from '../app/open-store.ts';
import { demoMark, productionFaults } from '../app/production-checks.ts';
import { type RunningServer, startServer } from '../app/server.ts';
import { ResourceReader } from '../services/balance-platform/store/repository.ts';
import { createKeyFile } from '../vault/key-ring.ts';
import { fail } from './command-error.ts';
import { calls } from './demo/calls.ts';
import { demoAccounts, demoPlatform } from './demo/published.ts';
import { seed } from './demo/seed.ts';
import { handleOutputError, print } from './output.ts';
import { linesOf, treeOf } from './platform.ts';
import { untilStopped } from './until-stopped.ts';

/** Marks the folder as the demo's, so that no production server ever serves it, nor the demo what is not its own. */
const claimFolder = (dataDir: string): void => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const mark = join(dataDir, demoMark);
  if (existsSync(mark)) return;
  fail(
    readdirSync(dataDir).length === 0
      ? []
      : [`DATA_DIR ${dataDir} holds something that is not the demo's: name a folder that is empty or not there.`],
  );
  writeFileSync(mark, 'The data of a demo, with credentials that everyone knows. Delete the folder to start afresh.\n');
};

/** The demo's own key file, made where it is not there yet. */
const keyFileIn = (dataDir: string): string => {
  const file = join(dataDir, 'keys');
  if (!existsSync(file)) {
    createKeyFile(file);
    print(`Made the key file ${file}; a real installation keeps its keys away from the data.`);
  }
  return file;
};

const prepare = (): Config => {
  const given = readVariables();
  const config = readConfig('demo', given);
  // Everything that is wrong is said before a folder is made or touched.
  fail(productionFaults(config));
  claimFolder(config.dataDir);
  return config.keys === undefined ? readConfig('demo', { ...given, KEY_FILE: keyFileIn(config.dataDir) }) : config;
};

/** A folder is marked as the demo's; a database is the demo's where nobody else has an account in it. */
const claimDatabase = async ({ registry }: Backend, config: Config): Promise<void> => {
  if (config.databaseUrl === undefined) return;
  const own = new Set(demoAccounts.map(({ code }) => code));
  const others = (await registry.listMerchantAccounts()).filter(({ code }) => !own.has(code));
  fail(
    others.length === 0
      ? []
      : [
          `DATABASE_URL holds accounts that are not the demo's (${describeStore(storeAddress(config))}): name an empty database.`,
        ],
  );
};

const fill = async (room: Backend, config: Config): Promise<void> => {
  await claimDatabase(room, config);
  const { demoShoppers } = config;
  const startedAt = performance.now();
  const added = await seed(room, demoShoppers);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (added > 0) print(`Added ${added} generated shoppers with three cards each, in ${seconds} s.`);
};

/** The resources of one parent that the demo tells of when it starts. */
const shownMax = 3;

const introduce = async (
  { callers, admin, protocols }: RunningServer,
  { store: details }: Backend,
  config: Config,
): Promise<void> => {
  for (const [script, call] of calls(protocols, callers)) print(`\n# ${script}\n${call}`);
  const tree = await details.read((tx) => treeOf(demoPlatform.id, tx.repository(ResourceReader), shownMax));
  print(`\nOn the balance platform ${demoPlatform.id}, at ${callers}/bcl/v2:\n${linesOf(tree).join('\n')}`);
  print(`
WSDL     ${callers}/pal/servlet/Recurring/v25?wsdl
OpenAPI  ${callers}/openapi.json and ${callers}/bcl/openapi.json
Admin    ${admin}/readyz and ${admin}/metrics
Data     ${describeStore(storeAddress(config))}

The demo is ready: callers at ${callers}, admin at ${admin}. Ctrl-C stops it. Requests are logged below.`);
};

const run = async (): Promise<void> => {
  const config = prepare();
  const room = await openBackend(config, { exclusive: true });
  const running = await (async () => {
    await fill(room, config);
    return startServer(config, room, { onLogError: handleOutputError });
  })().catch(async (thrown) => {
    await room.close();
    throw thrown;
  });
  // Listened for before it is said: who waits for the line may send a signal at once.
  const stopped = untilStopped(running);
  await introduce(running, room, config);
  await stopped;
};

export const add = (program: Command): void => {
  program
    .command('demo')
    .description('serves data to play with on this machine alone, and prints three calls to copy')
    .addHelpText(
      'after',
      '\nExample:\n  DEMO_SHOPPERS=1000 triglyph demo\n\nThe data is in ./data/demo, or in DATA_DIR; delete the folder to start afresh. With DATABASE_URL it is there.',
    )
    .action(run);
};

/** `triglyph serve`: production. No data of its own, no credentials that anyone knows, no unsafe configuration. */
import type { Command } from 'commander';
import { startServer } from '../compose.ts';
import { type Config, environment, readConfig } from '../config.ts';
import { unsafe } from '../safety.ts';
import { openStrongroom, type Strongroom } from '../strongroom.ts';
import { refuse } from './explain.ts';
import { storeFaults } from './store-faults.ts';
import { untilStopped } from './until-stopped.ts';

const openSafely = async (config: Config): Promise<Strongroom> => {
  refuse([...unsafe(config), ...(await storeFaults(config))]);
  return openStrongroom(config, { exclusive: true });
};

const run = async (): Promise<void> => {
  const config = readConfig('production', environment());
  const room = await openSafely(config);
  const running = await startServer(config, room).catch(async (thrown) => {
    await room.close();
    throw thrown;
  });
  const { callers, admin } = running;
  const time = new Date().toISOString();
  process.stdout.write(`${JSON.stringify({ level: 'info', time, msg: 'ready', callers, admin })}\n`);
  await untilStopped(running);
};

export const add = (program: Command): void => {
  program
    .command('serve')
    .description('serves callers; refuses to start on an unsafe configuration and says how to mend it')
    .addHelpText('after', '\nExample:\n  KEY_FILE=/etc/triglyph/keys DATA_DIR=/var/lib/triglyph triglyph serve')
    .action(run);
};

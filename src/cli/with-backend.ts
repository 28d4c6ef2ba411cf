/** Work on the store beside a server: opened, done, closed, whatever happens. */

import { type Backend, openBackend } from '../app/backend.ts';
import { type Config, readConfig, readVariables } from '../app/config.ts';

/** Throws ConfigError, KeyRingError, StoreUnavailable, and what `work` throws. */
export const withBackend = async <T>(work: (room: Backend, config: Config) => Promise<T>): Promise<T> => {
  const config = readConfig('production', readVariables());
  const room = await openBackend(config, { exclusive: false });
  try {
    return await work(room, config);
  } finally {
    await room.close();
  }
};

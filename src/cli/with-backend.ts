/** Opens the backend of the configuration for one command. Servers may be running. */
import { type Backend, openBackend } from '../app/backend.ts';
import type { Config } from '../app/config.ts';
import { ownServices, readProjectConfig } from './project.ts';

/** Throws ConfigError, KeyRingError, StoreUnavailable, and errors of `work`. */
export async function withBackend<T>(work: (backend: Backend, config: Config) => Promise<T>): Promise<T> {
  const config = readProjectConfig('production');
  const backend = await openBackend(config, { exclusive: false }, ownServices());
  try {
    return await work(backend, config);
  } finally {
    await backend.close();
  }
}

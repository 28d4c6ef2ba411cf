/** The strongroom: what is kept and the keys to it, opened for a server or for a command beside one. */
import type { Config } from './config.ts';
import type { World } from './domain/handler.ts';
import type { Credentials } from './gateway/ports.ts';
import { createRegistry, type Registry } from './store/sql/credential-registry.ts';
import { createCredentials } from './store/sql/credentials.ts';
import { createDetailStore, type DetailStore } from './store/sql/details.ts';
import { migrate } from './store/sql/migrate.ts';
import { openSqlite } from './store/sqlite/open.ts';
import { type KeyRing, KeyRingError, parseKeyRing } from './vault/key-ring.ts';
import { createVault } from './vault/vault.ts';
import { clock } from './world/clock.ts';
import { references } from './world/references.ts';

export interface Strongroom {
  readonly details: DetailStore;
  readonly credentials: Credentials;
  readonly registry: Registry;
  readonly world: World;
  close(): Promise<void>;
}

/** The keys that the configuration names. Throws KeyRingError, also where it names none. */
export const keysOf = ({ keys }: Pick<Config, 'keys'>): KeyRing => {
  if (keys === undefined) throw new KeyRingError('there are no keys: name a key file in KEY_FILE');
  return parseKeyRing(keys);
};

/**
 * Opens the store, brings it up to date and puts the keys to it. `exclusive`: to serve; refused while another process does.
 * Throws StoreUnavailable, KeyRingError, or a plain error where another process serves.
 */
export const openStrongroom = async (
  config: Config,
  { exclusive, keys = keysOf(config) }: { readonly exclusive: boolean; readonly keys?: KeyRing },
): Promise<Strongroom> => {
  const engine = openSqlite({ dataDir: config.dataDir, exclusive });
  try {
    await migrate(engine);
  } catch (thrown) {
    await engine.close();
    throw thrown;
  }
  return Object.freeze({
    details: createDetailStore(engine),
    credentials: createCredentials(engine, keys.pepper, clock),
    registry: createRegistry(engine, keys.pepper, clock),
    world: Object.freeze({ clock, references, vault: createVault(keys) }),
    close: () => engine.close(),
  });
};

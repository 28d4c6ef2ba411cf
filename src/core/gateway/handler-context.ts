/** What the engine gives every handler. */
import type { Clock, IdGenerator } from '../lib/index.ts';
import type { Vault } from '../vault/index.ts';

/** A service brings its own dependencies when it is composed. */
export interface HandlerContext {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly vault: Vault;
}

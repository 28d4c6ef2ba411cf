/** What the functions of the balance platform share over one store. */
import type { ServiceParts } from '../../backend/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import type { PlatformRegistry } from './store/registry.ts';

export interface PlatformParts extends Pick<ServiceParts, 'store'> {
  readonly vault: Vault;
  readonly registry: PlatformRegistry;
}

/** What the functions of the balance platform share over one store. */
import type { ServiceParts } from '../../backend/define-service.ts';
import type { Vault } from '../../core/vault/ports.ts';
import type { PlatformRegistry } from './store/registry.ts';

export interface PlatformParts extends Pick<ServiceParts, 'store'> {
  readonly vault: Vault;
  readonly registry: PlatformRegistry;
}

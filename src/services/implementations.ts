/** Every service with its handlers; each brings its own dependencies. */
import type { Implementation } from '../gateway/implement.ts';
import { implementBalancePlatform } from './balance-platform/implementation.ts';
import type { Updater } from './recurring/account-updater/updater.ts';
import { implementRecurring } from './recurring/implementation.ts';

export function implementServices(dependencies: { readonly updater: Updater }): readonly Implementation[] {
  return [implementRecurring(dependencies), implementBalancePlatform()];
}

/** The balance platform with its handlers. */
import type { Implementation, OperationHandlers } from '../../gateway/implement.ts';
import { balancePlatformHandlers } from './balance-platforms/index.ts';
import { resources } from './resources.ts';
import { balancePlatformV2 } from './v2.ts';

export function implementBalancePlatform(): Implementation {
  const handlers: readonly OperationHandlers[] = [balancePlatformHandlers, ...resources.map((each) => each.handlers)];
  return Object.freeze({
    service: balancePlatformV2,
    handlers: new Map(handlers.flatMap((each) => [...each])),
    olderVersions: [],
  });
}

/** The balance platform. */
import type { BuiltInService } from '../built-in-service.ts';
import { isResourceEvent, resourceEventType } from './events.ts';
import { implementBalancePlatform } from './implementation.ts';
import { balancePlatformV2 } from './v2.ts';
import { configurationFormat } from './webhook-format.ts';

export const balancePlatform: BuiltInService = Object.freeze<BuiltInService>({
  versions: [balancePlatformV2],
  implement: implementBalancePlatform,
  webhookFormats: [configurationFormat],
  summarizeEvent: (data) =>
    isResourceEvent(data) ? { type: resourceEventType(data), balancePlatform: data.platform } : undefined,
});

/** The Recurring service, with the account updater. */
import type { BuiltInService } from '../built-in-service.ts';
import { isRecurringEvent, recurringEventType } from './events.ts';
import { implementRecurring, recurringVersions } from './implementation.ts';
import { classicFormat } from './webhooks/classic.ts';
import { tokenizationFormat } from './webhooks/tokenization.ts';

export const recurring: BuiltInService = Object.freeze<BuiltInService>({
  versions: recurringVersions,
  implement: implementRecurring,
  webhookFormats: [tokenizationFormat, classicFormat],
  summarizeEvent: (data) =>
    isRecurringEvent(data) ? { type: recurringEventType(data), merchantAccount: data.merchantAccount } : undefined,
});

/** The webhook formats of all services, and what an operator sees of a queued event. */
import { parseQueuedEvent } from '../webhooks/event.ts';
import { WebhookFormats } from '../webhooks/format.ts';
import { type ResourceEventData, resourceEventType } from './balance-platform/events.ts';
import { configurationFormat } from './balance-platform/webhook-format.ts';
import { type RecurringEventData, recurringEventType } from './recurring/events.ts';
import { classicFormat } from './recurring/webhooks/classic.ts';
import { tokenizationFormat } from './recurring/webhooks/tokenization.ts';

export const webhookFormats = new WebhookFormats([tokenizationFormat, classicFormat, configurationFormat]);

export interface EventSummary {
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of a stored detail or a check. */
  readonly merchantAccount?: string;
  /** Of a resource. */
  readonly balancePlatform?: string;
}

export function summarizeEvent(payload: string): EventSummary {
  const { at, data } = parseQueuedEvent<RecurringEventData | ResourceEventData>(payload);
  return 'record' in data
    ? { type: resourceEventType(data), at, balancePlatform: data.platform }
    : { type: recurringEventType(data), at, merchantAccount: data.merchantAccount };
}

/** Every service: a service is one line here. */
import type { Service } from '../contract/service.ts';
import type { Implementation } from '../gateway/implement.ts';
import { parseQueuedEvent } from '../jobs/webhooks/event.ts';
import { WebhookFormats } from '../jobs/webhooks/format.ts';
import { balancePlatform } from './balance-platform/index.ts';
import type { BuiltInService, EventSummary, ServiceDependencies } from './built-in-service.ts';
import { recurring } from './recurring/index.ts';

const all: readonly BuiltInService[] = [recurring, balancePlatform];

/** In every version that is served. Of each service, the newest version last. */
export const services: readonly Service[] = Object.freeze(all.flatMap(({ versions }) => versions));

export const webhookFormats = new WebhookFormats(all.flatMap((each) => each.webhookFormats));

export function implementServices(dependencies: ServiceDependencies): readonly Implementation[] {
  return all.map((each) => each.implement(dependencies));
}

/** Summarizes the payload of a queued event. `at`: milliseconds since the epoch. */
export function summarizeEvent(payload: string): EventSummary & { readonly at: number } {
  const { at, data } = parseQueuedEvent<object>(payload);
  for (const { summarizeEvent } of all) {
    const summary = summarizeEvent(data);
    if (summary !== undefined) return { ...summary, at };
  }
  throw new TypeError('no service has such events');
}

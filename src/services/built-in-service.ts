/** What each folder of a service exports: its versions, its handlers and its events. */
import type { Service } from '../contract/service.ts';
import type { Implementation } from '../gateway/implement.ts';
import type { WebhookFormat } from '../jobs/webhooks/format.ts';
import type { Updater } from './recurring/account-updater/updater.ts';
import type { CardSearchLimits } from './recurring/card-search-limits.ts';

export interface BuiltInService {
  /** Newest last. */
  readonly versions: readonly Service[];
  implement(dependencies: ServiceDependencies): Implementation;
  readonly webhookFormats: readonly WebhookFormat[];
  /** Undefined for the event of another service. */
  summarizeEvent(data: object): EventSummary | undefined;
}

export interface ServiceDependencies {
  readonly updater: Updater;
  /** Absent where nothing is limited. */
  readonly cardSearch?: CardSearchLimits;
}

/** What an operator sees of a queued event. */
export interface EventSummary {
  readonly type: string;
  /** Of a stored detail or a check. */
  readonly merchantAccount?: string;
  /** Of a resource. */
  readonly balancePlatform?: string;
}

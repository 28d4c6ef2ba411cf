/** Delivers events to their endpoints: at least once, in the order of each shopper or resource, until it is taken or given up. */

import type { TakenJob } from '../jobs/job.ts';
import type { JobHandler, JobResult } from '../jobs/worker.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import { type Backoff, backoffMs } from '../lib/retry.ts';
import { configurationMessage } from '../services/balance-platform/webhook.ts';
import { classicMessage } from '../services/recurring/webhooks/classic.ts';
import { tokenizationMessage } from '../services/recurring/webhooks/tokenization.ts';
import type { Vault } from '../vault/ports.ts';
import { createEndpointLimiter, type Deferred } from './endpoint-limiter.ts';
import type { Message, Origin } from './message.ts';
import type { Endpoint, EndpointStore, Event } from './ports.ts';
import { type SendResult, send } from './send.ts';

export interface DeliveryDependencies {
  /** Deletes a completed job. Throws `LeaseLost`. */
  endJob(job: TakenJob): Promise<void>;
  readonly endpoints: EndpointStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly environment: Origin['environment'];
  /** How long an endpoint may take over an answer. */
  readonly deliveryMsMax: number;
  /** For how long an event is tried. */
  readonly giveUpMs: number;
  /** Hears of each attempt, and of each event that is given up. */
  count(outcome: SendResult['kind'] | 'givenUp'): void;
}

/** Events that a process is at; of one endpoint, so few that a slow one leaves room for the others. */
const atOnceMax = 64;
const ofEndpointMax = 8;
/** Between two attempts at one event. */
const backoff: Backoff = { firstMs: 2_000, maxMs: 60 * 60_000 };
/** What the store may take before and after a delivery, and the wait for a turn. */
const besideMsMax = 2_000;

/** Long enough that what is held back first does not come again before the last of it is held back. */
const holdMsMin = 2_000;

/** The record that an endpoint's key is sealed for. */
export const keyScope = ({ company, endpointId }: Pick<Endpoint, 'company' | 'endpointId'>) => ({
  company,
  record: `webhook ${endpointId}`,
});

const eventOf = ({ payload }: TakenJob): Event => JSON.parse(payload) as Event;

const messageOf = (event: Event, { format }: Endpoint, origin: Origin): Message | undefined => {
  switch (format) {
    case 'tokenization':
      return tokenizationMessage(event, origin);
    case 'classic':
      return classicMessage(event, origin);
    case 'configuration':
      return configurationMessage(event, origin);
    default:
      return format satisfies never;
  }
};

export const createDeliveryHandler = (parts: DeliveryDependencies): JobHandler => {
  const { endJob, endpoints, vault, clock, environment, deliveryMsMax, giveUpMs, count } = parts;
  const turns = createEndpointLimiter({ concurrencyMax: ofEndpointMax, deliveryMsMax });
  /** Of each endpoint one at a time: whoever holds back does so for all. */
  const holding = new Map<string, Promise<void>>();

  const end = async (job: TakenJob): Promise<JobResult> => {
    await endJob(job);
    return 'ended';
  };
  const isOver = ({ createdAt }: TakenJob): boolean => clock.now() - createdAt > giveUpMs;
  const giveUp = (because: string): JobResult => {
    count('givenUp');
    return { givenUp: because };
  };
  const spare = async (
    job: TakenJob,
    endpoint: Endpoint,
    { afterMs, because, isDown }: Deferred,
  ): Promise<JobResult> => {
    const { endpointId } = endpoint;
    const held =
      holding.get(endpointId) ??
      endpoints.deferDue(endpoint, Math.max(afterMs, holdMsMin)).finally(() => holding.delete(endpointId));
    holding.set(endpointId, held);
    await held;
    return isDown && isOver(job) ? giveUp(because) : { untriedMs: afterMs };
  };
  const deliver = async ({ endpointId, url }: Endpoint, message: Message): Promise<SendResult> => {
    const sent = await send(url, message, deliveryMsMax);
    turns.leave(endpointId, sent.kind === 'accepted' ? undefined : sent.because);
    count(sent.kind);
    return sent;
  };

  return Object.freeze<JobHandler>({
    kind: 'webhook',
    concurrencyMax: atOnceMax,
    leaseMs: deliveryMsMax + besideMsMax,
    pollIntervalMs: 2_000,
    async run(job) {
      const endpoint = await endpoints.findFor(job);
      if (endpoint === undefined) return end(job);
      const key = vault.open(keyScope(endpoint), endpoint.sealed, 'shown');
      const message = messageOf(eventOf(job), endpoint, { environment, key });
      if (message === undefined) return end(job);
      const turn = await turns.enter(endpoint.endpointId);
      if (turn !== 'go') return spare(job, endpoint, turn);
      const sent = await deliver(endpoint, message);
      if (sent.kind === 'accepted') return end(job);
      return isOver(job) ? giveUp(sent.because) : { againMs: backoffMs(job.attempts, backoff), because: sent.because };
    },
  });
};

/** Delivers events to endpoints: at least once, in the order of their keys, until each is accepted or abandoned. */

import { clock } from '../../lib/clock.ts';
import { createJumpMeter } from '../../lib/clock-jump.ts';
import { type Backoff, backoffMs } from '../../lib/retry.ts';
import type { Vault } from '../../vault/ports.ts';
import type { JobQueue, TakenJob } from '../job.ts';
import type { JobHandler, JobResult } from '../worker.ts';
import { createEndpointLimiter, type Deferred } from './endpoint-limiter.ts';
import { parseQueuedEvent } from './event.ts';
import type { WebhookFormats } from './format.ts';
import type { Message, Origin } from './message.ts';
import { type Endpoint, type EndpointStore, endpointIdOf } from './ports.ts';
import { type SendResult, send } from './send.ts';
import { standardHeaders } from './signature.ts';
import { openKeys, type SigningKeys } from './signing-keys.ts';

export interface DeliveryDependencies {
  readonly jobs: Pick<JobQueue, 'end'>;
  readonly endpoints: EndpointStore;
  readonly formats: WebhookFormats;
  readonly vault: Vault;
  readonly environment: Origin['environment'];
  /** Limit on the time of one attempt. */
  readonly deliveryMsMax: number;
  /** An event older than this is abandoned when an attempt fails. */
  readonly giveUpMs: number;
  /** Counts each attempt, and each event that is abandoned. */
  count(outcome: SendResult['kind'] | 'givenUp'): void;
  /** Absent where requests are not traced. */
  readonly trace?: TraceDelivery | undefined;
  /** Adds to the data of an event what is sealed in the store. */
  readonly complete?: ((data: object) => Promise<object>) | undefined;
}

export interface AttemptedDelivery {
  readonly endpointId: string;
  /** Attempts so far, this one included. */
  readonly attempt: number;
  /** Of the request that caused the event. */
  readonly traceparent: string | undefined;
}

type Sent = Awaited<ReturnType<typeof send>>;

/** Stands around each attempt. */
export type TraceDelivery = (delivery: AttemptedDelivery, deliver: () => Promise<Sent>) => Promise<Sent>;

interface OpenedEndpoint {
  readonly endpoint: Endpoint;
  /** Sign the messages. */
  readonly keys: SigningKeys;
}

export const webhookJobKind = 'webhook';

/** Deliveries of a process at the same time; those to one endpoint are so few that a slow one leaves capacity for others. */
const concurrencyMax = 64;
const endpointConcurrencyMax = 8;
/** Between two attempts at one event. */
const backoff: Backoff = { firstMs: 2_000, maxMs: 60 * 60_000 };
/** For the store before and after a delivery, and for the wait for a slot. */
const overheadMsMax = 2_000;
/** Long enough that the first deferred event is not due again before the last one is deferred. */
const deferMsMin = 2_000;

export function createDeliveryHandler(dependencies: DeliveryDependencies): JobHandler {
  const { jobs, endpoints, formats, vault, environment, deliveryMsMax, giveUpMs, count } = dependencies;
  const complete = dependencies.complete ?? (async (data) => data);
  const trace: TraceDelivery = dependencies.trace ?? ((_, deliver) => deliver());
  const limiter = createEndpointLimiter({ concurrencyMax: endpointConcurrencyMax, deliveryMsMax });
  /** By endpoint: one job defers all due events of the endpoint, and others wait for that. */
  const deferring = new Map<string, Promise<void>>();

  /** By endpoint: deliveries that begin at the same time read it once. */
  const reading = new Map<string, Promise<OpenedEndpoint | undefined>>();

  async function readEndpoint(job: TakenJob): Promise<OpenedEndpoint | undefined> {
    const endpoint = await endpoints.findFor(job);
    return endpoint && { endpoint, keys: openKeys(vault, endpoint) };
  }

  function findEndpoint(job: TakenJob): Promise<OpenedEndpoint | undefined> {
    const name = JSON.stringify([job.tenant, endpointIdOf(job)]);
    const found = reading.get(name) ?? readEndpoint(job).finally(() => reading.delete(name));
    reading.set(name, found);
    return found;
  }

  async function end(job: TakenJob): Promise<JobResult> {
    await jobs.end(job);
    return 'ended';
  }

  async function defer(job: TakenJob, endpoint: Endpoint, { afterMs, because, isDown }: Deferred): Promise<JobResult> {
    const { endpointId } = endpoint;
    const deferred =
      deferring.get(endpointId) ??
      endpoints.deferDue(endpoint, Math.max(afterMs, deferMsMin)).finally(() => deferring.delete(endpointId));
    deferring.set(endpointId, deferred);
    await deferred;
    return isDown && isOverdue(job) ? abandon(because) : { deferMs: afterMs };
  }

  async function deliver({ endpointId, url }: Endpoint, message: Message, cutOff: AbortSignal) {
    const result = await send(url, message, { msMax: deliveryMsMax, cutOff });
    limiter.leave(endpointId, 'because' in result ? result.because : undefined);
    if (result.kind !== 'stopped') count(result.kind);
    return result;
  }

  const measureJump = createJumpMeter();

  /** What the clock has jumped is no age: the event was not tried in that time. */
  function isOverdue({ createdAt, ageMs }: TakenJob): boolean {
    return ageMs - measureJump(createdAt + ageMs) > giveUpMs;
  }

  function abandon(because: string): JobResult {
    count('givenUp');
    return { abandonReason: because };
  }

  return Object.freeze<JobHandler>({
    kind: webhookJobKind,
    concurrencyMax,
    leaseMs: deliveryMsMax + overheadMsMax,
    pollIntervalMs: 2_000,
    async run(job, cutOff) {
      const found = await findEndpoint(job);
      if (found === undefined) return end(job);
      const { endpoint, keys } = found;
      const event = parseQueuedEvent(job.payload);
      const data = (await complete(event.data)) as never;
      const encoded = formats.get(endpoint.format).encode({ ...event, data }, { environment, ...keys });
      const permission = await limiter.enter(endpoint.endpointId);
      if (permission !== 'go') return defer(job, endpoint, permission);
      const { body, headers } = encoded;
      const standard = standardHeaders(keys, { eventId: event.eventId, sentAt: clock.now(), body });
      const message = { body, headers: { ...headers, ...standard } };
      const about = { endpointId: endpoint.endpointId, attempt: job.attempts, traceparent: event.traceparent };
      const result = await trace(about, () => deliver(endpoint, message, cutOff));
      if (result.kind === 'accepted') return end(job);
      // Another process, or this one after its restart, sends it without waiting for the lease to expire.
      if (result.kind === 'stopped') return { deferMs: 0 };
      if (isOverdue(job)) return abandon(result.because);
      return { retryAfterMs: backoffMs(job.attempts, backoff), because: result.because };
    },
  });
}

/** Delivers events to endpoints: at least once, in the order of their keys, until each is accepted or abandoned. */

import { type Backoff, backoffMs, clock, monotonicClock, shareRunning } from '../../../core/lib/index.ts';
import type { Vault } from '../../../core/vault/index.ts';
import type { JobQueue, TakenJob } from '../job.ts';
import type { JobHandler, JobResult } from '../worker.ts';
import { type Deferred, EndpointLimiter, type Place } from './endpoint-limiter.ts';
import { parseQueuedEvent } from './event.ts';
import type { WebhookFormats } from './format.ts';
import type { Message, Origin } from './message.ts';
import { type Endpoint, type EndpointStore, endpointIdOf, type Pace } from './ports.ts';
import { type SendResult, send } from './send.ts';
import { standardHeaders } from './signature.ts';
import { openKeys, type SigningKeys } from './signing-keys.ts';

interface DeliveryDependencies {
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
  /** Replaces the limits of endpoints, for controls in tests. */
  readonly limiter?: Pick<EndpointLimiter, 'enter'>;
}

interface AttemptedDelivery {
  readonly endpointId: string;
  /** Attempts so far, this one included. */
  readonly attempt: number;
  /** The trace of the request that caused the event. */
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

/** Deliveries of a process at the same time, to endpoints that answer quickly, and to others. */
const concurrencyMax = 64;
const slowConcurrencyMax = 128;
const endpointConcurrencyMax = 8;
const quickMs = 100;
/** Between two attempts at one event. */
const backoff: Backoff = { firstMs: 2_000, maxMs: 60 * 60_000 };
/** An event that is refused longer leaves the order: those behind it are sent. Silence and cuts concern the endpoint, which gets none then. */
const orderMsMax = 15 * 60_000;
/** For the store before and after a delivery, and for the wait for a slot. */
const overheadMsMax = 2_000;

export function createDeliveryHandler(dependencies: DeliveryDependencies): JobHandler {
  const { jobs, endpoints, formats, vault, environment, deliveryMsMax, giveUpMs, count } = dependencies;
  const complete = dependencies.complete ?? (async (data) => data);
  const trace: TraceDelivery = dependencies.trace ?? ((_, deliver) => deliver());
  const limiter =
    dependencies.limiter ??
    new EndpointLimiter({
      clock: monotonicClock,
      quickMax: concurrencyMax,
      slowMax: slowConcurrencyMax,
      endpointMax: endpointConcurrencyMax,
      quickMs,
      deliveryMsMax,
    });
  /** By endpoint: one job defers all due events of the endpoint, and others wait for that. */
  const deferring = shareRunning<string, void>();

  /** By endpoint: deliveries that begin at the same time read it once. */
  const reading = shareRunning<string, OpenedEndpoint | undefined>();

  async function readEndpoint(job: TakenJob): Promise<OpenedEndpoint | undefined> {
    const endpoint = await endpoints.findFor(job);
    return endpoint && { endpoint, keys: openKeys(vault, endpoint) };
  }

  function findEndpoint(job: TakenJob): Promise<OpenedEndpoint | undefined> {
    return reading(JSON.stringify([job.tenant, endpointIdOf(job)]), () => readEndpoint(job));
  }

  async function end(job: TakenJob): Promise<JobResult> {
    await jobs.end(job);
    return 'ended';
  }

  function deferBacklog(endpoint: Endpoint, pace: Pace): Promise<void> {
    return deferring(endpoint.endpointId, () => endpoints.deferDue(endpoint, pace));
  }

  async function defer(job: TakenJob, endpoint: Endpoint, put: Deferred): Promise<JobResult> {
    const { afterMs, spacingMs, because, isDown } = put;
    if (spacingMs !== undefined) await deferBacklog(endpoint, { afterMs, spacingMs });
    return isDown && isOverdue(job) ? abandon(because) : { deferMs: afterMs };
  }

  async function deliver({ url }: Endpoint, place: Place, message: Message, cutOff: AbortSignal) {
    const result = await send(url, message, { msMax: deliveryMsMax, cutOff });
    place.leave('because' in result ? result.because : undefined);
    if (result.kind !== 'stopped') count(result.kind);
    return result;
  }

  const measureJump = createJumpMeter();

  /** What the clock has jumped is no age: the event was not tried in that time. */
  function ageOf({ createdAt, ageMs }: TakenJob): number {
    return ageMs - measureJump(createdAt + ageMs);
  }

  function isOverdue(job: TakenJob): boolean {
    return ageOf(job) > giveUpMs;
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
    async run(job, cutOff, stepAside = () => {}) {
      const found = await findEndpoint(job);
      if (found === undefined) return end(job);
      const { endpoint, keys } = found;
      const event = parseQueuedEvent(job.payload);
      const data = (await complete(event.data)) as never;
      const encoded = formats.get(endpoint.format).encode({ ...event, data }, { environment, ...keys });
      const place = await limiter.enter(endpoint.endpointId, stepAside);
      if (!('leave' in place)) {
        // It only waits for the store, which bounds how many are taken meanwhile.
        stepAside();
        return defer(job, endpoint, place);
      }
      const { body, headers } = encoded;
      const standard = standardHeaders(keys, { eventId: event.eventId, sentAt: clock.now(), body });
      const message = { body, headers: { ...headers, ...standard } };
      const about = { endpointId: endpoint.endpointId, attempt: job.attempts, traceparent: event.traceparent };
      const result = await trace(about, () => deliver(endpoint, place, message, cutOff));
      if (result.kind === 'accepted') return end(job);
      // Another process, or this one after its restart, sends it without waiting for the lease to expire.
      if (result.kind === 'stopped') return { deferMs: 0 };
      if (isOverdue(job)) return abandon(result.because);
      const leavesOrder = result.kind === 'refused' && ageOf(job) > orderMsMax;
      return { retryAfterMs: backoffMs(job.attempts, backoff), because: result.because, leavesOrder };
    },
  });
}

/**
 * The returned function takes the present time of a wall clock, and returns by how many milliseconds that clock has jumped
 * ahead since the first call; 0 where it has not.
 */
function createJumpMeter(): (wallMs: number) => number {
  let least = Number.POSITIVE_INFINITY;
  return (wallMs) => {
    const offset = wallMs - monotonicClock.now();
    least = Math.min(least, offset);
    return offset - least;
  };
}

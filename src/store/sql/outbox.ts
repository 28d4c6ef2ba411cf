/** Saves a job for each event and each endpoint that receives it, in the transaction of its effect. */

import type { JobKind } from '../../jobs/job.ts';
import { type DomainEvent, type EventBatch, printQueuedEvent } from '../../jobs/webhooks/event.ts';
import type { WebhookFormats } from '../../jobs/webhooks/format.ts';
import { memoize } from '../../lib/memoize.ts';
import { type Session, statement } from './engine.ts';
import { positionsMax, takePositions } from './job-sequences.ts';

type EndpointRow = { readonly endpoint_id: string; readonly format: string };

/** The only cost for a tenant without an endpoint. */
const findEndpoints = statement<EndpointRow>(
  'find-endpoints',
  'select endpoint_id, format from webhook_endpoint where tenant = $1 order by endpoint_id',
);

/** Ordering keys are separate for each endpoint. */
export function orderingKeyPrefix(endpointId: string): string {
  return `${endpointId}/`;
}

/** An event for one endpoint. */
interface Delivery {
  readonly jobId: string;
  readonly orderingKey: string;
  readonly payload: string;
}

/** The events of a transaction. */
export class Outbox {
  readonly #session: Session;
  readonly #formats: WebhookFormats | undefined;
  readonly #savedKinds: Set<JobKind>;
  /** The trace that the events belong to; absent where requests are not traced. */
  traceparent: string | undefined;

  constructor(session: Session, formats: WebhookFormats | undefined, savedKinds: Set<JobKind>) {
    this.#session = session;
    this.#formats = formats;
    this.#savedKinds = savedKinds;
  }

  /** Each endpoint of the tenant receives the events that its format accepts, in the order of their keys. */
  async enqueue(batch: EventBatch): Promise<void> {
    if (batch.events.length === 0) return;
    const endpoints = await this.#session.query(findEndpoints, [batch.tenant]);
    if (endpoints.length === 0) return;
    if (this.#formats === undefined) throw new TypeError('the store was opened without webhook formats');
    const deliveries = deliveriesOf(batch, { endpoints, formats: this.#formats, traceparent: this.traceparent });
    for (let from = 0; from < deliveries.length; from += positionsMax)
      await this.#save(batch.tenant, deliveries.slice(from, from + positionsMax));
    if (deliveries.length > 0) this.#savedKinds.add('webhook');
  }

  async #save(tenant: string, deliveries: readonly Delivery[]): Promise<void> {
    const byKey = Map.groupBy(deliveries, ({ orderingKey }) => orderingKey);
    const positions = await takePositions(this.#session, tenant, [...byKey.keys()]);
    const rows = [...byKey].flatMap(([orderingKey, ofKey]) => {
      const { last, isFree } = positions.get(orderingKey)!;
      return ofKey.map(({ jobId, payload }, index) => {
        const dueAfterMs = isFree && index === 0 ? 0 : null;
        return [jobId, orderingKey, last - ofKey.length + 1 + index, payload, dueAfterMs];
      });
    });
    await this.#session.execute(insertStatement(rows.length), [tenant, ...rows.flat()]);
  }
}

interface Receivers {
  readonly endpoints: readonly EndpointRow[];
  readonly formats: WebhookFormats;
  readonly traceparent: string | undefined;
}

function deliveriesOf(
  { requestReference, at, events }: EventBatch,
  { endpoints, formats, traceparent }: Receivers,
): readonly Delivery[] {
  return events.flatMap(({ type, orderingKey, data }: DomainEvent, index) => {
    const accepting = new Set(formats.all.filter((format) => format.accepts(type)).map(({ name }) => name));
    const receivers = endpoints.filter(({ format }) => accepting.has(format));
    if (receivers.length === 0) return [];
    const eventId = index === 0 ? requestReference : `${requestReference}.${index + 1}`;
    const payload = printQueuedEvent({ eventId, requestReference, at, traceparent, data });
    return receivers.map(({ endpoint_id: endpointId }) => ({
      jobId: `${eventId}/${endpointId}`,
      orderingKey: `${orderingKeyPrefix(endpointId)}${orderingKey ?? eventId}`,
      payload,
    }));
  });
}

const insertStatement = memoize((jobs: number) => {
  const rows = Array.from({ length: jobs }, (_, job) => {
    const [jobId, orderingKey, position, payload, dueAfterMs] = [2, 3, 4, 5, 6].map((at) => `$${5 * job + at}`);
    return `($1, ${jobId}, 'webhook', ${orderingKey}, ${position}, ${payload}, now_ms(), now_ms() + ${dueAfterMs})`;
  });
  return statement(
    `enqueue-events-${jobs}`,
    `insert into job (tenant, job_id, kind, ordering_key, position, payload, created_at, due_at) values ${rows.join()}`,
  );
});

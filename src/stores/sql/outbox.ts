/** Saves a job for each event and each endpoint that receives it, in the transaction of its effect. */

import { memoize } from '../../core/lib/index.ts';
import type { JobKind } from '../jobs/job.ts';
import { type DomainEvent, type EventBatch, printQueuedEvent } from '../jobs/webhooks/event.ts';
import type { WebhookFormats } from '../jobs/webhooks/format.ts';
import { statement, type TransactionSession } from './engine.ts';
import { advancing, positionsMax, positionsOf } from './job-sequences.ts';

type SequenceRow = {
  readonly ordering_key: string;
  readonly last_position: number;
  readonly format: string;
  readonly event_types: string | null;
};

/** Whether an endpoint that names the types of its events gets one. */
const isNamed = "replace(event_types, ',' || wanted.column2 || ',', '') <> event_types";

/**
 * Takes positions for each endpoint with one of the formats and event types, under its key. The only cost for a tenant without an endpoint.
 * Sorted: two transactions that lock several rows then do not deadlock.
 */
const advance = memoize((count: number) => {
  const wanted = Array.from(
    { length: count },
    (_, at) => `($${4 * at + 2}, $${4 * at + 3}, $${4 * at + 4}, $${4 * at + 5})`,
  );
  return statement<SequenceRow>(
    `advance-endpoints-${count}`,
    `insert into job_sequence (tenant, ordering_key, last_position)
     select $1, endpoint_id || '/' || wanted.column4, ${positionsMax}
       from (values ${wanted.join()}) as wanted join webhook_endpoint on tenant = $1 and format = wanted.column1
      where case when event_types is null then wanted.column3 = '${usual}' else ${isNamed} end
      group by endpoint_id, wanted.column4 order by endpoint_id collate_bytes(), wanted.column4 collate_bytes()
     ${advancing}, ordering_key, ${ofEndpoint('format')}, ${ofEndpoint('event_types')}`,
  );
});

/** A column of the endpoint of a sequence. */
function ofEndpoint(name: 'format' | 'event_types'): string {
  return `(select ${name} from webhook_endpoint e where e.tenant = job_sequence.tenant
      and e.endpoint_id || '/' = substr(job_sequence.ordering_key, 1, length(e.endpoint_id) + 1)) as ${name}`;
}

/** Ordering keys are separate for each endpoint. */
export function orderingKeyPrefix(endpointId: string): string {
  return `${endpointId}/`;
}

/** An event with the formats that accept it. */
interface AcceptedEvent {
  readonly eventId: string;
  readonly key: string;
  readonly formats: ReadonlyMap<string, typeof usual | typeof extra>;
  readonly event: DomainEvent;
}

/** An event that every endpoint with a format gets, or those that name its type. */
const usual = 'usual';
const extra = 'extra';

/** The events of a transaction. */
export class Outbox {
  readonly #session: TransactionSession;
  readonly #formats: WebhookFormats | undefined;
  readonly #savedKinds: Set<JobKind>;
  /** The trace that the events belong to; absent where requests are not traced. */
  traceparent: string | undefined;

  constructor(session: TransactionSession, formats: WebhookFormats | undefined, savedKinds: Set<JobKind>) {
    this.#session = session;
    this.#formats = formats;
    this.#savedKinds = savedKinds;
  }

  /** Each endpoint of the tenant receives the events that its format accepts and that it wants, in the order of their keys. */
  async enqueue(batch: EventBatch): Promise<void> {
    const accepted = this.#acceptedOf(batch);
    for (let from = 0; from < accepted.length; from += positionsMax)
      await this.#save(batch, accepted.slice(from, from + positionsMax));
  }

  #acceptedOf({ requestReference, events }: EventBatch): readonly AcceptedEvent[] {
    if (events.length > 0 && this.#formats === undefined)
      throw new TypeError('the store was opened without webhook formats');
    const all = this.#formats?.all ?? [];
    const found = events.map((event, index): AcceptedEvent => {
      const eventId = index === 0 ? requestReference : `${requestReference}.${index + 1}`;
      const formats = all.filter((format) => format.accepts(event.type));
      const kinds = formats.map((each) => [each.name, each.isExtra?.(event.type) ? extra : usual] as const);
      return { eventId, key: event.orderingKey ?? eventId, formats: new Map(kinds), event };
    });
    return found.filter(({ formats }) => formats.size > 0);
  }

  async #save({ tenant, requestReference, at }: EventBatch, accepted: readonly AcceptedEvent[]): Promise<void> {
    const texts = accepted.flatMap(({ key, formats, event }) =>
      [...formats].map(([format, kind]) => JSON.stringify([format, event.type, kind, key])),
    );
    const wanted = [...new Set(texts)];
    const values = wanted.flatMap((text): readonly string[] => JSON.parse(text));
    const sequences = await this.#session.query(advance(wanted.length), [tenant, ...values]);
    if (sequences.length === 0) return;
    const { traceparent } = this;
    const printed = accepted.map((each) => {
      const { eventId, event } = each;
      return { ...each, payload: printQueuedEvent({ eventId, requestReference, at, traceparent, data: event.data }) };
    });
    const rows = sequences.flatMap((sequence) => {
      const { ordering_key: orderingKey } = sequence;
      const prefixLength = orderingKey.indexOf('/');
      const endpointId = orderingKey.slice(0, prefixLength);
      const key = orderingKey.slice(prefixLength + 1);
      const { last, isFree } = positionsOf(sequence);
      const ofKey = printed.filter((each) => each.key === key && isWanted(each, sequence));
      return ofKey.map(({ eventId, payload }, index) => {
        const dueAfterMs = isFree && index === 0 ? 0 : null;
        const position = last - ofKey.length + 1 + index;
        return [`${eventId}/${endpointId}`, orderingKey, position, payload, dueAfterMs];
      });
    });
    for (let from = 0; from < rows.length; from += rowsMax) {
      const saved = rows.slice(from, from + rowsMax);
      await this.#session.executeDeferred(insertStatement(saved.length), [tenant, ...saved.flat()]);
    }
    this.#savedKinds.add('webhook');
  }
}

function isWanted({ formats, event }: AcceptedEvent, { format, event_types: types }: SequenceRow): boolean {
  if (types === null) return formats.get(format) === usual;
  return formats.has(format) && types.includes(`,${event.type},`);
}

/** The most jobs of one statement. */
const rowsMax = 128;

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

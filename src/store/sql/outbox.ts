/** Saves a job for each event and each endpoint that receives it, in the transaction of its effect. */
import type { JobKind } from '../../jobs/job.ts';
import { type DomainEvent, type EventBatch, printQueuedEvent } from '../../webhooks/event.ts';
import type { WebhookFormat, WebhookFormats } from '../../webhooks/format.ts';
import { type Session, type Statement, statement, type Value } from './engine.ts';

/** The most events of one statement; a request hardly ever has more. */
const eventsPerStatement = 128;

/** The only cost for a tenant without an endpoint. */
const findAny = statement('find-any-endpoint', 'select 1 as found from webhook_endpoint where company = $1 limit 1');

/** Ordering keys are separate for each endpoint. */
export function orderingKeyPrefix(endpointId: string): string {
  return `${endpointId}/`;
}

/** The events of a transaction. */
export class Outbox {
  readonly #session: Session;
  readonly #formats: WebhookFormats | undefined;
  readonly #saved: (kind: JobKind) => void;

  constructor(session: Session, formats: WebhookFormats | undefined, saved: (kind: JobKind) => void) {
    this.#session = session;
    this.#formats = formats;
    this.#saved = saved;
  }

  /** Each endpoint of the tenant receives the events that its format accepts, in the order of their keys. */
  async enqueue({ tenant, requestReference, at, events }: EventBatch): Promise<void> {
    if (events.length === 0 || (await this.#session.query(findAny, [tenant])).length === 0) return;
    if (this.#formats === undefined) throw new TypeError('the store was opened without webhook formats');
    const formats = this.#formats.all;
    let jobs = 0;
    for (let from = 0; from < events.length; from += eventsPerStatement) {
      const rows = rowsOf(events.slice(from, from + eventsPerStatement), formats, from, requestReference, at);
      const insert = insertStatement(formats, rows.length);
      jobs += await this.#session.execute(insert, [tenant, ...rows.flat()]);
    }
    if (jobs > 0) this.#saved('webhook');
  }
}

const statements = new WeakMap<readonly WebhookFormat[], Map<number, Statement>>();

/** See `insertText`. */
function rowsOf(
  events: readonly DomainEvent[],
  formats: readonly WebhookFormat[],
  before: number,
  requestReference: string,
  at: number,
): readonly (readonly Value[])[] {
  const counters = formats.map((format) => ({ format, next: createCounter() }));
  return events.map(({ type, orderingKey, data }, index) => {
    const number = before + index + 1;
    const eventId = number === 1 ? requestReference : `${requestReference}.${number}`;
    const key = orderingKey ?? eventId;
    const places = counters.map(({ format, next }) => (format.accepts(type) ? next(key) : 0));
    return [eventId, key, printQueuedEvent({ eventId, requestReference, at, data }), ...places];
  });
}

function createCounter(): (name: string) => number {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  };
}

function insertStatement(formats: readonly WebhookFormat[], rows: number): Statement {
  const ofFormats = statements.get(formats) ?? new Map<number, Statement>();
  statements.set(formats, ofFormats);
  const known = ofFormats.get(rows);
  if (known !== undefined) return known;
  const created = statement(`enqueue-events-${rows}`, insertText(formats, rows));
  ofFormats.set(rows, created);
  return created;
}

/**
 * One statement, however many endpoints there are. The values of an event are its id, its ordering key, its payload, and for
 * each format its position among the events of this statement with the same key that the format accepts; 0 where it does not.
 */
function insertText(formats: readonly WebhookFormat[], rows: number): string {
  const columns = 3 + formats.length;
  const values = Array.from(
    { length: rows },
    (_, row) => `(${Array.from({ length: columns }, (_, at) => `$${columns * row + at + 2}`).join()})`,
  );
  const place = formats.map(({ name }, at) => `when '${name}' then v.column${4 + at}`).join(' ');
  return `insert into job (company, job_id, kind, ordering_key, position, payload, created_at, due_at)
    select t.company, t.event_id || '/' || t.endpoint_id, 'webhook', t.ordering_key,
           coalesce((select max(j.position) from job j where j.company = t.company and j.ordering_key = t.ordering_key), 0) + t.position,
           t.payload, now_ms(),
           case when t.position = 1 and not exists
             (select 1 from job j where j.company = t.company and j.ordering_key = t.ordering_key and j.due_at is not null)
           then now_ms() end
      from (select e.company, e.endpoint_id, v.column1 as event_id, e.endpoint_id || '/' || v.column2 as ordering_key,
                   v.column3 as payload,
                   cast(case e.format ${place} end as bigint) as position
              from webhook_endpoint e, (values ${values.join()}) as v
             where e.company = $1) as t
     where t.position > 0`;
}

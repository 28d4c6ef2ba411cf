/** Keeps a job for each notice and each endpoint that is to hear of it, in the unit of the effect. */
import type { JobKind } from '../../jobs/job.ts';
import type { DomainEvent, EventBatch } from '../../webhooks/event.ts';
import type { EndpointFormat, Event } from '../../webhooks/ports.ts';
import { type Session, type Statement, statement, type Value } from './engine.ts';

/** Notices in one statement; a request has hardly ever more. */
const noticesPerStatement = 128;

/** What a company without an endpoint pays for its effects: neither are its notices printed, nor is a job looked at. */
const findAny = statement('find-any-endpoint', 'select 1 as found from webhook_endpoint where company = $1 limit 1');

/** Of an endpoint and a shopper or a resource, so that each endpoint hears of these in order. */
export const orderingKeyPrefix = (endpointId: string): string => `${endpointId}/`;

/** Which notices each format knows of: of the recurring interface the classic one hears of new contracts only. */
const knows: { readonly [F in EndpointFormat]: (notice: DomainEvent) => boolean } = Object.freeze({
  tokenization: (notice) => !('record' in notice),
  classic: ({ kind }) => kind === 'created',
  configuration: (notice) => 'record' in notice,
});

const formats = Object.entries(knows);

/** The values of a notice: its id, its lane, what is kept of it, and its turn in each format. */
const columns = 3 + formats.length;

const turnText = formats.map(([format], at) => `when '${format}' then v.column${4 + at}`).join(' ');

/**
 * One statement, however many endpoints there are. A row of values is a notice: its id, its lane within the endpoint, what is
 * kept of it, and for each format in which place of those of its lane that the format hears it stands; 0 where the format
 * knows no such notice.
 */
const tellText = (rows: number): string => {
  const values = Array.from(
    { length: rows },
    (_, row) => `(${Array.from({ length: columns }, (_, at) => `$${columns * row + at + 2}`).join()})`,
  );
  return `insert into job (company, job_id, kind, lane, place, payload, created_at, due_at)
    select t.company, t.event_id || '/' || t.endpoint_id, 'webhook', t.lane,
           coalesce((select max(j.place) from job j where j.company = t.company and j.lane = t.lane), 0) + t.turn,
           t.payload, now_ms(),
           case when t.turn = 1 and not exists
             (select 1 from job j where j.company = t.company and j.lane = t.lane and j.due_at is not null)
           then now_ms() end
      from (select e.company, e.endpoint_id, v.column1 as event_id, e.endpoint_id || '/' || v.column2 as lane,
                   v.column3 as payload,
                   cast(case e.format ${turnText} end as bigint) as turn
              from webhook_endpoint e, (values ${values.join()}) as v
             where e.company = $1) as t
     where t.turn > 0`;
};

const statements = new Map<number, Statement>();
const tellStatement = (rows: number): Statement => {
  const known = statements.get(rows);
  if (known !== undefined) return known;
  const made = statement(`tell-${rows}`, tellText(rows));
  statements.set(rows, made);
  return made;
};

/** The lane of its shopper, or of its resource; that of the check itself where no shopper was named. */
const laneOf = (notice: DomainEvent, eventId: string): string => {
  if ('record' in notice) return JSON.stringify([notice.platform, notice.kind, notice.record.id]);
  const { merchantAccount, shopperReference } = notice;
  return JSON.stringify(
    shopperReference === undefined ? [merchantAccount, null, eventId] : [merchantAccount, shopperReference],
  );
};

/** Counts by name. */
const counter = (): ((name: string) => number) => {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  };
};

/** The events of a transaction. */
export class Outbox {
  readonly #session: Session;
  readonly #saved: (kind: JobKind) => void;

  constructor(session: Session, saved: (kind: JobKind) => void) {
    this.#session = session;
    this.#saved = saved;
  }

  /** Saves a job for each event and each endpoint that receives it; an endpoint receives those of a shopper or a resource in order. */
  async enqueue({ company, pspReference, at, events: notices }: EventBatch): Promise<void> {
    if (notices.length === 0 || (await this.#session.query(findAny, [company])).length === 0) return;
    let told = 0;
    for (let from = 0; from < notices.length; from += noticesPerStatement) {
      const turns = formats.map(([, isKnown]) => ({ isKnown, next: counter() }));
      const rows = notices.slice(from, from + noticesPerStatement).map((notice, index): readonly Value[] => {
        const nth = from + index + 1;
        const eventId = nth === 1 ? pspReference : `${pspReference}.${nth}`;
        const lane = laneOf(notice, eventId);
        const event: Event = { eventId, pspReference, at, ...notice };
        const places = turns.map(({ isKnown, next }) => (isKnown(notice) ? next(lane) : 0));
        return [eventId, lane, JSON.stringify(event), ...places];
      });
      told += await this.#session.execute(tellStatement(rows.length), [company, ...rows.flat()]);
    }
    if (told > 0) this.#saved('webhook');
  }
}

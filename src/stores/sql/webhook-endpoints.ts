/** The webhook endpoints of tenants, and the jobs that deliver to them. */
import { type Endpoint, type EndpointStore, endpointIdOf } from '../jobs/webhooks/ports.ts';
import { RowIntegrity } from '../row-integrity.ts';
import { isRowRight, type RowOf, signRow, verifyRow } from '../table.ts';
import { type Engine, readCommitted, statement } from './engine.ts';
import { orderingKeyPrefix } from './outbox.ts';
import { fieldsOf } from './row-values.ts';
import { prepareInsert } from './row-writer.ts';
import { webhookEndpoints } from './tables.ts';

/** `is_rotated`: 1 or 0. */
type EndpointRow = RowOf<typeof webhookEndpoints> & { readonly is_rotated: number };

const columns = '*, case when previous_key_until <= now_ms() then 1 else 0 end as is_rotated';

const add = prepareInsert('add-webhook-endpoint', webhookEndpoints);
const list = statement<EndpointRow>(
  'list-webhook-endpoints',
  `select ${columns} from webhook_endpoint order by tenant, created_at, endpoint_id`,
);
const find = statement<EndpointRow>(
  'find-webhook-endpoint',
  `select ${columns} from webhook_endpoint where tenant = $1 and endpoint_id = $2`,
);
const findById = statement<EndpointRow>(
  'find-webhook-endpoint-by-id',
  `select ${columns} from webhook_endpoint where endpoint_id = $1`,
);
const rotate = statement(
  'rotate-webhook-key',
  `update webhook_endpoint set key_id = $3, data_key = $4, sealed_key = $5, previous_key_until = $6, row_mac = $7
    where tenant = $1 and endpoint_id = $2`,
);
const remove = statement(
  'remove-webhook-endpoint',
  'delete from webhook_endpoint where tenant = $1 and endpoint_id = $2',
);
const deleteJobs = statement(
  'delete-webhooks',
  `delete from job where tenant = $1 and kind = 'webhook' and substr(ordering_key, 1, $3) = $2`,
);
const deleteSequences = statement(
  'delete-webhook-sequences',
  'delete from job_sequence where tenant = $1 and substr(ordering_key, 1, $3) = $2',
);
/** Jobs deferred in one transaction, so that others hardly wait for it. */
const deferredMax = 250;

/** The last deferred job comes no later than this after the first one. */
const spreadMsMax = 60_000;

/** Jobs under a lease are not due. $5 is the spacing, and $6 the longest sum of spacings, in microseconds. */
const deferDue = statement(
  'defer-due-webhooks',
  `update job set due_at = now_ms() + $4 + case when $5 * ranked.place < $6 then $5 * ranked.place else $6 end / 1000
     from (select tenant, job_id, row_number() over (order by due_at) as place from
       (select tenant, job_id, due_at from job
         where kind = 'webhook' and due_at <= now_ms() and tenant = $1 and substr(ordering_key, 1, $3) = $2
         order by due_at limit ${deferredMax} skip_locked()) due) ranked
    where job.tenant = ranked.tenant and job.job_id = ranked.job_id`,
);
/** Each event without a due time waits for an older one. */
const oldestWaiting = statement<{ readonly age_ms: number | null }>(
  'oldest-waiting-webhook',
  `select now_ms() - min(created_at) as age_ms from job where kind = 'webhook' and due_at is not null`,
);
const countDead = statement<{ readonly dead: number }>(
  'count-dead-letters',
  `select count(*) as dead from job where kind = 'webhook' and dead_since is not null`,
);

export function createEndpoints(engine: Engine, integrity = new RowIntegrity()): EndpointStore {
  return Object.freeze<EndpointStore>({
    add: ({ sealed: { payload: sealedKey = '', ...sealed }, eventTypes, ...endpoint }) =>
      engine.write((session) =>
        add(
          session,
          { ...endpoint, ...sealed, sealedKey, eventTypes: eventTypes && `,${eventTypes.join()},` },
          integrity,
        ),
      ),
    list: () => engine.read(async (session) => (await session.query(list, [])).map((row) => listedOf(row, integrity))),
    remove: (endpointId) =>
      engine.write(
        async (session) => {
          const [row] = await session.query(findById, [endpointId]);
          if (row === undefined) return undefined;
          await session.execute(remove, [row.tenant, endpointId]);
          await session.execute(deleteSequences, prefixOf(row.tenant, endpointId));
          return session.execute(deleteJobs, prefixOf(row.tenant, endpointId));
        },
        { ...readCommitted, noTimeout: true },
      ),
    rotate: (endpointId, { rotatingUntil, seal }) =>
      engine.write(async (session) => {
        const [row] = await session.query(findById, [endpointId]);
        if (row === undefined) return false;
        verifyRow(integrity, webhookEndpoints, row);
        const { keyId, dataKey, payload = '' } = seal(endpointOf(row));
        const until = rotatingUntil ?? null;
        const mac = signRow(integrity, webhookEndpoints, { ...row, previous_key_until: until });
        await session.execute(rotate, [row.tenant, endpointId, keyId, dataKey, payload, until, mac]);
        return true;
      }),
    findFor: (job) =>
      engine.read(async (session) => {
        const [row] = await session.query(find, [job.tenant, endpointIdOf(job)]);
        return row && endpointOf(verifyRow(integrity, webhookEndpoints, row));
      }),
    deferDue: async ({ tenant, endpointId }, { afterMs, spacingMs }) => {
      const spacing = Math.ceil(spacingMs * 1_000);
      let spread = 0;
      for (let written = deferredMax; written === deferredMax; ) {
        const pace = [Math.ceil(afterMs) + spread, spacing, (spreadMsMax - spread) * 1_000];
        const parameters = [...prefixOf(tenant, endpointId), ...pace];
        written = await engine.write((session) => session.execute(deferDue, parameters), readCommitted);
        spread = Math.min(spread + Math.ceil(written * spacingMs), spreadMsMax);
      }
    },
    oldestWaitingMs: () =>
      engine.read(async (session) => (await session.query(oldestWaiting, []))[0]?.age_ms ?? undefined),
    countDeadLetters: () => engine.read(async (session) => (await session.query(countDead, []))[0]?.dead ?? 0),
  });
}

function listedOf(row: EndpointRow, integrity: RowIntegrity): Endpoint {
  return isRowRight(integrity, webhookEndpoints, row) ? endpointOf(row) : { ...endpointOf(row), altered: true };
}

function endpointOf(row: EndpointRow): Endpoint {
  const {
    tenant,
    endpointId,
    url,
    format,
    keyId,
    dataKey,
    sealedKey: payload,
    createdAt,
    previousKeyUntil,
    eventTypes,
  } = fieldsOf(row);
  return {
    ...{ tenant, endpointId, url, format, sealed: { keyId, dataKey, payload }, createdAt },
    ...(eventTypes !== undefined && { eventTypes: eventTypes.split(',').filter((each) => each !== '') }),
    ...(previousKeyUntil !== undefined && { rotation: { until: previousKeyUntil, isOver: row.is_rotated === 1 } }),
  };
}

/** Selects the jobs of an endpoint. */
function prefixOf(tenant: string, endpointId: string) {
  const prefix = orderingKeyPrefix(endpointId);
  return [tenant, prefix, prefix.length] as const;
}

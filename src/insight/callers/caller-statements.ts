/** The SQL of caller records; one text for both engines. */

import type { callerRecordDays, callerRecords } from '../../access/index.ts';
import { memoize } from '../../core/lib/index.ts';
import { placeholders, type RowOf, statement } from '../../stores/index.ts';

/** Rows that one transaction deletes. */
export const deletedMax = 1_000;

export const findKnown = memoize((count: number) =>
  statement<{ readonly caller_id: string }>(
    `find-known-callers-${count}`,
    `select caller_id from caller_record where (tenant, caller_id) in (values ${placeholders(count, ['', ''])})`,
  ),
);

type CountRow = { readonly records: number };

export const countAll = statement<CountRow>('count-callers', 'select count(*) as records from caller_record');

export const countOfCredential = statement<CountRow>(
  'count-callers-of-credential',
  'select count(*) as records from caller_record where tenant = $1 and credential = $2',
);

/** What another process has saved meanwhile may be newer. A request replaces an earlier one with all its parts. */
export const saveRecord = statement(
  'save-caller',
  `insert into caller_record
     (tenant, caller_id, credential, service, operation, version, format, client, first_used_at, last_used_at, last_outcome,
      key_id, data_key, last_request)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   on conflict (tenant, caller_id) do update set
     first_used_at = case when excluded.first_used_at < caller_record.first_used_at
                          then excluded.first_used_at else caller_record.first_used_at end,
     last_outcome = case when excluded.last_used_at >= caller_record.last_used_at
                         then excluded.last_outcome else caller_record.last_outcome end,
     last_used_at = case when excluded.last_used_at >= caller_record.last_used_at
                         then excluded.last_used_at else caller_record.last_used_at end,
     key_id = coalesce(excluded.key_id, caller_record.key_id),
     data_key = coalesce(excluded.data_key, caller_record.data_key),
     last_request = coalesce(excluded.last_request, caller_record.last_request)`,
);

export const addDay = statement(
  'add-caller-day',
  `insert into caller_record_day (tenant, caller_id, day, succeeded, refused, failed, switched_off, exempt)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (tenant, caller_id, day) do update set
     succeeded = caller_record_day.succeeded + excluded.succeeded,
     refused = caller_record_day.refused + excluded.refused,
     failed = caller_record_day.failed + excluded.failed,
     switched_off = caller_record_day.switched_off + excluded.switched_off,
     exempt = caller_record_day.exempt + excluded.exempt`,
);

export type UseRow = Omit<RowOf<typeof callerRecords>, 'key_id' | 'data_key' | 'last_request'>;

type DayRow = Omit<RowOf<typeof callerRecordDays>, 'tenant'>;

const useColumns =
  'tenant, caller_id, credential, service, operation, version, format, client, first_used_at, last_used_at, last_outcome';

export const listUses = statement<UseRow>(
  'list-caller-uses',
  `select ${useColumns} from caller_record where last_used_at >= $1 order by last_used_at desc, caller_id`,
);

export const findUse = statement<UseRow>(
  'find-caller-use',
  `select ${useColumns} from caller_record where caller_id = $1`,
);

export const listDaysOf = memoize((count: number) =>
  statement<DayRow>(
    `list-caller-days-${count}`,
    `select caller_id, day, succeeded, refused, failed, switched_off, exempt from caller_record_day
      where (tenant, caller_id) in (values ${placeholders(count, ['', ''])}) and day >= $${2 * count + 1}
      order by caller_id, day`,
  ),
);

export const findCredential = statement(
  'find-caller-credential',
  'select 1 from caller_record where credential = $1 limit 1',
);

export type RequestRow = { readonly key_id: string; readonly data_key: string; readonly last_request: string };

export const findRequest = statement<RequestRow>(
  'find-caller-request',
  'select key_id, data_key, last_request from caller_record where caller_id = $1 and data_key is not null',
);

export const findRequestsOfTenant = statement<RequestRow & { readonly caller_id: string }>(
  'find-caller-requests-of-tenant',
  'select caller_id, key_id, data_key, last_request from caller_record where tenant = $1 and data_key is not null',
);

export const eraseRequest = statement(
  'erase-caller-request',
  `update caller_record set key_id = null, data_key = null, last_request = null
    where tenant = $1 and caller_id = $2 and data_key = $3`,
);

export const deleteDays = statement(
  'delete-caller-days',
  `delete from caller_record_day where (tenant, caller_id, day) in
     (select tenant, caller_id, day from caller_record_day where day < $1 order by day limit ${deletedMax})`,
);

export const deleteRecords = statement(
  'delete-callers',
  `delete from caller_record where last_used_at < $1 and (tenant, caller_id) in
     (select tenant, caller_id from caller_record where last_used_at < $1 limit ${deletedMax})`,
);

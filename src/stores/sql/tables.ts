/** The tables of the store itself: idempotency records, jobs, webhook endpoints, imports, and what processes share. */
import { column, table } from '../table.ts';

const { tenant, text, integer, moment, flag, json, dataKey, optionalDataKey, nullable, withDefault } = column;

/** The reference of an alias is this text and the record key of its record. */
export const aliasPrefix = 'alias of ';
/** As in the condition of the index: with other words, a database would not use it. */
export const isAlias = `substr(request_reference, 1, ${aliasPrefix.length}) = '${aliasPrefix}'`;

export const idempotencyRecords = table('idempotency_record', {
  // `recordKey` stands for environment, tenant and key; without the key it says nothing.
  columns: {
    recordKey: text,
    requestHash: text,
    operation: text,
    requestReference: text,
    outcome: nullable(json),
    createdAt: moment,
    expiresAt: moment,
  },
  key: ['recordKey'],
  shared: 'tenants, told apart by the record key',
  // References are random: an index of all would change one more page with each record.
  indexes: {
    expiry: { on: ['expiresAt'] },
    alias: { on: ['requestReference'], where: isAlias, unique: true },
  },
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'deleteExpiredRecords' },
  perEngine: {
    sqlite: [],
    // Of records that are stored for 31 days, a day deletes 3.2 %, and leaves as many first versions of new ones.
    postgres: ['alter table idempotency_record set (autovacuum_vacuum_scale_factor = 0.05)'],
  },
});

export const pendingRequests = table('pending_request', {
  // `input` and `failure` are without secrets, and `question` is sealed. `attempt` is the reference of the request that has asked last.
  columns: {
    requestId: text,
    recordKey: nullable(text),
    attempt: text,
    tenant: text,
    credential: text,
    upstream: text,
    service: text,
    operation: text,
    process: text,
    input: nullable(json),
    question: nullable(text),
    failure: nullable(text),
    startedAt: moment,
    inFlightUntil: moment,
    repeatableUntil: moment,
    reported: flag,
  },
  key: ['requestId'],
  shared: 'tenants, since requests have references of their own',
  unique: [['recordKey']],
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'the answer of the other server, or an operator' },
});

/** Work that outlives a request, stored with the effect of the request until it is done. */
export const jobs = table('job', {
  // `dueAt`: absent while others of its ordering key come first, and once it is dead.
  columns: {
    tenant,
    jobId: text,
    kind: text,
    orderingKey: text,
    position: integer,
    payload: json,
    ...optionalDataKey,
    sealedNumber: nullable(text),
    createdAt: moment,
    dueAt: nullable(moment),
    attempts: withDefault(integer, 0),
    leaseOwner: nullable(text),
    deadSince: nullable(moment),
    lastFailure: nullable(text),
  },
  key: ['tenant', 'jobId'],
  // A dead job keeps its position, which a later job of a new sequence may have, too.
  indexes: {
    due: { on: ['kind', 'dueAt'], where: 'due_at is not null' },
    orderingKey: { on: ['tenant', 'orderingKey', 'position'] },
    dead: { on: ['tenant', 'kind', 'deadSince'], where: 'dead_since is not null' },
  },
  sealedRecord: (id) => `job ${id}`,
  signed: 'none',
  belongsTo: 'none',
  keptFor: { after: 'deadSince', subject: 'deadLetter', setting: 'DEAD_LETTER_DAYS_MAX' },
});

const jobSequences = table('job_sequence', {
  // A row exists while the ordering key has a job that is not dead.
  columns: { tenant, orderingKey: text, lastPosition: integer },
  key: ['tenant', 'orderingKey'],
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'the end of its last job' },
});

/** The addresses at which tenants want to get events. */
export const webhookEndpoints = table('webhook_endpoint', {
  // The sealed key holds two keys until `previousKeyUntil`.
  columns: {
    tenant,
    endpointId: text,
    url: text,
    format: text,
    ...dataKey,
    sealedKey: text,
    createdAt: moment,
    previousKeyUntil: nullable(moment),
    // Between commas; absent for those that the description of the format has.
    eventTypes: nullable(text),
  },
  key: ['tenant', 'endpointId'],
  sealedRecord: (id) => `webhook ${id}`,
  // A rotation of keys changes the rest.
  signed: { columns: ['url', 'format', 'createdAt', 'previousKeyUntil', 'eventTypes'] },
  belongsTo: 'none',
  keptFor: 'forever',
});

const importProgress = table('import_progress', {
  columns: { source: text, rowsDone: integer, updatedAt: moment },
  key: ['source'],
  shared: 'tenants, since a file may have rows of several',
  signed: 'none',
  belongsTo: 'none',
  keptFor: { after: 'updatedAt', subject: 'importProgress', setting: 'IMPORT_PROGRESS_DAYS_MAX' },
});

const refusedImportRows = table('refused_import_row', {
  // Another import of the same file tries them again.
  columns: { source: text, rowNumber: integer },
  key: ['source', 'rowNumber'],
  shared: 'tenants, as import_progress',
  references: [{ columns: ['source'], table: importProgress, onDelete: 'cascade' }],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'withParent',
});

export const rowIntegrity = table('row_integrity', {
  // One row: the sealed keys of the MACs. The anchor of the audit log is a random text, renewed with each batch of entries.
  columns: { tenant, id: text, ...dataKey, sealedState: text, auditAnchor: nullable(text) },
  key: ['tenant', 'id'],
  sealedRecord: (id) => `row integrity ${id}`,
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

const leases = table('lease', {
  columns: { name: text, owner: text, expiresAt: moment },
  key: ['name'],
  shared: 'processes',
  isOfDatabase: true,
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'endLease' },
});

const writeCheck = table('write_check', {
  columns: { id: integer, checkedAt: moment },
  key: ['id'],
  shared: 'processes',
  isOfDatabase: true,
  rows: [[1, 0]],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

export const copyProgress = table('copy_progress', {
  // `source` stands for the store that is copied, `lastKey` for the last row of the table that is here. Empty before and after a copy.
  columns: { tableName: text, source: text, lastKey: nullable(text), rowsDone: integer },
  key: ['tableName'],
  shared: 'commands',
  isOfDatabase: true,
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'copyStore' },
});

export const storeTables = Object.freeze([
  idempotencyRecords,
  pendingRequests,
  jobs,
  jobSequences,
  webhookEndpoints,
  importProgress,
  refusedImportRows,
  rowIntegrity,
  leases,
  writeCheck,
  copyProgress,
]);

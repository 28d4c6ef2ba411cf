/** The tables of callers: credentials, records of calls, deprecations and counts of limits. */
import { column, table } from '../stores/index.ts';

const { tenant, text, integer, moment, flag, json, dataKey, optionalDataKey, nullable } = column;

export const credentials = table('credential', {
  columns: {
    tenant,
    credentialId: text,
    kind: text,
    username: nullable(text),
    roles: json,
    grants: json,
    requiresKey: flag,
    // The part of the tenant that the credential is confined to.
    tenantPartition: nullable(text),
    readOnly: flag,
    expiresAt: nullable(moment),
    // Two lists of texts; null where the credential is bound to none.
    networks: nullable(json),
    certificates: nullable(json),
    createdAt: moment,
    revokedAt: nullable(moment),
  },
  key: ['tenant', 'credentialId'],
  unique: [['credentialId']],
  // The name of a revoked credential may be given again.
  indexes: { username: { on: ['username'], where: 'revoked_at is null', unique: true } },
  // The columns that decide. The time of a revocation is not among them: a revoked credential has no MAC.
  signed: {
    columns: [
      'kind',
      'username',
      'roles',
      'grants',
      'requiresKey',
      'tenantPartition',
      'readOnly',
      'expiresAt',
      'networks',
      'certificates',
    ],
    where: 'revoked_at is null',
  },
  belongsTo: 'none',
  keptFor: 'forever',
});

/** The hashes of secrets. Their MACs bind them to their credential: a hash of one cannot be copied to another. */
export const credentialSecrets = table('credential_secret', {
  columns: {
    tenant,
    credentialId: text,
    secretId: text,
    lookup: nullable(text),
    salt: text,
    hash: text,
    createdAt: moment,
    validUntil: nullable(moment),
    pepperId: text,
  },
  key: ['tenant', 'credentialId', 'secretId'],
  unique: [['lookup']],
  references: [{ columns: ['tenant', 'credentialId'], table: credentials }],
  signed: {
    columns: ['lookup', 'salt', 'hash', 'validUntil'],
    where: `exists (select 1 from credential c where c.tenant = credential_secret.tenant
      and c.credential_id = credential_secret.credential_id and c.revoked_at is null)`,
  },
  belongsTo: { table: credentials },
  keptFor: 'withParent',
});

/** A table of its own: writing the last use of a credential must not touch what authorizes it. */
const credentialUses = table('credential_use', {
  columns: { tenant, credentialId: text, firstUsedAt: moment, lastUsedAt: moment },
  key: ['tenant', 'credentialId'],
  signed: 'none',
  belongsTo: { table: credentials },
  keptFor: 'withParent',
});

/** The second factors of people who log in to the console. */
export const secondFactors = table('second_factor', {
  columns: { tenant, credentialId: text, ...dataKey, sealedFactor: text, revision: integer, createdAt: moment },
  key: ['tenant', 'credentialId'],
  references: [{ columns: ['tenant', 'credentialId'], table: credentials }],
  sealedRecord: (id) => `second factor ${id}`,
  // What is sealed is authenticated, and bound to the credential.
  signed: 'none',
  belongsTo: { table: credentials },
  keptFor: 'withParent',
});

/** The credentials of callers at other servers. What is sealed is bound to the server. */
export const upstreamCredentials = table('upstream_credential', {
  columns: { upstream: tenant, credentialId: text, kind: text, ...dataKey, sealedCredential: text, createdAt: moment },
  key: ['upstream', 'credentialId'],
  sealedRecord: (id) => `upstream credential ${id}`,
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** Who calls what, and how often. */
export const callerRecords = table('caller_record', {
  // `lastRequest` is sealed, and its secrets are masked: it may hold personal data.
  columns: {
    tenant,
    callerId: text,
    credential: text,
    service: text,
    operation: text,
    version: nullable(integer),
    format: text,
    client: text,
    firstUsedAt: moment,
    lastUsedAt: moment,
    lastOutcome: text,
    ...optionalDataKey,
    lastRequest: nullable(text),
  },
  key: ['tenant', 'callerId'],
  indexes: { ofCredential: { on: ['tenant', 'credential'] } },
  sealedRecord: (id) => `caller ${id}`,
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'the task of caller records, after CALLER_DAYS_MAX' },
});

/** The counts of each day. */
export const callerRecordDays = table('caller_record_day', {
  // `day`: since the epoch, in UTC.
  columns: {
    tenant,
    callerId: text,
    day: integer,
    succeeded: integer,
    refused: integer,
    failed: integer,
    switchedOff: integer,
    exempt: integer,
  },
  key: ['tenant', 'callerId', 'day'],
  indexes: { byDay: { on: ['day'] } },
  signed: 'none',
  belongsTo: { table: callerRecords },
  keptFor: { deletedBy: 'the task of caller records, after CALLER_DAYS_MAX' },
});

/** Deprecations that operators have set. */
export const deprecations = table('deprecation', {
  // `changedBy`: who, as in the audit log.
  columns: { id: text, rule: json, revision: integer, changedAt: moment, changedBy: text },
  key: ['id'],
  shared: 'tenants, whose calls a rule may name',
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** Credentials that deprecations do not concern. */
export const deprecationExemptions = table('deprecation_exemption', {
  // The deprecation may be one of a configuration, so that there is no foreign key.
  columns: { deprecation: text, credential: text, exemptedAt: moment, exemptedBy: text },
  key: ['deprecation', 'credential'],
  shared: 'tenants, as deprecation',
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

const deprecationRevision = table('deprecation_revision', {
  // One row, which each change counts up and locks.
  columns: { id: integer, revision: integer },
  key: ['id'],
  shared: 'processes',
  rows: [[1, 0]],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** Who answers for a credential. It may be one that another server knows, so there is no foreign key. */
export const callerOwners = table('caller_owner', {
  columns: { credential: text, name: text, address: text, setAt: moment, setBy: text },
  key: ['credential'],
  shared: 'tenants, whose credentials they are',
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** What replays of recordings found, without values of requests and answers. */
export const comparisons = table('comparison', {
  columns: { name: text, result: json, savedAt: moment, savedBy: text },
  key: ['name'],
  shared: 'tenants, whose requests were recorded',
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

const limitCounts = table('limit_count', {
  // Subjects and members are keyed hashes. A row without a member has the sum of its subject.
  columns: { limitName: text, subject: text, member: text, events: integer, endsAt: moment, countedAt: moment },
  key: ['limitName', 'subject', 'member'],
  shared: 'tenants, whose names are hashed',
  indexes: { sum: { on: ['countedAt'], where: "member = ''" } },
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'deleteExpiredCounts' },
});

export const callerTables = Object.freeze([
  credentials,
  credentialSecrets,
  credentialUses,
  secondFactors,
  upstreamCredentials,
  callerRecords,
  callerRecordDays,
  deprecations,
  deprecationExemptions,
  deprecationRevision,
  callerOwners,
  comparisons,
  limitCounts,
]);

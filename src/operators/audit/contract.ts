/** The audit log. */
import { auditKinds } from '../../access/index.ts';
import { boolean, integer, object, oneOf, optional, required } from '../../core/contract/index.ts';
import { count, inQuery, longText, moment, name, operatorProblems, reads, rows, text, values } from '../operation.ts';

const subject = text(1_000, 'credential add');
const time = text(40, '24h');

export const listAuditEntries = reads(
  'listAuditEntries',
  'GET /state/audit',
  'Returns entries of the audit log, newest first.',
  {
    since: optional(
      time,
      'Only entries since then: a date, a time such as 2026-11-22T09:00Z, or a time span such as 24h or 7d.',
      inQuery,
    ),
    until: optional(time, 'Only entries before then, which is written in the same way.', inQuery),
    kind: optional(oneOf('AuditKind', ...auditKinds), 'Only entries of this kind.', inQuery),
    actor: optional(name, 'Only those that this credential or user has caused.', inQuery),
    subject: optional(subject, 'Only those that happened to this.', inQuery),
    reference: optional(
      { ...text(64, '8816080397613514'), pattern: '[A-Za-z0-9]+' },
      'Only those about the request with this reference.',
      inQuery,
    ),
    before: optional(
      integer(1, Number.MAX_SAFE_INTEGER, 1_000),
      'Only entries before this one: the next page.',
      inQuery,
    ),
    max: optional(integer(1, 9_999_999, 50), 'The most entries, the newest; 50 where it is absent.', inQuery),
  },
  object('AuditEntries', {
    isRecorded: required(boolean(true), 'Whether the audit log is on.'),
    kinds: values(name, 'kind', 'All kinds of entries.'),
    entries: rows(
      'AuditEntry',
      {
        sequence: required(count, 'Its place in the log, from 1.'),
        recordedAt: required(moment, 'When it happened.'),
        kind: required(name, 'What happened.'),
        actorType: required(name, '`credential`, `user` or `gateway`.'),
        actor: required(name, 'Who caused it.'),
        subject: required(subject, 'What it happened to.'),
        detail: required(longText, 'JSON text of a few short values.'),
        process: required(name, 'The process that recorded it.'),
        mac: required(text(43, 'q8yQ3W0n1mVx'), 'What proves the entry, and its place behind the one before.'),
      },
      'The entries.',
      9_999_999,
    ),
    hasMore: required(boolean(false), 'Whether older entries match.'),
  }),
  [operatorProblems.refusedAction],
);

export const verifyAuditLog = reads(
  'verifyAuditLog',
  'GET /state/audit/verification',
  'Verifies that no entry of the audit log was changed, added, removed or reordered. Reads the whole log.',
  {},
  object('AuditVerification', {
    isWhole: required(boolean(true), 'Whether every entry is as it was recorded.'),
    isEmpty: optional(boolean(false), 'Whether nothing was recorded in this store.'),
    entries: required(count, 'The number of entries.'),
    faults: rows(
      'AuditFault',
      {
        sequence: required(count, 'The entry at which the fault shows.'),
        message: required(longText, 'What is wrong.'),
      },
      'The first faults.',
      100,
    ),
  }),
);

export const auditOperations = [listAuditEntries, verifyAuditLog] as const;

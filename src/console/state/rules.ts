/** What governs the gateway: its keys, its settings and its audit log. */
import { operation } from '../../contract/operation.ts';
import { boolean, integer, list, object, oneOf, optional, required } from '../../contract/schema.ts';
import { roles } from '../roles.ts';
import { count, moment, text } from '../schemas.ts';
import { longText, name } from './schemas.ts';

export const listKeys = operation({
  name: 'listKeys',
  http: { method: 'GET', path: '/state/keys' },
  doc: 'Returns the keys in use, without their material.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListKeys', {
    countRows: optional(boolean(true), 'Whether the rows of each key are counted, which reads the whole store.', {
      in: 'query',
    }),
  }),
  output: object('Keys', {
    source: required(text(2_000, 'KEY_FILE ./keys'), 'Where the keys come from.'),
    keys: required(
      list(
        object('Key', {
          id: required(name, 'The id of the key.'),
          kind: required(oneOf('KeyKind', 'wrapping', 'index', 'pepper'), 'What the key is for.'),
          state: required(
            oneOf('KeyState', 'current', 'old', 'next', 'missing'),
            '`old`: only what was stored before needs it. `next`: on standby. `missing`: rows need it, and it is not there.',
          ),
          usedSince: optional(moment, 'When a server used it first, as the audit log has it.'),
          rows: optional(count, 'The number of rows that need the key.'),
        }),
        'Key',
        { max: 1_000 },
      ),
      'The keys.',
    ),
  }),
});

export const listSettings = operation({
  name: 'listSettings',
  http: { method: 'GET', path: '/state/settings' },
  doc: 'Returns every setting with its source. Secrets are hidden.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListSettings', {}),
  output: object('Settings', {
    settings: required(
      list(
        object('Setting', {
          name: required(name, 'The environment variable.'),
          value: required(longText, 'The value; `(hidden)` for a secret.'),
          unit: required(name, 'The unit of the value.'),
          source: required(text(2_000, 'environment'), '`default`, or where it is set.'),
          isDefault: required(boolean(true), 'Whether nothing sets it.'),
          doc: required(longText, 'What it means.'),
        }),
        'Setting',
        { max: 1_000 },
      ),
      'The settings.',
    ),
  }),
});

const auditEntry = object('AuditEntry', {
  sequence: required(count, 'Its place in the log, from 1.'),
  recordedAt: required(moment, 'When it happened.'),
  kind: required(name, 'What happened.'),
  actorType: required(name, '`credential`, `user` or `gateway`.'),
  actor: required(name, 'Who caused it.'),
  subject: required(text(1_000, 'credential add'), 'What it happened to.'),
  detail: required(longText, 'JSON text of a few short values.'),
  process: required(name, 'The process that recorded it.'),
});

const filter = { in: 'query' } as const;

export const listAuditEntries = operation({
  name: 'listAuditEntries',
  http: { method: 'GET', path: '/state/audit' },
  doc: 'Returns entries of the audit log, newest first.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListAuditEntries', {
    kind: optional(name, 'Only entries of this kind.', filter),
    actor: optional(name, 'Only those that this credential or user has caused.', filter),
    subject: optional(text(1_000, 'credential add'), 'Only those that happened to this.', filter),
    before: optional(
      integer(1, Number.MAX_SAFE_INTEGER, 1_000),
      'Only entries before this one: the next page.',
      filter,
    ),
    max: optional(integer(1, 500, 50), 'The most entries; 50 where it is absent.', filter),
  }),
  output: object('AuditEntries', {
    isRecorded: required(boolean(true), 'Whether the audit log is on.'),
    kinds: required(list(name, 'kind', { max: 1_000 }), 'All kinds of entries.'),
    entries: required(list(auditEntry, 'AuditEntry', { max: 500 }), 'The entries.'),
    hasMore: required(boolean(false), 'Whether older entries match.'),
  }),
});

export const verifyAuditLog = operation({
  name: 'verifyAuditLog',
  http: { method: 'GET', path: '/state/audit/verification' },
  doc: 'Verifies that no entry of the audit log was changed, added, removed or reordered. Reads the whole log.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('VerifyAuditLog', {}),
  output: object('AuditVerification', {
    isWhole: required(boolean(true), 'Whether every entry is as it was recorded.'),
    entries: required(count, 'The number of entries.'),
    faults: required(
      list(
        object('AuditFault', {
          sequence: required(count, 'The entry at which the fault shows.'),
          message: required(longText, 'What is wrong.'),
        }),
        'AuditFault',
        { max: 100 },
      ),
      'The first faults.',
    ),
  }),
});

export const ruleOperations = [listKeys, listSettings, listAuditEntries, verifyAuditLog] as const;

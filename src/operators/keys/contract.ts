/** Encryption keys, the rotation of stored data to the current ones, and the MACs of rows. */
import { boolean, list, object, oneOf, optional, required } from '../../core/contract/index.ts';
import { acts, count, inQuery, moment, name, operatorProblems, reads, rows, text } from '../operation.ts';

const key = {
  id: required(name, 'The id of the key.'),
  kind: required(oneOf('KeyKind', 'wrapping', 'index', 'pepper'), 'What the key is for.'),
  state: required(
    oneOf('KeyState', 'current', 'old', 'next', 'missing'),
    '`old`: only what was stored before needs it. `next`: on standby. `missing`: rows need it, and it is not there.',
  ),
  usedSince: optional(moment, 'When a server used it first, as the audit log has it.'),
  rows: optional(count, 'The number of rows that need the key.'),
  until: optional(moment, 'Of an old index key: when the last idempotency record that needs it expires.'),
  credentials: optional(
    list(name, 'credential', { max: 20 }),
    'Of an old pepper: the first credentials that need it, each after its tenant.',
  ),
};

export const listKeys = reads(
  'listKeys',
  'GET /state/keys',
  'Returns the keys in use, without their material.',
  {
    countRows: optional(
      boolean(true),
      'Whether the rows of each key are counted, which reads the whole store.',
      inQuery,
    ),
  },
  object('Keys', {
    source: required(text(2_000, 'KEY_FILE ./keys'), 'Where the keys come from.'),
    keys: rows('Key', key, 'The keys.'),
  }),
);

const scope = {
  tenant: required(name, 'The tenant.'),
  record: required(text(400, '8816080397613514'), 'The record.'),
};

export const rotateKeys = acts(
  'rotateKeys',
  'POST /keys/rotate',
  'Moves all stored data to the current wrapping key and the current index key. Servers may be running, and must know both. An interrupted rotation goes on when it is repeated.',
  {},
  object('KeyRotation', {
    moved: required(count, 'How many rows were moved to the current wrapping key.'),
    left: required(count, 'How many rows still need another wrapping key.'),
    unopened: required(count, 'How many records have a data key that does not open: it was changed, or moved.'),
    firstUnopened: rows('UnopenedRecord', scope, 'The first of them.', 100),
    fingerprints: optional(
      object('RotatedFingerprints', {
        changed: required(count, 'How many records have new fingerprints.'),
        unopened: required(count, 'How many records do not open, so that their fingerprints stay.'),
        firstUnopened: rows('UnopenedFingerprint', scope, 'The first of them.', 100),
      }),
      'Where there is an old index key.',
    ),
    keys: rows('RotatedKey', key, 'The keys, with their rows.'),
  }),
  { audited: [] },
);

const row = {
  table: required(name, 'The table.'),
  tenant: required(text(400, 'Acme'), 'The tenant.'),
  id: required(text(400, 'we_Fx0uT4mQ9a1s'), 'Identifies the row in its table and tenant.'),
};
const signedRow = { ...row, isUnsigned: required(boolean(true), 'Whether it has no MAC. Otherwise its MAC is wrong.') };
/** Rows that an answer names. */
export const shownMax = 1_000;

export const verifyRows = reads(
  'verifyRows',
  'GET /keys/rows/verification',
  'Compares the MACs and the fingerprints of all rows that have one, and returns the altered rows. Reads the whole store.',
  {},
  object('RowVerification', {
    rows: required(count, 'How many rows have a MAC.'),
    altered: rows('AlteredRow', signedRow, 'The first rows that are altered, or have no MAC yet.', shownMax),
    wrongFingerprints: rows(
      'WrongFingerprint',
      row,
      'The first rows whose fingerprint is not that of their number.',
      shownMax,
    ),
  }),
  [operatorProblems.refusedAction],
);

export const signRows = acts(
  'signRows',
  'POST /keys/rows/sign',
  'Signs rows as they are now; servers may be running. A signed row decides and is shown again: review it before.',
  {
    unsigned: optional(
      boolean(true),
      'The rows that have no MAC, as after the restore of a backup from before the MACs.',
    ),
    row: optional(
      list(text(1_000, 'webhook_endpoint/Acme/we_Fx0uT4mQ9a1s'), 'row', { max: 10_000 }),
      'A row that you have reviewed, even if its MAC is wrong: TABLE/TENANT/ID.',
    ),
    dryRun: optional(boolean(true), 'Lists the rows, and signs nothing.'),
  },
  object('SignedRows', {
    chosen: required(count, 'How many rows are signed, or would be.'),
    signed: optional(count, 'How many were signed. Absent after a dry run.'),
    left: required(count, 'How many other rows have a wrong or no MAC.'),
    rows: rows('SignedRow', signedRow, 'The first rows.', shownMax),
  }),
  { audited: ['unsigned', 'dryRun'], problems: [operatorProblems.refusedAction] },
);

export const keyOperations = [listKeys, rotateKeys, verifyRows, signRows] as const;

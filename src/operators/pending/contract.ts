/** Pending requests, whose outcome is unknown, and what the gateway knows of an Idempotency-Key. */
import {
  boolean,
  defineProblems,
  integer,
  kind,
  object,
  oneOf,
  optional,
  required,
} from '../../core/contract/index.ts';
import { acts, inPath, inQuery, longText, moment, name, operatorProblems, reads, rows, text } from '../operation.ts';

export const pendingProblems = defineProblems({
  pendingNotFound: kind(422, '1101', 'validation', 'No such request is pending'),
  notSettled: kind(422, '1102', 'validation', 'The request cannot be settled so'),
});

export const findIdempotencyRecord = reads(
  'findIdempotencyRecord',
  // A key belongs in no URL, which logs and the history of browsers keep.
  'POST /state/idempotencyRecord',
  'Returns what is known of an Idempotency-Key. Keys are stored as keyed hashes, so there is no list of them. A record is found by the tenant and the key, or by the reference of its request.',
  {
    tenant: optional(name, 'The tenant that the key belongs to.'),
    partition: optional(name, 'The part of the tenant, for services whose keys belong to one.'),
    key: optional(text(64, 'a3f1c2d4'), 'The Idempotency-Key as the caller has sent it.'),
    reference: optional(
      text(64, '8816080397613514'),
      'The reference of the request that had the effect, instead of the tenant and the key. It is searched among the newest 20,000 records of a database.',
    ),
  },
  object('IdempotencyRecord', {
    found: required(boolean(true), 'Whether there is a record that has not expired.'),
    status: optional(
      oneOf('RecordStatus', 'completed', 'inFlight', 'repeatable', 'unknown'),
      '`completed`, or the state of the request that another server was asked.',
    ),
    operation: optional(name, 'The operation of the request.'),
    requestReference: optional(name, 'The reference of the request that had the effect, or may have had it.'),
    createdAt: optional(moment, 'When the key was used first.'),
    expiresAt: optional(moment, 'When the key may be used again. Absent while there is no outcome.'),
    requestHash: optional(text(8, 'Qm9va21h'), 'The first characters of the hash of the request.'),
    outcome: optional(text(100_000, '{"output":{}}'), 'What a retry gets, as JSON; sensitive members are masked.'),
    pendingRequest: optional(name, 'The id of the pending request, where there is no outcome.'),
  }),
  [operatorProblems.refusedAction],
);

const state = oneOf('PendingState', 'inFlight', 'repeatable', 'unknown');

const pendingFields = {
  id: required(name, 'Identifies the request.'),
  state: required(state, 'As `triglyph pending` names it.'),
  upstream: required(name, 'The upstream that was asked.'),
  service: required(name, 'The service.'),
  operation: required(name, 'The operation.'),
  tenant: required(name, 'The tenant.'),
  credential: required(name, 'The credential that asked.'),
  startedAt: required(moment, 'When it was asked first.'),
  hasKey: required(boolean(true), 'Whether the request had an Idempotency-Key.'),
  process: required(name, 'The process that asked first.'),
  lastAttempt: optional(name, 'The reference of the request that asked last, where it is another one.'),
  failure: optional(longText, 'Why the outcome is unknown, where a process has seen it.'),
};

const input = optional(
  text(200_000, '{"number":"A-1001"}'),
  'The input as JSON; sensitive members are masked. Absent for a long one.',
);

export const listPendingRequests = reads(
  'listPendingRequests',
  'GET /state/pendingRequests',
  'Returns the requests to other servers that have no outcome, oldest first.',
  {
    state: optional(state, 'Only requests in this state.', inQuery),
    upstream: optional(name, 'Requests to one server.', inQuery),
    tenant: optional(name, 'Requests of one tenant.', inQuery),
    operation: optional(name, 'Requests of one operation.', inQuery),
    withInput: optional(boolean(false), 'Whether the inputs are returned, too.', inQuery),
    max: optional(integer(1, 10_000, 1_000), 'The most requests; 1,000 where it is absent.', inQuery),
  },
  object('PendingRequests', {
    requests: rows('PendingRequest', { ...pendingFields, input }, 'The requests.', 10_000),
  }),
);

const pendingId = required(text(100, '8816080397613514'), 'The id that `pending list` prints.', inPath);

export const getPendingRequest = reads(
  'getPendingRequest',
  'GET /state/pendingRequests/{id}',
  'Returns a pending request with its input.',
  { id: pendingId },
  object('PendingRequestWithInput', { ...pendingFields, input }),
  [pendingProblems.pendingNotFound],
);

export const settlePendingRequest = acts(
  'settlePendingRequest',
  'POST /state/pendingRequests/{id}/settle',
  'Says what became of a request, as `triglyph pending settle`. Look it up at the other server first.',
  {
    id: pendingId,
    result: required(
      oneOf('Settlement', 'done', 'notDone', 'refused'),
      '`done`: the other server had the effect. `notDone`: it had not, and a retry is executed. `refused`: it refused the request.',
    ),
    output: optional(text(200_000, '{"id":"o-7"}'), 'For `done`: the output as JSON. A retry gets it.'),
    code: optional(text(40, '192'), 'For `refused`: the error code.'),
    message: optional(text(1_000, 'Refused'), 'For `refused`: the text; that of the contract by default.'),
  },
  object('SettledRequest', { consequence: required(longText, 'What a retry gets from now on.') }),
  { audited: ['id', 'result', 'code'], problems: [pendingProblems.pendingNotFound, pendingProblems.notSettled] },
);

export const pendingOperations = [
  findIdempotencyRecord,
  listPendingRequests,
  getPendingRequest,
  settlePendingRequest,
] as const;

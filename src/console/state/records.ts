/** Idempotency records and pending requests: what the gateway knows of a key, and of requests without an outcome. */
import { operation } from '../../contract/operation.ts';
import { defineProblems, kind } from '../../contract/problem.ts';
import { boolean, list, object, oneOf, optional, required } from '../../contract/schema.ts';
import { roles } from '../roles.ts';
import { moment, text } from '../schemas.ts';
import { longText, name, pathField } from './schemas.ts';

export const stateProblems = defineProblems({
  pendingNotFound: kind(422, '1101', 'validation', 'No such request is pending'),
  notSettled: kind(422, '1102', 'validation', 'The request cannot be settled so'),
});

const tenant = required(name, 'The tenant that the key belongs to.');
const recordStatus = oneOf('RecordStatus', 'completed', 'inFlight', 'repeatable', 'unknown');

export const findIdempotencyRecord = operation({
  name: 'findIdempotencyRecord',
  // A key belongs in no URL, which logs and the history of browsers keep.
  http: { method: 'POST', path: '/state/idempotencyRecord' },
  doc: 'Returns what is known of an Idempotency-Key. Keys are stored as keyed hashes, so there is no list of them.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('FindIdempotencyRecord', {
    tenant,
    partition: optional(name, 'The part of the tenant, for services whose keys belong to one.'),
    key: required(text(64, 'a3f1c2d4'), 'The Idempotency-Key as the caller has sent it.'),
  }),
  output: object('IdempotencyRecord', {
    found: required(boolean(true), 'Whether there is a record that has not expired.'),
    status: optional(recordStatus, '`completed`, or the state of the request that another server was asked.'),
    operation: optional(name, 'The operation of the request.'),
    requestReference: optional(name, 'The reference of the request that had the effect, or may have had it.'),
    createdAt: optional(moment, 'When the key was used first.'),
    expiresAt: optional(moment, 'When the key may be used again. Absent while there is no outcome.'),
    requestHash: optional(text(8, 'Qm9va21h'), 'The first characters of the hash of the request.'),
    outcome: optional(text(100_000, '{"output":{}}'), 'What a retry gets, as JSON; sensitive members are masked.'),
    pendingRequest: optional(name, 'The id of the pending request, where there is no outcome.'),
  }),
});

const pendingFields = {
  id: required(name, 'Identifies the request.'),
  state: required(oneOf('PendingState', 'inFlight', 'repeatable', 'unknown'), 'As `triglyph pending` names it.'),
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

export const listPendingRequests = operation({
  name: 'listPendingRequests',
  http: { method: 'GET', path: '/state/pendingRequests' },
  doc: 'Returns the requests to other servers that have no outcome, oldest first.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListPendingRequests', {}),
  output: object('PendingRequests', {
    requests: required(
      list(object('PendingRequest', pendingFields), 'PendingRequest', { max: 1_000 }),
      'The requests, at most 1,000.',
    ),
  }),
});

const pendingId = pathField(text(100, '8816080397613514'), 'The id of the pending request.');

export const getPendingRequest = operation({
  name: 'getPendingRequest',
  http: { method: 'GET', path: '/state/pendingRequests/{id}' },
  doc: 'Returns a pending request with its input.',
  effect: 'reads',
  role: roles.read,
  problems: [stateProblems.pendingNotFound],
  input: object('GetPendingRequest', { id: pendingId }),
  output: object('PendingRequestWithInput', {
    ...pendingFields,
    input: optional(
      text(200_000, '{"number":"A-1001"}'),
      'The input as JSON; sensitive members are masked. Absent for a long one.',
    ),
  }),
});

export const settlePendingRequest = operation({
  name: 'settlePendingRequest',
  http: { method: 'POST', path: '/state/pendingRequests/{id}/settle' },
  doc: 'Says what became of a request, as `triglyph pending settle`. Look it up at the other server first.',
  effect: 'writes',
  role: roles.act,
  problems: [stateProblems.pendingNotFound, stateProblems.notSettled],
  input: object('SettlePendingRequest', {
    id: pendingId,
    result: required(
      oneOf('Settlement', 'done', 'notDone', 'refused'),
      '`done`: the other server had the effect. `notDone`: it had not, and a retry is executed. `refused`: it refused the request.',
    ),
    output: optional(text(200_000, '{"id":"o-7"}'), 'For `done`: the output as JSON. A retry gets it.'),
    code: optional(text(40, '192'), 'For `refused`: the error code.'),
    message: optional(text(1_000, 'Refused'), 'For `refused`: the text; that of the contract by default.'),
  }),
  output: object('SettledRequest', { consequence: required(longText, 'What a retry gets from now on.') }),
});

export const recordOperations = [
  findIdempotencyRecord,
  listPendingRequests,
  getPendingRequest,
  settlePendingRequest,
] as const;

/** Traffic: the requests that the gateway has answered, one of them with its details, and rates. */
import { defineProblems, kind } from '../../contract/problem.ts';
import { boolean, double, integer, object, oneOf, optional, required, string } from '../../contract/schema.ts';
import { languageNames } from '../../convert/call-source.ts';
import { reads, values } from '../../operators/operation.ts';

const textMax = 4_000;
/** Characters of a message. */
export const messageMax = 200_000;
const text = string({ max: textMax, example: 'orders' });
const moment = integer(0, Number.MAX_SAFE_INTEGER, Date.UTC(2026, 0, 31));
const count = integer(0, Number.MAX_SAFE_INTEGER, 3);
const time = double(1.25);
const id = string({ min: 1, max: 40, pattern: '[0-9]+-[0-9]+', example: '4711-12' });

/** The problems of this view. */
export const trafficProblems = defineProblems({
  requestNotKept: kind(404, '000', 'validation', 'The request is not kept any more'),
  noCanonicalForm: kind(422, '000', 'validation', 'No canonical form of the request is kept'),
  trafficOff: kind(404, '000', 'validation', 'Traffic is not recorded: TRAFFIC is off'),
});

const line = {
  id: required(id, 'Names the request.'),
  at: required(moment, 'When it was answered, in milliseconds since 1970.'),
  method: required(text, 'The method of HTTP.'),
  path: optional(text, 'The path as a template.'),
  format: required(text, 'The wire format, or `document`.'),
  service: optional(text, 'The service.'),
  version: optional(integer(1, 10_000, 68), 'The version that answered.'),
  operation: optional(text, 'The operation.'),
  caller: optional(text, 'The credential.'),
  outcome: required(text, '`ok`, or the name of the problem.'),
  isFailure: required(boolean(false), 'Whether the problem is one of the server.'),
  status: required(integer(0, 999, 200), 'The status of the answer.'),
  ms: required(time, 'Milliseconds from the head to the answer.'),
  bytesIn: required(count, 'The length of the body.'),
  bytesOut: required(count, 'The length of the answer.'),
  key: required(
    oneOf('KeyResult', 'none', 'unused', 'new', 'replayed', 'conflict', 'inProgress', 'notStored'),
    'What the Idempotency-Key did: `new` (the effect or refusal was stored), `replayed`, `conflict` (it belongs to another request), `inProgress`, `notStored`, `unused` (the operation reads), `none`.',
  ),
  reference: required(text, 'The reference of the request; of a replay, that of the first request.'),
  hasDetails: required(boolean(true), 'Whether its details are kept.'),
} as const;

const trafficLine = object('TrafficLine', line);

/** What selects requests, in the list and in the stream of events. */
const filterFields = {
  format: optional(text, 'Only requests in this format.', { in: 'query' }),
  operation: optional(text, 'Only requests for this operation.', { in: 'query' }),
  version: optional(integer(1, 10_000, 68), 'Only requests that this version answered.', { in: 'query' }),
  caller: optional(text, 'Only requests of this credential.', { in: 'query' }),
  outcome: optional(text, '`ok`, `refused`, `failed`, `replayed`, or the name of a problem.', { in: 'query' }),
  reference: optional(text, 'Only requests with this reference.', { in: 'query' }),
} as const;

export const listTraffic = reads(
  'listTraffic',
  'GET /traffic/requests',
  'Returns the last requests that are kept in memory, in the order of their answers.',
  {
    ...filterFields,
    limit: optional(integer(1, 1_000, 200), 'How many at most; 200 by default.', { in: 'query' }),
  },
  object('Traffic', {
    requests: values(trafficLine, 'Request', 'The requests.'),
    cursor: required(text, 'Where the stream of events goes on: its parameter `after`.'),
    details: required(oneOf('RecordedDetails', 'watched', 'always'), 'Of which requests details are recorded.'),
    requestsMax: required(count, 'How many requests each process remembers.'),
  }),
  [trafficProblems.trafficOff],
);

const issue = object('TrafficIssue', {
  at: required(text, 'The place, in the words of the format.'),
  problem: required(text, 'The name of the problem.'),
  code: required(text, 'Its code.'),
  message: required(text, 'Its message.'),
});

const header = object('MaskedHeader', {
  name: required(text, 'The name.'),
  value: optional(text, 'The value, or `<masked>`.'),
});

const message = {
  headers: values(header, 'Header', 'The headers.', 200),
  body: optional(string({ max: messageMax, example: '{}' }), 'The body as text, with secrets masked.'),
  indented: optional(string({ max: messageMax, example: '{}' }), 'The body on several lines, where it has one.'),
  isCut: required(boolean(false), 'Whether the body is longer.'),
} as const;

const received = object('ReceivedMessage', {
  ...message,
  query: optional(text, 'The query, with secrets masked.'),
  isReadable: required(
    boolean(true),
    'Whether a format could read the body. If not, its structure is shown, and letters are `x`.',
  ),
});

const step = object('TrafficStep', {
  name: required(
    oneOf('StepName', 'receive', 'decode', 'authorize', 'execute', 'read', 'transaction', 'upstream', 'answer'),
    'The step: `receive` includes the log-in, the turn and the body.',
  ),
  startMs: required(time, 'When it began, after the head.'),
  ms: required(time, 'How long it took.'),
  isFailed: required(boolean(false), 'Whether it ended with an error.'),
});

const upstreamCall = object('UpstreamCall', {
  upstream: required(text, 'The upstream.'),
  operation: required(text, 'The operation.'),
  hasKey: required(boolean(true), 'Whether it got a key of its own for the request.'),
  startMs: required(time, 'When it was asked, after the head.'),
  ms: required(time, 'How long it took, with its retries.'),
  outcome: required(text, '`ok`, or the name of the problem or error.'),
  reference: optional(text, 'The reference that the upstream gave the request.'),
});

const details = object('TrafficDetails', {
  tenant: optional(text, 'The tenant.'),
  client: optional(text, 'What the client calls itself.'),
  address: required(text, 'The address of the caller.'),
  requestId: required(text, 'The X-Request-Id.'),
  traceId: required(text, 'The trace.'),
  received: required(received, 'What was received.'),
  canonical: optional(
    string({ max: messageMax, example: '{}' }),
    'The canonical form as JSON; absent for a request with issues.',
  ),
  issues: values(issue, 'Issue', 'What is wrong with the request.', 100),
  problemCode: optional(text, 'The code of the problem.'),
  problemMessage: optional(text, 'Its message.'),
  keyLength: optional(count, 'The length of the Idempotency-Key.'),
  keyIsWeak: required(boolean(false), 'Whether the key is so short that two callers may choose the same.'),
  steps: values(step, 'Step', 'The steps.', 200),
  upstreamCalls: values(upstreamCall, 'UpstreamCall', 'The requests to upstreams.', 100),
  answer: required(object('AnswerMessage', message), 'The answer.'),
});

export const getTrafficRequest = reads(
  'getTrafficRequest',
  'GET /traffic/requests/{id}',
  'Returns a request with its details. Secrets in them are masked. The audit log records who has opened which request.',
  { id: required(id, 'The request.', { in: 'path' }) },
  object('TrafficRequest', {
    ...line,
    details: optional(details, 'Absent where they were not recorded, or are not stored any more.'),
  }),
  [trafficProblems.requestNotKept, trafficProblems.trafficOff],
);

export const printTrafficRequest = reads(
  'printTrafficRequest',
  'GET /traffic/requests/{id}/programs/{language}',
  'Returns a program that sends the request. What is masked is a placeholder in it.',
  {
    id: required(id, 'The request.', { in: 'path' }),
    language: required(oneOf('Language', ...languageNames), 'The language.', { in: 'path' }),
  },
  object('TrafficProgram', {
    source: required(string({ max: messageMax, example: 'curl' }), 'The source of the program.'),
  }),
  [trafficProblems.requestNotKept, trafficProblems.noCanonicalForm, trafficProblems.trafficOff],
);

const point = object('RatePoint', {
  at: required(moment, 'The start of the interval, in milliseconds since 1970.'),
  requests: required(count, 'The requests that were answered.'),
  refused: required(count, 'Requests that were refused.'),
  failed: required(count, 'Requests that failed by an error of the server.'),
  p50: required(time, 'The median of their times, in milliseconds.'),
  p95: required(time, 'The 95th percentile.'),
  p99: required(time, 'The 99th percentile.'),
});

const formatRates = object('FormatRates', {
  format: required(text, 'The wire format, or `document`.'),
  points: values(point, 'Point', 'The intervals with requests.', 1_440),
});

export const getTrafficRates = reads(
  'getTrafficRates',
  'GET /traffic/rates',
  'Returns rates and times by format. They are counted in memory: a restart loses those before it.',
  {
    period: optional(
      oneOf('Period', 'hour', 'day'),
      'The last hour by minute, which is the default, or the last day in steps of five minutes.',
      {
        in: 'query',
      },
    ),
  },
  object('TrafficRates', {
    from: required(moment, 'The start of the first interval.'),
    until: required(moment, 'Now.'),
    stepMs: required(count, 'The length of an interval.'),
    formats: values(formatRates, 'Format', 'The formats that were used.', 50),
  }),
  [trafficProblems.trafficOff],
);

export const trafficOperations = [listTraffic, getTrafficRequest, printTrafficRequest, getTrafficRates] as const;

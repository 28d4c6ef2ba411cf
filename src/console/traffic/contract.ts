/** Traffic: the requests that the gateway has answered, one of them with its details, and rates. */
import {
  boolean,
  defineProblems,
  double,
  integer,
  kind,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../../core/contract/index.ts';
import { reads, values } from '../../operators/index.ts';

const textMax = 4_000;
export const text = string({ max: textMax, example: 'orders' });
const moment = integer(0, Number.MAX_SAFE_INTEGER, Date.UTC(2026, 0, 31));
export const count = integer(0, Number.MAX_SAFE_INTEGER, 3);
export const time = double(1.25);
export const id = string({ min: 1, max: 40, pattern: '[0-9]+-[0-9]+', example: '4711-12' });

/** The problems of this view. */
export const trafficProblems = defineProblems({
  requestNotKept: kind(404, '000', 'validation', 'The request is not kept any more'),
  noCanonicalForm: kind(422, '000', 'validation', 'No canonical form of the request is kept'),
  trafficOff: kind(404, '000', 'validation', 'Traffic is not recorded: TRAFFIC is off'),
});

/** What the list has of a request. */
export const line = {
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

export const trafficOperations = [listTraffic, getTrafficRates] as const;

/** One request with everything that is kept of it, and as a program. */

import { languageNames } from '../../convert/index.ts';
import { boolean, object, oneOf, optional, required, string } from '../../core/contract/index.ts';
import { reads, values } from '../../operators/index.ts';
import { count, id, line, text, time, trafficProblems } from '../traffic/contract.ts';

/** Characters of a message. */
export const messageMax = 200_000;

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

export const requestOperations = [getTrafficRequest, printTrafficRequest] as const;

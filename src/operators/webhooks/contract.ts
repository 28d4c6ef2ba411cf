/** Webhook endpoints, dead letters, and the jobs behind them. */
import {
  boolean,
  defineProblems,
  integer,
  kind,
  list,
  map,
  object,
  optional,
  required,
} from '../../core/contract/index.ts';
import {
  acts,
  count,
  inPath,
  inQuery,
  longText,
  milliseconds,
  moment,
  name,
  operatorProblems,
  ownProof,
  reads,
  rows,
  text,
} from '../operation.ts';

export const webhookProblems = defineProblems({
  deadLetterNotFound: kind(422, '1103', 'validation', 'No dead letter has this id'),
});

const address = text(2_000, 'https://shop.example.com/webhooks');
const deadLetterId = text(300, '8816080397613514/we_Fx0uT4mQ9a1s');
const eventTypes = list(name, 'event', { max: 100 });
const endpointId = text(100, 'we_Fx0uT4mQ9a1s');
const key = required(
  text(64, '0f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a6978'),
  'The key that signs its webhooks. It is shown once: HMAC-SHA256, 64 hexadecimal digits.',
);

export const listWebhooks = reads(
  'listWebhooks',
  'GET /state/webhooks',
  'Returns the webhook endpoints with their backlog, without their keys.',
  {},
  object('Webhooks', {
    endpoints: rows(
      'WebhookEndpoint',
      {
        id: required(name, 'Identifies the endpoint.'),
        tenant: required(name, 'The tenant whose events are sent.'),
        address: required(address, 'The address without its query.'),
        format: required(name, 'The webhook format.'),
        events: optional(eventTypes, 'The types of its events; absent: those that the description of the format has.'),
        createdAt: required(moment, 'When it was added.'),
        twoKeysUntil: optional(moment, 'Until when two keys sign.'),
        waiting: required(count, 'The number of events that wait for delivery.'),
        oldestMs: optional(milliseconds, 'The age of the oldest event that waits.'),
        dead: required(count, 'The number of dead letters.'),
        altered: optional(boolean(true), 'Whether it was changed in the database, so that nothing is sent to it.'),
        changedTo: optional(address, 'The address that the database has now, without its query.'),
      },
      'The endpoints.',
      10_000,
    ),
  }),
);

export const addWebhookEndpoint = acts(
  'addWebhookEndpoint',
  'POST /webhooks/endpoints',
  'Adds a webhook endpoint, and returns the key that signs its webhooks once.',
  {
    tenant: required(name, 'The tenant whose events are sent.'),
    url: required(address, 'The address: https, or http to this machine or with ENVIRONMENT=test.'),
    format: optional(
      name,
      'Its format: docs/webhooks.md has those of the built-in services. By default the first one.',
    ),
    event: optional(
      eventTypes,
      'The types of the events that it gets. By default those that the description of the format has.',
    ),
  },
  object('AddedWebhookEndpoint', {
    id: required(endpointId, 'Identifies the endpoint.'),
    url: required(address, 'Its address.'),
    format: required(name, 'Its webhook format.'),
    events: optional(eventTypes, 'The types of its events, where it was given them.'),
    key,
  }),
  { audited: ['tenant', 'format', 'event'], problems: [operatorProblems.refusedAction] },
);

const endpoint = { id: required(endpointId, 'The id that `webhooks endpoint list` prints.', inPath) };

export const removeWebhookEndpoint = acts(
  'removeWebhookEndpoint',
  'POST /webhooks/endpoints/{id}/remove',
  'Removes a webhook endpoint and its undelivered webhooks.',
  endpoint,
  object('RemovedWebhookEndpoint', { dropped: required(count, 'The number of undelivered webhooks.') }),
  { audited: ['id'], problems: [operatorProblems.refusedAction] },
);

export const rotateWebhookKey = acts(
  'rotateWebhookKey',
  'POST /webhooks/endpoints/{id}/rotate',
  'Issues a new key for a webhook endpoint, and returns it once. Both keys sign for a day by default.',
  {
    ...endpoint,
    grace: optional(integer(0, 999_999, 1_440), 'How long both keys sign, in whole minutes; 1440 by default.'),
    ...ownProof,
  },
  object('RotatedWebhookKey', {
    key,
    rotatingUntil: optional(moment, 'Until when both keys sign. Absent where the key before signs no more.'),
  }),
  { audited: ['id', 'grace'], problems: [operatorProblems.refusedAction] },
);

export const listDeadLetters = reads(
  'listDeadLetters',
  'GET /state/deadLetters',
  'Returns the webhooks that could not be delivered, the longest dead first.',
  {
    tenant: optional(name, 'Only those of this tenant.', inQuery),
    max: optional(integer(1, 1_000_000, 1_000), 'The most dead letters; 1,000 where it is absent.', inQuery),
  },
  object('DeadLetters', {
    letters: rows(
      'DeadLetter',
      {
        id: required(deadLetterId, 'Identifies the dead letter within its tenant.'),
        tenant: required(name, 'The tenant.'),
        type: required(name, 'The type of the event.'),
        owner: optional(text(300, 'Demo'), 'What the event belongs to.'),
        belongsTo: optional(map(10, { warehouse: 'Demo' }), 'The same, by what it is.'),
        endpoint: required(address, 'The address without its query.'),
        happenedAt: required(moment, 'When the event happened.'),
        givenUpAt: required(moment, 'When the delivery was given up.'),
        attempts: required(count, 'The number of attempts.'),
        because: required(longText, 'Why the last attempt failed.'),
      },
      'The dead letters.',
      1_000_000,
    ),
  }),
);

const retried = object('RetriedDeadLetters', { retried: required(count, 'How many are delivered again.') });

export const retryDeadLetter = acts(
  'retryDeadLetter',
  'POST /state/deadLetters/retry',
  'Makes the servers deliver a dead letter again, with new attempts.',
  {
    tenant: optional(name, 'The tenant of the dead letter.'),
    id: required(deadLetterId, 'The id of the dead letter.'),
  },
  retried,
  { audited: ['tenant', 'id'], problems: [webhookProblems.deadLetterNotFound] },
);

export const retryAllDeadLetters = acts(
  'retryAllDeadLetters',
  'POST /state/deadLetters/retryAll',
  'Makes the servers deliver all dead letters again, with new attempts.',
  {},
  retried,
  { audited: [] },
);

export const listJobs = reads(
  'listJobs',
  'GET /state/jobs',
  'Returns the background jobs by kind.',
  {},
  object('Jobs', {
    kinds: rows(
      'JobKind',
      {
        kind: required(name, 'The kind of the jobs.'),
        due: required(count, 'Due now, and taken by no process.'),
        leased: required(count, 'Run by a process.'),
        scheduled: required(count, 'Due later.'),
        blocked: required(count, 'Behind another job of their ordering key.'),
        failing: required(count, 'Have failed, and are repeated. They are in another count, too.'),
        dead: required(count, 'Given up.'),
        longestDueMs: optional(milliseconds, 'How long the first due job has waited.'),
        lastFailure: optional(longText, 'Why a job of the kind has failed.'),
      },
      'The kinds that have jobs.',
    ),
  }),
);

export const webhookOperations = [
  listWebhooks,
  addWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookKey,
  listDeadLetters,
  retryDeadLetter,
  retryAllDeadLetters,
  listJobs,
] as const;

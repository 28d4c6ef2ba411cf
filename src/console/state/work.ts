/** Work that outlives requests: webhooks and jobs. */
import { operation } from '../../contract/operation.ts';
import { defineProblems, kind } from '../../contract/problem.ts';
import { list, object, optional, required } from '../../contract/schema.ts';
import { roles } from '../roles.ts';
import { count, moment, text } from '../schemas.ts';
import { longText, milliseconds, name } from './schemas.ts';

export const workProblems = defineProblems({
  deadLetterNotFound: kind(422, '1103', 'validation', 'No dead letter has this id'),
});

const address = text(2_000, 'https://shop.example.com/webhooks');

export const listWebhooks = operation({
  name: 'listWebhooks',
  http: { method: 'GET', path: '/state/webhooks' },
  doc: 'Returns the webhook endpoints with their backlog, without their keys.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListWebhooks', {}),
  output: object('Webhooks', {
    endpoints: required(
      list(
        object('WebhookEndpoint', {
          id: required(name, 'Identifies the endpoint.'),
          tenant: required(name, 'The tenant whose events are sent.'),
          address: required(address, 'The address without its query.'),
          format: required(name, 'The webhook format.'),
          createdAt: required(moment, 'When it was added.'),
          twoKeysUntil: optional(moment, 'Until when two keys sign.'),
          waiting: required(count, 'The number of events that wait for delivery.'),
          oldestMs: optional(milliseconds, 'The age of the oldest event that waits.'),
          dead: required(count, 'The number of dead letters.'),
        }),
        'WebhookEndpoint',
        { max: 10_000 },
      ),
      'The endpoints.',
    ),
  }),
});

const deadLetter = object('DeadLetter', {
  id: required(text(300, '8816080397613514/we_Fx0uT4mQ9a1s'), 'Identifies the dead letter within its tenant.'),
  tenant: required(name, 'The tenant.'),
  type: required(name, 'The type of the event.'),
  owner: optional(text(300, 'Demo'), 'What the event belongs to.'),
  endpoint: required(address, 'The address without its query.'),
  happenedAt: required(moment, 'When the event happened.'),
  givenUpAt: required(moment, 'When the delivery was given up.'),
  attempts: required(count, 'The number of attempts.'),
  because: required(longText, 'Why the last attempt failed.'),
});

export const listDeadLetters = operation({
  name: 'listDeadLetters',
  http: { method: 'GET', path: '/state/deadLetters' },
  doc: 'Returns the webhooks that could not be delivered, the longest dead first.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListDeadLetters', {
    tenant: optional(name, 'Only those of this tenant.', { in: 'query' }),
  }),
  output: object('DeadLetters', {
    letters: required(list(deadLetter, 'DeadLetter', { max: 1_000 }), 'The dead letters, at most 1,000.'),
  }),
});

const retried = object('RetriedDeadLetters', { retried: required(count, 'How many are delivered again.') });

export const retryDeadLetter = operation({
  name: 'retryDeadLetter',
  http: { method: 'POST', path: '/state/deadLetters/retry' },
  doc: 'Makes the servers deliver a dead letter again, with new attempts.',
  effect: 'writes',
  role: roles.act,
  problems: [workProblems.deadLetterNotFound],
  input: object('RetryDeadLetter', {
    tenant: required(name, 'The tenant of the dead letter.'),
    id: required(text(300, '8816080397613514/we_Fx0uT4mQ9a1s'), 'The id of the dead letter.'),
  }),
  output: retried,
});

export const retryAllDeadLetters = operation({
  name: 'retryAllDeadLetters',
  http: { method: 'POST', path: '/state/deadLetters/retryAll' },
  doc: 'Makes the servers deliver all dead letters again, with new attempts.',
  effect: 'writes',
  role: roles.act,
  problems: [],
  input: object('RetryAllDeadLetters', {}),
  output: retried,
});

export const listJobs = operation({
  name: 'listJobs',
  http: { method: 'GET', path: '/state/jobs' },
  doc: 'Returns the background jobs by kind.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListJobs', {}),
  output: object('Jobs', {
    kinds: required(
      list(
        object('JobKind', {
          kind: required(name, 'The kind of the jobs.'),
          due: required(count, 'Due now, and taken by no process.'),
          leased: required(count, 'Run by a process.'),
          scheduled: required(count, 'Due later.'),
          blocked: required(count, 'Behind another job of their ordering key.'),
          failing: required(count, 'Have failed, and are repeated. They are in another count, too.'),
          dead: required(count, 'Given up.'),
          longestDueMs: optional(milliseconds, 'How long the first due job has waited.'),
          lastFailure: optional(longText, 'Why a job of the kind has failed.'),
        }),
        'JobKind',
        { max: 1_000 },
      ),
      'The kinds that have jobs.',
    ),
  }),
});

export const workOperations = [listWebhooks, listDeadLetters, retryDeadLetter, retryAllDeadLetters, listJobs] as const;

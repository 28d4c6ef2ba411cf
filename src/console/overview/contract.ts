/** The overview: what the gateway serves, and whether its parts work. */
import {
  boolean,
  dateTime,
  double,
  integer,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../../core/contract/index.ts';
import { reads, values } from '../../operators/index.ts';

const text = string({ max: 300, example: 'Orders' });

const part = object('Part', {
  name: required(text, 'The name of the part, as in /readyz.'),
  result: required(text, '`ok`, or the name of the error.'),
});

const servedService = object('ServedService', {
  name: required(text, 'The name of the service.'),
  doc: required(string({ max: 2000, example: 'Orders and their lines.' }), 'What it does.'),
  versions: required(text, 'The versions that it answers: `1 to 68`.'),
  operations: required(integer(0, 10_000, 8), 'The number of its operations in the newest version.'),
  address: required(text, 'The address for callers.'),
  wsdl: optional(text, 'The address of its WSDL, where it has one.'),
  openApi: required(text, 'The address of its OpenAPI.'),
});

export const getOverview = reads(
  'getOverview',
  'GET /overview',
  'Returns what the gateway serves, and whether its parts work.',
  {},
  object('Overview', {
    version: required(text, 'The version of the program.'),
    environment: required(oneOf('Environment', 'test', 'live'), 'Whether the gateway processes real data.'),
    isDemo: required(boolean(false), 'Whether this is the demo, whose credentials are public.'),
    startedAt: required(dateTime(Date.UTC(2026, 0, 31)), 'When the process that serves the console started.'),
    workers: required(integer(1, 128, 1), 'The number of processes that serve callers.'),
    store: required(text, 'The engine of the store.'),
    ready: required(boolean(true), 'Whether every part that requests depend on works.'),
    parts: values(part, 'Part', 'The parts that requests depend on.', 100),
    services: values(servedService, 'ServedService', 'The services.', 100),
  }),
);

const longText = string({ max: 1_000, example: '3 webhooks could not be delivered.' });

const item = object('AttentionItem', {
  level: required(oneOf('AttentionLevel', 'bad', 'warning'), '`bad`: something does not work now.'),
  text: required(longText, 'What it is about.'),
  at: optional(dateTime(Date.UTC(2026, 0, 31)), 'The moment that the text ends with.'),
  path: optional(
    string({ max: 200, example: '/state/webhooks' }),
    'The address of a view with more, below `/console`.',
  ),
});

export const listAttention = reads(
  'listAttention',
  'GET /overview/attention',
  'Returns what needs the attention of an operator: dead letters, open breakers, expiring certificates, locked log-ins.',
  {},
  object('Attention', {
    isComplete: required(boolean(true), 'Whether every check was possible.'),
    items: values(item, 'AttentionItem', 'The worst first.', 100),
  }),
);

const count = integer(0, Number.MAX_SAFE_INTEGER, 3);
const rate = {
  name: required(text, 'The wire format, or the operation with its service.'),
  requests: required(count, 'The requests that were answered.'),
  refused: required(count, 'Those that were refused.'),
  failed: required(count, 'Those that failed by an error of the server.'),
  p50: required(double(1.25), 'The median of their times, in milliseconds.'),
  p99: required(double(12.5), 'The 99th percentile.'),
} as const;

export const getLastHour = reads(
  'getLastHour',
  'GET /overview/hour',
  'Returns rates and times of the last hour, and its callers. They are counted in memory: a restart loses those before it.',
  {},
  object('LastHour', {
    isRecorded: required(boolean(true), 'Whether anything is counted: not with `TRAFFIC=off`.'),
    from: required(dateTime(Date.UTC(2026, 0, 31)), 'When the hour began.'),
    formats: values(
      object('FormatOfHour', {
        ...rate,
        yesterday: required(count, 'Requests in the same hour of the day before.'),
        trend: values(count, 'Requests', 'The requests of each minute.', 60),
      }),
      'Format',
      'By wire format.',
      50,
    ),
    operations: values(object('OperationOfHour', rate), 'Operation', 'By operation, the most used first.', 100),
    callers: values(
      object('CallerOfHour', { ...rate, name: required(text, 'The id of the credential.') }),
      'Caller',
      'By known credential, the most active first. What the console itself sent does not count.',
      10,
    ),
  }),
);

export const listChanges = reads(
  'listChanges',
  'GET /overview/changes',
  'Returns what changed in the last 24 hours: actions of people, starts, and calls that are new.',
  {},
  object('Changes', {
    changes: values(
      object('Change', {
        at: required(dateTime(Date.UTC(2026, 0, 31)), 'When it happened.'),
        by: optional(text, 'Who did it: a credential or a user.'),
        text: required(longText, 'What happened.'),
        path: required(string({ max: 1_000, example: '/state/audit' }), 'The address of a view with more.'),
      }),
      'Change',
      'The newest first.',
      100,
    ),
  }),
);

export const overviewOperations = [getOverview, listAttention, getLastHour, listChanges] as const;

/** The overview: what the gateway serves, and whether its parts work. */
import { boolean, dateTime, integer, object, oneOf, optional, required, string } from '../../contract/schema.ts';
import { reads, values } from '../../operators/operation.ts';

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

export const overviewOperations = [getOverview, listAttention] as const;

/** The overview: what the gateway serves, and whether its parts work. */
import { operation } from '../../contract/operation.ts';
import { boolean, dateTime, integer, list, object, oneOf, optional, required, string } from '../../contract/schema.ts';
import { roles } from '../roles.ts';
import { listAttention } from './attention.ts';

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

export const getOverview = operation({
  name: 'getOverview',
  http: { method: 'GET', path: '/overview' },
  doc: 'Returns what the gateway serves, and whether its parts work.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('GetOverview', {}),
  output: object('Overview', {
    version: required(text, 'The version of the program.'),
    environment: required(oneOf('Environment', 'test', 'live'), 'Whether the gateway processes real cards.'),
    isDemo: required(boolean(false), 'Whether this is the demo, whose credentials are public.'),
    startedAt: required(dateTime(Date.UTC(2026, 0, 31)), 'When the process that serves the console started.'),
    workers: required(integer(1, 128, 1), 'The number of processes that serve callers.'),
    store: required(text, 'The engine of the store.'),
    ready: required(boolean(true), 'Whether every part that requests depend on works.'),
    parts: required(list(part, 'Part', { max: 100 }), 'The parts that requests depend on.'),
    services: required(list(servedService, 'ServedService', { max: 100 }), 'The services.'),
  }),
});

export const overviewOperations = [getOverview, listAttention] as const;

/** The parts of the gateway: its processes, upstreams, store and Redis, and what its services show of themselves. */
import { operation } from '../../contract/operation.ts';
import { boolean, list, object, oneOf, optional, required } from '../../contract/schema.ts';
import { roles } from '../roles.ts';
import { count, moment, text } from '../schemas.ts';
import { longText, name } from './schemas.ts';

const pid = required(count, 'The number of the process.');

const upstreamProcess = object('UpstreamInProcess', {
  pid,
  breaker: required(
    oneOf('BreakerState', 'closed', 'open', 'probing'),
    '`open`: requests are refused without a try. `probing`: one request tries whether the upstream works again.',
  ),
  active: required(count, 'Requests on a connection.'),
  waiting: required(count, 'Requests that wait for a connection.'),
});

export const listUpstreams = operation({
  name: 'listUpstreams',
  http: { method: 'GET', path: '/state/upstreams' },
  doc: 'Returns the upstreams, with the state of their circuit breakers in each process.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListUpstreams', {}),
  output: object('Upstreams', {
    upstreams: required(
      list(
        object('UpstreamState', {
          name: required(name, 'The name of the upstream.'),
          url: required(text(2_000, 'https://orders.example.com'), 'Its address.'),
          format: required(name, 'Its wire format.'),
          answers: required(list(name, 'answer', { max: 1_000 }), 'The services or operations that it answers.'),
          deduplicates: required(boolean(true), 'Whether it has the effect of one key once.'),
          connectionsMax: required(count, 'The most connections of one process.'),
          processes: required(list(upstreamProcess, 'UpstreamInProcess', { max: 1_000 }), 'Its state by process.'),
        }),
        'UpstreamState',
        { max: 1_000 },
      ),
      'The upstreams.',
    ),
  }),
});

export const getStore = operation({
  name: 'getStore',
  http: { method: 'GET', path: '/state/store' },
  doc: 'Returns the state of the store and of Redis.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('GetStore', {}),
  output: object('StoreState', {
    engine: required(oneOf('StoreEngine', 'SQLite', 'PostgreSQL'), 'The engine of the store.'),
    place: required(text(2_000, './data'), 'The folder or the address, without a password.'),
    bytes: optional(count, 'The size of the database.'),
    migration: required(count, 'The number of the last migration.'),
    migrationName: required(name, 'Its name.'),
    migratedAt: required(moment, 'When it was applied.'),
    redis: required(boolean(false), 'Whether Redis is configured.'),
    processes: required(
      list(
        object('StoreInProcess', {
          pid,
          busy: optional(count, 'Connections to the database in use.'),
          idle: optional(count, 'Connections that are not in use.'),
          waiting: optional(count, 'Requests that wait for a connection.'),
          max: optional(count, 'The most connections.'),
          redis: optional(oneOf('RedisState', 'up', 'down'), 'Whether Redis answers.'),
        }),
        'StoreInProcess',
        { max: 1_000 },
      ),
      'The processes that serve callers.',
    ),
  }),
});

export const getProcesses = operation({
  name: 'getProcesses',
  http: { method: 'GET', path: '/state/processes' },
  doc: 'Returns the build, the processes and the certificates of the gateway.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('GetProcesses', {}),
  output: object('Processes', {
    version: required(name, 'The version of the program.'),
    node: required(name, 'The version of Node.'),
    platform: required(name, 'The operating system and the processor.'),
    processes: required(
      list(
        object('GatewayProcess', {
          pid,
          role: required(oneOf('ProcessRole', 'server', 'primary', 'worker'), 'What it does.'),
          startedAt: required(moment, 'When it started.'),
          memoryBytes: required(count, 'The memory that it occupies.'),
        }),
        'GatewayProcess',
        { max: 1_000 },
      ),
      'The processes.',
    ),
    certificates: required(
      list(
        object('Certificate', {
          name: required(name, 'What the certificate is for.'),
          expiresAt: required(moment, 'When it ends.'),
        }),
        'Certificate',
        { max: 1_000 },
      ),
      'The certificates that the gateway presents.',
    ),
  }),
});

const fact = object('Fact', {
  name: required(name, 'What it says.'),
  value: required(longText, 'The value.'),
  needsAttention: optional(boolean(true), 'Whether an operator should look at it.'),
});

export const listPanels = operation({
  name: 'listPanels',
  http: { method: 'GET', path: '/state/panels' },
  doc: 'Returns what the services show of their own state.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListPanels', {}),
  output: object('Panels', {
    panels: required(
      list(
        object('Panel', {
          name: required(name, 'The name of the panel.'),
          title: required(name, 'Its title.'),
          doc: required(longText, 'What it shows.'),
          facts: required(list(fact, 'Fact', { max: 100 }), 'The facts.'),
        }),
        'Panel',
        { max: 100 },
      ),
      'The panels.',
    ),
  }),
});

export const partOperations = [listUpstreams, getStore, getProcesses, listPanels] as const;

/** The state of the gateway: its settings, its parts: its processes, upstreams, store and Redis, and what its services show of themselves. */
import { boolean, object, oneOf, optional, required } from '../../core/contract/index.ts';
import { count, longText, moment, name, reads, rows, text, values } from '../../operators/index.ts';

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

export const listUpstreams = reads(
  'listUpstreams',
  'GET /state/upstreams',
  'Returns the upstreams, with the state of their circuit breakers in each process.',
  {},
  object('Upstreams', {
    upstreams: rows(
      'UpstreamState',
      {
        name: required(name, 'The name of the upstream.'),
        url: required(text(2_000, 'https://orders.example.com'), 'Its address.'),
        format: required(name, 'Its wire format.'),
        answers: values(name, 'answer', 'The services or operations that it answers.'),
        deduplicates: required(boolean(true), 'Whether it has the effect of one key once.'),
        connectionsMax: required(count, 'The most connections of one process.'),
        processes: values(upstreamProcess, 'UpstreamInProcess', 'Its state by process.'),
      },
      'The upstreams.',
    ),
  }),
);

export const getStore = reads(
  'getStore',
  'GET /state/store',
  'Returns the state of the store and of Redis.',
  {},
  object('StoreState', {
    engine: required(oneOf('StoreEngine', 'SQLite', 'PostgreSQL', 'Redis', 'none'), 'The engine of the store.'),
    place: required(text(2_000, './data'), 'The folder or the address, without a password.'),
    bytes: optional(count, 'The size of the database.'),
    migration: required(count, 'The number of the last migration.'),
    migrationName: required(name, 'Its name.'),
    migratedAt: required(moment, 'When it was applied.'),
    redis: required(boolean(false), 'Whether Redis is configured.'),
    processes: rows(
      'StoreInProcess',
      {
        pid,
        busy: optional(count, 'Connections to the database in use.'),
        idle: optional(count, 'Connections that are not in use.'),
        waiting: optional(count, 'Requests that wait for a connection.'),
        max: optional(count, 'The most connections.'),
        redis: optional(oneOf('RedisState', 'up', 'down'), 'Whether Redis answers.'),
      },
      'The processes that serve callers.',
    ),
  }),
);

export const getProcesses = reads(
  'getProcesses',
  'GET /state/processes',
  'Returns the build, the processes and the certificates of the gateway.',
  {},
  object('Processes', {
    version: required(name, 'The version of the program.'),
    node: required(name, 'The version of Node.'),
    platform: required(name, 'The operating system and the processor.'),
    processes: rows(
      'GatewayProcess',
      {
        pid,
        role: required(oneOf('ProcessRole', 'server', 'primary', 'worker'), 'What it does.'),
        startedAt: required(moment, 'When it started.'),
        memoryBytes: required(count, 'The memory that it occupies.'),
      },
      'The processes.',
    ),
    certificates: rows(
      'Certificate',
      {
        name: required(name, 'What the certificate is for.'),
        expiresAt: required(moment, 'When it ends.'),
      },
      'The certificates that the gateway presents.',
    ),
  }),
);

const fact = object('Fact', {
  name: required(name, 'What it says.'),
  value: required(longText, 'The value.'),
  needsAttention: optional(boolean(true), 'Whether an operator should look at it.'),
});

export const listPanels = reads(
  'listPanels',
  'GET /state/panels',
  'Returns what the services show of their own state.',
  {},
  object('Panels', {
    panels: rows(
      'Panel',
      {
        name: required(name, 'The name of the panel.'),
        title: required(name, 'Its title.'),
        doc: required(longText, 'What it shows.'),
        facts: values(fact, 'Fact', 'The facts.', 100),
      },
      'The panels.',
      100,
    ),
  }),
);

export const listSettings = reads(
  'listSettings',
  'GET /state/settings',
  'Returns every setting with its source. Secrets are hidden.',
  {},
  object('Settings', {
    settings: rows(
      'Setting',
      {
        name: required(name, 'The environment variable.'),
        value: required(longText, 'The value; `(hidden)` for a secret.'),
        unit: required(name, 'The unit of the value.'),
        source: required(text(2_000, 'environment'), '`default`, or where it is set.'),
        isDefault: required(boolean(true), 'Whether nothing sets it.'),
        doc: required(longText, 'What it means.'),
      },
      'The settings.',
    ),
  }),
);

export const stateOperations = [listUpstreams, getStore, getProcesses, listPanels, listSettings] as const;

/**
 * Import rules: which module may import which, and the only places that may import a library. scripts/imports.mjs applies them.
 * Other modules import the index of a module, or the index of one of its parts, and no other file.
 */

/** The parts of the core, each with an index. */
const core = {
  lib: [],
  xml: ['lib'],
  spool: [],
  contract: ['lib', 'spool', 'xml'],
  vault: ['lib'],
  formats: ['contract', 'lib', 'spool', 'xml'],
  idempotency: ['contract', 'lib', 'spool', 'vault'],
  gateway: ['contract', 'formats', 'idempotency', 'lib', 'spool', 'vault'],
};

/** From the lowest floor to the highest: a module imports only those before it. */
const modules = {
  core: [],
  documents: ['core'],
  stores: ['core'],
  readers: ['core', 'documents'],
  access: ['core', 'stores'],
  http: ['access', 'core'],
  forward: ['access', 'core', 'stores'],
  config: ['access', 'core', 'http', 'stores'],
  insight: ['access', 'config', 'core', 'forward', 'http', 'stores'],
  convert: ['core', 'insight'],
  backend: ['access', 'config', 'core', 'forward', 'http', 'insight', 'stores'],

  operators: [
    'access',
    'backend',
    'config',
    'convert',
    'core',
    'documents',
    'forward',
    'insight',

    'stores',
  ],
  payments: ['access', 'backend', 'config', 'core', 'operators', 'stores'],
  console: ['access', 'backend', 'config', 'convert', 'core', 'documents', 'http', 'insight', 'operators', 'stores'],
  program: [
    'access',
    'backend',
    'config',
    'console',
    'convert',
    'core',
    'documents',
    'forward',
    'http',
    'insight',
    'operators',
    'payments',

    'readers',
    'stores',
  ],
};

/** Parts of modules with an index of their own. Most are loaded on demand. */
const parts = {
  core: Object.keys(core),
  http: ['server'],
  insight: ['record', 'telemetry', 'traffic'],
  stores: ['jobs', 'postgres', 'redis', 'sqlite'],
};

/** The only folders or files that may import a library. */
const boundaries = {
  koa: ['http/'],
  '@opentelemetry': ['insight/telemetry/'],
  'prom-client': ['http/'],
  saxes: ['core/xml/'],
  'node-forge': ['core/lib/self-signed.ts'],
  'fast-xml-parser': ['readers/'],
  yaml: ['readers/openapi/documents.ts'],
  qs: ['core/formats/'],
  multipasta: ['core/formats/multipart.ts'],
  commander: ['program/cli/'],
  'csv-parse': ['backend/import/csv.ts'],
  otpauth: ['access/credentials/second-factor.ts'],
  'cli-progress': ['program/cli/import/progress.ts'],
  ioredis: ['stores/redis/'],
  pg: ['stores/postgres/'],
  'rate-limiter-flexible': ['access/limits/redis-counts.ts'],
  undici: ['forward/connections.ts'],
  'xml-crypto': ['forward/ws-security.ts'],
  'node:sqlite': ['stores/sqlite/'],
  'node:http': [
    'console/sender/send-to-callers-port.ts',
    'http/',
    'stores/jobs/webhooks/send.ts',
    'readers/wsdl/download.ts',
  ],
  'node:https': ['console/sender/send-to-callers-port.ts', 'http/node-http.ts', 'core/vault/transit/client.ts'],
  'light-my-request': ['http/exchange.ts'],
  'node:cluster': ['program/app/workers/'],
};

const literal = (text) => text.replace(/[.]/g, '\\.');
const extension = (file) => file.replace(/\.ts$/, '.js');
const under = (paths) => `^src/(${paths.map((path) => literal(extension(path))).join('|')})`;

/** The indexes of modules. */
const indexes = (names) =>
  names.flatMap((name) =>
    ['', ...(parts[name] ?? []).map((part) => `${part}/`)].map((part) => `${name}/${part}index.ts`),
  );

const directions = [
  ...Object.entries(modules).map(([name, allowed]) => [name, indexes(allowed)]),
  ...Object.entries(core).map(([name, allowed]) => [`core/${name}`, allowed.map((each) => `core/${each}/index.ts`)]),
].map(([name, allowed]) => ({
  name: `imports-of-${name}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: under([`${name}/`, ...allowed]) },
}));

const boundaryRules = Object.entries(boundaries).map(([library, places]) => ({
  name: `boundary-of-${library}`,
  severity: 'error',
  from: { path: '^src/', pathNot: under(places) },
  to: {
    path: library.startsWith('node:') ? `^(node:)?${library.slice(5)}$` : `^node_modules/(@types/)?${library}(/|$)`,
  },
}));

module.exports = {
  forbidden: [
    ...directions,
    ...boundaryRules,
    {
      name: 'services-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/payments/(recurring|balance-platform)/' },
      to: { path: '^src/payments/(recurring|balance-platform)/', pathNot: '^src/payments/$1/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-undeclared-library',
      severity: 'error',
      from: { path: '^src/' },
      // Optional peers are development dependencies, too.
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'deprecated'],
        pathNot: '^node_modules/@opentelemetry/',
      },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/' },
      to: {},
    },
  ],
  options: { doNotFollow: { path: 'node_modules' }, preserveSymlinks: true },
};

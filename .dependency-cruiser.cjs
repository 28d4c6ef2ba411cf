/**
 * Import rules: which module may import which, and the only places that may import a library. scripts/imports.mjs applies them.
 * A module may import itself and the modules listed for it. Any other import between modules is an error.
 */
const core = ['contract', 'formats', 'gateway', 'idempotency', 'lib', 'vault'];

const engine = {
  lib: [],
  contract: ['lib'],
  vault: ['lib'],
  formats: ['contract', 'lib'],
  idempotency: ['contract', 'lib', 'vault'],
  gateway: ['contract', 'formats', 'idempotency', 'lib', 'vault'],
  jobs: ['lib', 'vault'],
  store: [...core, 'jobs'],
  documents: ['contract', 'formats', 'lib'],
  access: [...core, 'store'],
  callers: [...core, 'access', 'store'],
  upstream: [...core, 'callers', 'compare'],
  import: [...core, 'store'],
  compare: ['contract', 'lib'],
  convert: [...core, 'callers'],
  http: [...core, 'access'],
};

const engineModules = Object.keys(engine);

const modules = {
  ...engine,
  config: ['access', 'formats', 'http', 'lib', 'store', 'vault'],
  observe: [
    'compare',
    'config',
    'contract',
    'formats',
    'gateway',
    'http',
    'idempotency',
    'jobs',
    'lib',
    'store',
    'vault',
  ],
  backend: [...engineModules, 'config', 'observe'],
  operators: [...engineModules, 'config', 'backend'],
  services: [...engineModules, 'config', 'backend', 'operators'],
  console: [...engineModules, 'config', 'observe', 'backend', 'operators'],
  app: [...engineModules, 'config', 'observe', 'backend', 'console'],
  testing: [...engineModules, 'services', 'backend', 'console', 'app'],
  api: [...engineModules, 'services', 'config', 'backend', 'app', 'testing'],
  cli: [...engineModules, 'services', 'config', 'backend', 'operators', 'console', 'app', 'testing'],
};

/** The only folders or files that may import a library. */
const boundaries = {
  koa: ['http/'],
  '@opentelemetry': ['observe/telemetry/'],
  'prom-client': ['http/'],
  saxes: ['lib/xml/'],
  'node-forge': ['lib/self-signed.ts'],
  'fast-xml-parser': ['documents/'],
  yaml: ['documents/openapi-import/documents.ts'],
  qs: ['formats/'],
  multipasta: ['formats/multipart.ts'],
  commander: ['cli/'],
  'csv-parse': ['import/csv.ts'],
  otpauth: ['access/credentials/second-factor.ts'],
  'cli-progress': ['cli/import/progress.ts'],
  ioredis: ['store/redis/'],
  pg: ['store/postgres/'],
  'rate-limiter-flexible': ['access/limits/redis-counts.ts'],
  undici: ['upstream/connections.ts'],
  'xml-crypto': ['upstream/ws-security.ts'],
  'node:sqlite': ['store/sqlite/'],
  'node:http': [
    'console/sender/send-to-callers-port.ts',
    'http/',
    'jobs/webhooks/send.ts',
    'documents/wsdl/download.ts',
  ],
  'node:https': ['console/sender/send-to-callers-port.ts', 'http/node-http.ts', 'vault/transit/client.ts'],
  'light-my-request': ['http/exchange.ts'],
  'node:cluster': ['app/workers/'],
};

const literal = (text) => text.replace(/[.]/g, '\\.');
const extension = (file) => file.replace(/\.ts$/, '.js');
const under = (paths) => `^src/(${paths.map((path) => literal(extension(path))).join('|')})`;

const directions = Object.entries(modules).map(([name, allowed]) => ({
  name: `imports-of-${name}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: under([`${name}/`, ...allowed.map((each) => `${each}/`)]) },
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
      name: 'gateway-knows-no-format',
      severity: 'error',
      from: { path: '^src/core/gateway/' },
      to: { path: '^src/core/formats/[^/]+/' },
    },
    {
      name: 'services-are-values',
      severity: 'error',
      from: { path: '^src/payments/' },
      to: { path: '^src/backend/', pathNot: '^src/backend/((define|compose)-services?|data-table|erasure|operator-actions|panel)[.]js$' },
    },
    {
      name: 'services-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/payments/([^/]+)/' },
      to: { path: '^src/payments/[^/]+/', pathNot: '^src/payments/$1/' },
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

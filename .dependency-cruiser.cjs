/**
 * Import rules: which module may import which, and the only places that may import a library. scripts/imports.mjs applies them.
 * A module may import itself and the modules listed for it. Any other import between modules is an error.
 */
const engine = {
  contract: [],
  xml: ['lib'],
  lib: [],
  vault: ['lib'],
  audit: ['lib', 'vault'],
  limits: ['contract', 'lib'],
  formats: ['contract', 'xml', 'lib'],
  documents: ['contract'],
  wsdl: ['contract', 'xml', 'lib'],
  jobs: ['lib', 'vault'],
  webhooks: ['jobs', 'lib', 'vault'],
  callers: ['contract', 'lib', 'vault'],
  idempotency: ['contract', 'lib', 'vault'],
  store: ['audit', 'callers', 'contract', 'idempotency', 'jobs', 'lib', 'limits', 'vault', 'webhooks'],
  gateway: ['audit', 'callers', 'contract', 'formats', 'idempotency', 'jobs', 'lib', 'limits', 'store', 'vault'],
  upstream: ['contract', 'formats', 'idempotency', 'lib', 'limits'],
  import: ['audit', 'contract', 'formats', 'gateway', 'lib', 'store'],
  convert: ['callers', 'contract', 'formats', 'gateway', 'lib', 'xml'],
  console: [
    'audit',
    'callers',
    'contract',
    'convert',
    'documents',
    'formats',
    'gateway',
    'http',
    'idempotency',
    'jobs',
    'lib',
    'limits',
    'store',
    'traffic',
    'vault',
    'webhooks',
  ],
  http: ['audit', 'contract', 'formats', 'gateway', 'lib', 'limits'],
  traffic: ['contract', 'formats', 'gateway', 'http', 'idempotency', 'lib'],
};

const engineModules = Object.keys(engine);

const modules = {
  ...engine,
  services: engineModules,
  app: [...engineModules, 'services'],
  demo: [...engineModules, 'services', 'app'],
  testing: [...engineModules, 'services', 'app', 'demo'],
  api: [...engineModules, 'services', 'app', 'demo', 'testing'],
  cli: [...engineModules, 'services', 'app', 'demo', 'testing'],
};

/** The only folders or files that may import a library. */
const boundaries = {
  koa: ['http/'],
  '@opentelemetry': ['app/telemetry/'],
  pino: ['http/log.ts'],
  'prom-client': ['http/'],
  saxes: ['xml/'],
  'fast-xml-parser': ['documents/'],
  qs: ['formats/'],
  multipasta: ['formats/multipart.ts'],
  commander: ['main.ts', 'cli/'],
  'csv-parse': ['import/csv.ts'],
  'cli-progress': ['cli/import/progress.ts'],
  ioredis: ['store/redis/'],
  pg: ['store/postgres/'],
  'rate-limiter-flexible': ['limits/redis-counts.ts'],
  undici: ['upstream/connections.ts'],
  'node:sqlite': ['store/sqlite/'],
  'node:http': ['app/console/explorer/send-to-callers-port.ts', 'http/', 'webhooks/send.ts', 'wsdl/download.ts'],
  'node:https': ['app/console/explorer/send-to-callers-port.ts', 'http/node-http.ts', 'vault/transit/client.ts'],
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
      from: { path: '^src/gateway/' },
      to: { path: '^src/formats/[^/]+/' },
    },
    {
      name: 'one-file-composes-services',
      severity: 'error',
      from: { path: '^src/app/', pathNot: '^src/app/services[.]js$' },
      to: { path: '^src/services/' },
    },
    {
      name: 'services-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/services/([^/]+)/' },
      to: { path: '^src/services/[^/]+/', pathNot: '^src/services/$1/' },
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

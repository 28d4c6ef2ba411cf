/**
 * Which room may import which, and the one door of each outside library. scripts/imports.mjs runs it.
 * Rooms are allowed what is listed; everything else between rooms is an error.
 */
const rooms = {
  contract: [],
  xml: [],
  api: ['contract'],
  domain: ['contract', 'api'],
  protocol: ['contract', 'xml'],
  derive: ['contract'],
  vault: ['domain', 'gateway'],
  world: ['domain'],
  store: ['contract', 'domain', 'gateway', 'webhooks'],
  gateway: ['contract', 'domain', 'protocol'],
  http: ['contract', 'gateway', 'protocol'],
  jobs: ['domain'],
  rows: ['contract', 'domain', 'protocol', 'store'],
  updater: ['api', 'contract', 'domain', 'jobs', 'rows'],
  webhooks: ['domain', 'jobs'],
  workers: ['http'],
};

/** Files beside the rooms that a room may read. */
const beside = {
  http: ['config.ts', 'settings.ts', 'veil.ts'],
  rows: ['veil.ts'],
  store: ['breaker.ts'],
  updater: ['breaker.ts', 'failure-code.ts', 'veil.ts'],
  webhooks: ['failure-code.ts'],
  workers: ['config.ts'],
};

/** The only folders or files that may import a library. */
const doors = {
  koa: ['http/'],
  pino: ['http/log.ts'],
  'prom-client': ['http/'],
  saxes: ['xml/'],
  'fast-xml-parser': ['derive/'],
  commander: ['main.ts', 'command/'],
  'csv-parse': ['import/csv.ts'],
  'cli-progress': ['cli/import/progress.ts'],
  ioredis: ['store/redis/'],
  pg: ['store/postgres/'],
  'node:sqlite': ['store/sqlite/'],
  'node:http': ['http/'],
  'node:cluster': ['workers/'],
};

const literal = (text) => text.replace(/[.]/g, '\\.');
const extension = (file) => file.replace(/\.ts$/, '.js');
const under = (paths) => `^src/(${paths.map((path) => literal(extension(path))).join('|')})`;

const directions = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports-only-${['itself', ...allowed, ...(beside[room] ?? [])].join('-')}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: under([`${room}/`, ...allowed.map((each) => `${each}/`), ...(beside[room] ?? [])]) },
}));

const doorRules = Object.entries(doors).map(([library, places]) => ({
  name: `door-of-${library}`,
  severity: 'error',
  from: { path: '^src/', pathNot: under(places) },
  to: {
    path: library.startsWith('node:') ? `^(node:)?${library.slice(5)}$` : `^node_modules/(@types/)?${library}(/|$)`,
  },
}));

const portFiles = ['/ports\\.js$', '^src/domain/ports/'];

/** The gateway's ports are what the store fulfils; the journey itself is nobody's to import but the root's. */
const ports = [
  {
    name: 'store-imports-only-the-ports-of-others',
    severity: 'error',
    from: { path: '^src/store/' },
    to: { path: '^src/(domain|gateway|webhooks)/', pathNot: portFiles },
  },
  {
    name: 'vault-and-world-import-only-the-ports-of-others',
    severity: 'error',
    from: { path: '^src/(vault|world)/' },
    to: { path: '^src/(domain|gateway)/', pathNot: portFiles },
  },
  {
    name: 'gateway-sees-no-format',
    severity: 'error',
    from: { path: '^src/gateway/' },
    to: { path: '^src/protocol/[^/]+/' },
  },
  {
    name: 'nobody-imports-the-roots',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/(main|compose|strongroom|open-store|duties)\\.js$|^src/command/' },
    to: { path: '^src/(main|compose|strongroom|open-store|duties)\\.js$|^src/command/' },
  },
];

module.exports = {
  forbidden: [
    ...directions,
    ...doorRules,
    ...ports,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-undeclared-library',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'deprecated'] },
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

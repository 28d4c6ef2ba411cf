/** Assigns profile frames to modules; what Node does for a module counts for that module. */

export const modules = [
  'node:http and streams',
  'Koa',
  'http',
  'gateway',
  'idempotency',
  'authenticate',
  'decode',
  'services',
  'store',
  'commit, with the wait for the disk',
  'vault',
  'encode',
  'log',
  'metrics',
  'garbage collection',
  'native, outside any function',
] as const;
export type Module = (typeof modules)[number];

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** The first match wins. */
const patterns: readonly (readonly [pattern: RegExp, module: Module])[] = [
  [/\/node_modules\/(koa|koa-compose|cookies|http-assert|delegates|on-finished|statuses|ee-first)\//, 'Koa'],
  [/\/node_modules\/(prom-client|tdigest|bintrees)\//, 'metrics'],
  [/\/node_modules\/(pg|pg-\w+|postgres-\w+|split2)\//, 'store'],
  [/\/node_modules\/(saxes|xmlchars|qs|side-channel\w*)\//, 'decode'],
  [/\/node_modules\//, 'http'],
  [/\/src\/http\/(log|line-writer|log-request|server-log)\.ts$/, 'log'],
  [/\/src\/http\/metrics\//, 'metrics'],
  [/\/src\/http\//, 'http'],
  [/\/src\/access\/authenticate\.ts$/, 'authenticate'],
  [/\/src\/access\/credentials\//, 'authenticate'],
  [/\/src\/core\/idempotency\//, 'idempotency'],
  [/\/src\/(core\/gateway|program)/, 'gateway'],
  [/\/src\/core\/formats\/(.*\/print|append|date-time|errors)\.ts$/, 'encode'],
  [/\/src\/core\/xml\/print\.ts$/, 'encode'],
  [/\/src\/core\/(formats|xml|contract)\//, 'decode'],
  [/\/src\/(payments\/.*\/store|stores)\//, 'store'],
  [/\/src\/core\/vault\//, 'vault'],
  [/\/src\/(payments|core\/lib|backend\/import)\//, 'services'],
];

/** The module of a frame by itself; undefined for a frame that works for its caller. */
export function moduleOf({ functionName, url }: Frame): Module | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native, outside any function';
  if (isCommit({ functionName, url })) return 'commit, with the wait for the disk';
  // The index file of a format holds both directions.
  if (/\/src\/core\/formats\//.test(url) && functionName === 'encode') return 'encode';
  if (/\/src\/core\/formats\//.test(url) && functionName === 'decode') return 'decode';
  return patterns.find(([pattern]) => pattern.test(url))?.[1];
}

/** What it calls works for it: SQLite writes and waits for the disk in the thread of the requests. */
function isCommit({ functionName, url }: Frame): boolean {
  return /\/src\/store\/sqlite\/group-queue\.ts$/.test(url) && /commit/i.test(functionName);
}

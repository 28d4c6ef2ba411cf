/** Which room of the house a function belongs to; what Node does for a room counts for that room. */

export const rooms = [
  'node:http and streams',
  'Koa',
  'shell (src/http)',
  'gateway',
  'authenticate',
  'decode',
  'domain',
  'store',
  'vault',
  'encode',
  'log',
  'metrics',
  'garbage collection',
  'native, outside of any function',
] as const;
export type Room = (typeof rooms)[number];

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** First match wins. */
const places: readonly (readonly [pattern: RegExp, room: Room])[] = [
  [/\/node_modules\/(koa|koa-compose|cookies|http-assert|delegates|on-finished|statuses|ee-first)\//, 'Koa'],
  [/\/node_modules\/(pino|sonic-boom|atomic-sleep|quick-format-unescaped|safe-stable-stringify)\//, 'log'],
  [/\/node_modules\/(prom-client|tdigest|bintrees)\//, 'metrics'],
  [/\/node_modules\/(saxes|xmlchars|qs|side-channel\w*)\//, 'decode'],
  [/\/node_modules\//, 'shell (src/http)'],
  [/\/src\/http\/log\.ts$/, 'log'],
  [/\/src\/http\/metrics\//, 'metrics'],
  [/\/src\/http\//, 'shell (src/http)'],
  [/\/src\/gateway\/authenticate\.ts$/, 'authenticate'],
  [/\/src\/store\/sql\/(credential|secret)/, 'authenticate'],
  [/\/src\/(gateway|main|compose|command)/, 'gateway'],
  [/\/src\/protocol\/(.*\/print|moment)\.ts$/, 'encode'],
  [/\/src\/xml\/print\.ts$/, 'encode'],
  [/\/src\/(protocol\/.*\/(read|parse|scan|envelope|dialect)|xml\/.*|contract\/.*)\.ts$/, 'decode'],
  [/\/src\/(domain|world)\//, 'domain'],
  [/\/src\/store\//, 'store'],
  [/\/src\/(vault|strongroom)/, 'vault'],
];

/** The room of a frame by itself; undefined where it works for whoever called it. */
export const ownRoom = ({ functionName, url }: Frame): Room | undefined => {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native, outside of any function';
  // A protocol's own file holds both ways.
  if (/\/src\/protocol\//.test(url) && functionName === 'encode') return 'encode';
  if (/\/src\/protocol\//.test(url) && functionName === 'decode') return 'decode';
  return places.find(([pattern]) => pattern.test(url))?.[1];
};

/**
 * Measures the import of WSDLs: `npm run wsdl-coverage -- FOLDER|LIST [--peers] [--write] [--json FILE] [--show TEXT]`.
 *
 * Without a name it measures `../shared/corpus/wsdl-small`. `--peers` counts what zeep and `soap` load, too. `--write` renews the table of makers, without a name.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { corpusFolder, corpusOf } from '../../test/support/corpus.ts';
import { filesOf, measureAll } from '../measure-all.ts';
import { writeBetweenMarkers } from '../section.ts';
import type { Measured } from './measure.ts';

const page = new URL('../../docs/import-wsdl.md', import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peers: { type: 'boolean' },
    write: { type: 'boolean' },
    json: { type: 'string' },
    show: { type: 'string' },
  },
});
const root = resolve(positionals[0] ?? corpusFolder('wsdl-small'));
const measured = await measureAll(
  positionals.length === 0 ? corpusOf('wsdl-small') : filesOf(root, /\.wsdl$/i),
  new URL('measure.ts', import.meta.url),
  failed,
);
report(measured);
if (values.peers || values.write) {
  const peers = await countByPeers(measured);
  const total = sumOf(measured, (each) => each.total);
  const [zeep, soap] = (['zeep', 'soap'] as const).map((name) => sumOf(measured, ({ file }) => peers.get(file)![name]));
  console.log(`operations: ${total}; loaded by zeep ${zeep}, listed by soap ${soap}`);
  if (values.write && positionals.length === 0 && measured.length > 0)
    writeBetweenMarkers(page, 'makers', tableByMaker(measured, peers));
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(measured, null, 1));

function failed(file: string, crash: string): Measured {
  const nothing = { total: 0, attainable: 0, imported: 0, encoded: 0, compared: 0, identical: 0 };
  return { file, ...nothing, causes: [], differences: [], crash };
}

function report(all: readonly Measured[]): void {
  const sum = (of: (each: Measured) => number) => sumOf(all, of);
  const total = sum((each) => each.total);
  const attainable = sum((each) => each.attainable);
  const imported = sum((each) => each.imported);
  const compared = sum((each) => each.compared);
  const identical = sum((each) => each.identical);
  const whole = all.filter((each) => each.total > 0 && each.imported === each.total).length;
  const share = (part: number, of: number) => `${part} of ${of} (${((100 * part) / Math.max(1, of)).toFixed(1)} %)`;
  console.log(`documents with all operations: ${share(whole, all.length)}`);
  console.log(
    `operations imported: ${share(imported, total)}; attainable ${attainable}: ${((100 * imported) / Math.max(1, attainable)).toFixed(1)} %`,
  );
  console.log(
    `identical to depth five: ${share(identical, compared)}; encoded and not compared: ${sum((each) => each.encoded)}`,
  );
  const crashes = all.filter(({ crash }) => crash !== undefined);
  console.log(`crashes: ${crashes.length}`);
  for (const { file, crash } of crashes) console.log(`  ${relative(root, file)}: ${crash}`);
  count(
    'not imported',
    all.flatMap(({ causes }) => causes),
  );
  count('first differences', all.flatMap(({ differences }) => differences).map(kindOfDifference));
  const { show } = values;
  if (show !== undefined)
    for (const { file, causes, differences } of all)
      for (const text of [...causes, ...differences]) if (text.includes(show)) console.log(`${file}: ${text}`);
}

function sumOf(all: readonly Measured[], of: (each: Measured) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}

function kindOfDifference(text: string): string {
  return text
    .replace(/^[^:]*: /, '')
    .replace(/\{[^}]*\}/g, (uri) => (uri === '{}' ? '{}' : '{u}'))
    .replace(/(?<=[}@])[^\s|]+/g, 'n')
    .replace(/(action|namespace) [^|]*/g, '$1 _ ')
    .replace(/ +/g, ' ');
}

function count(title: string, texts: readonly string[]): void {
  const counts = [...Map.groupBy(texts, (text) => text)].map(([text, each]) => [each.length, text] as const);
  console.log(`${title}: ${texts.length}`);
  for (const [number, text] of counts.toSorted(([a], [b]) => b - a).slice(0, 40)) console.log(`  ${number} ${text}`);
}

/** Operations of each document that other programs load. */
interface Peers {
  readonly zeep: number;
  readonly soap: number;
}

async function countByPeers(all: readonly Measured[]): Promise<ReadonlyMap<string, Peers>> {
  const script = new URL('./count_by_zeep.py', import.meta.url).pathname;
  const { stdout } = spawnSync('/usr/bin/python3', [script], {
    input: all.map(({ file }) => file).join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const zeep = new Map(
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly file: string; readonly count: number })
      .map(({ file, count }) => [file, count]),
  );
  const counts = new Map<string, Peers>();
  for (const { file, total } of all) {
    const soap = Math.min(total, await countBySoap(file));
    counts.set(file, { zeep: Math.min(total, zeep.get(file) ?? 0), soap });
  }
  return counts;
}

/** The library lists operations; it needs no schema for that. */
async function countBySoap(file: string): Promise<number> {
  try {
    const { createClientAsync } = await import('soap');
    const client = await createClientAsync(file, { disableCache: true });
    const described = client.describe() as Readonly<Record<string, Readonly<Record<string, object>>>>;
    const names = Object.values(described).flatMap((ports) =>
      Object.values(ports).flatMap((port) => Object.keys(port)),
    );
    return new Set(names).size;
  } catch {
    return 0;
  }
}

/** A row for each maker, as the list of the corpus names them. */
function tableByMaker(all: readonly Measured[], peers: ReadonlyMap<string, Peers>): string {
  const makers = makersOf(join(corpusFolder('wsdl-small'), 'README.md'));
  const groups = [...Map.groupBy(all, ({ file }) => makers.get(basename(file)) ?? 'not named')];
  const rowOf = (maker: string, each: readonly Measured[]) => {
    const total = sumOf(each, (one) => one.total);
    const compared = sumOf(each, (one) => one.compared);
    const identical = compared === 0 ? 'none compared' : `${sumOf(each, (one) => one.identical)} of ${compared}`;
    const cells = [each.length, total, sumOf(each, (one) => one.imported)];
    const others = (['zeep', 'soap'] as const).map((name) => sumOf(each, ({ file }) => peers.get(file)![name]));
    return `| ${[maker, ...cells, identical, ...others].join(' | ')} |`;
  };
  const rows = groups.toSorted(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return `| made by, or of | documents | operations | imported | identical to depth five | zeep | \`soap\` |
|---|---:|---:|---:|---:|---:|---:|
${rows.map(([maker, each]) => rowOf(maker, each)).join('\n')}
${rowOf('**all**', all)}`;
}

/** By the table of the corpus: file, maker, repository, path, licence. */
function makersOf(list: string): ReadonlyMap<string, string> {
  const rows = readFileSync(list, 'utf8').matchAll(/^\| (\S+\.wsdl) \| ([^|]+) \|/gm);
  return new Map([...rows].map(([, file = '', maker = '']) => [file, maker.trim()]));
}

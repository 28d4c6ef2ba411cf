/**
 * Measures the import of OpenAPI documents: `npm run openapi-coverage -- FOLDER|LIST [--write] [--json FILE] [--show TEXT]`.
 *
 * Without a name it measures `../shared/corpus/openapi`. `--show` prints the findings with a text. `--write` renews the table of
 * versions, without a name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { corpusFolder, corpusOf } from '../../test/support/corpus.ts';
import { measureAll, timeLimitMs } from '../measure-all.ts';
import { writeBetweenMarkers } from '../section.ts';
import { documentsOf } from './files.ts';
import type { Measured } from './measure.ts';

const page = new URL('../../docs/import-openapi.md', import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, json: { type: 'string' }, show: { type: 'string' } },
});
const root = resolve(positionals[0] ?? corpusFolder('openapi'));
const measured = await measureAll(
  positionals.length === 0 ? corpusOf('openapi') : documentsOf(root),
  new URL('measure.ts', import.meta.url),
  failed,
);
report(measured);
if (values.write && positionals.length === 0 && measured.length > 0)
  writeBetweenMarkers(page, 'versions', tableByVersion(measured));
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(measured, null, 1));

function failed(file: string, crash: string): Measured {
  return { file, declared: 0, imported: 0, asText: 0, causes: [], ms: timeLimitMs, crash };
}

/** A row for each version of OpenAPI. */
function tableByVersion(all: readonly Measured[]): string {
  const rowOf = (version: string, each: readonly Measured[]): string => {
    const sums = (['declared', 'imported', 'asText'] as const).map((name) =>
      each.reduce((sum, one) => sum + one[name], 0),
    );
    return `| ${[version, each.length, ...sums].join(' | ')} |`;
  };
  const groups = [...Map.groupBy(all, ({ file }) => versionOf(file))].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `| version | documents | operations | imported | places where JSON is text |
|---|---:|---:|---:|---:|
${groups.map(([version, each]) => rowOf(version, each)).join('\n')}
${rowOf('**all**', all)}`;
}

function versionOf(file: string): string {
  return /["']?(?:openapi|swagger)["']?\s*:\s*["']?(\d\.\d)/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'not named';
}

function report(all: readonly Measured[]): void {
  const rows = all.map(({ file, declared, imported, asText, ms, crash }) => ({
    document: relative(root, file),
    imported: `${imported} of ${declared}`,
    'JSON as text': asText,
    ms: Math.round(ms),
    ...(crash !== undefined && { failed: crash.slice(0, 200) }),
  }));
  console.table(rows);
  const sum = (count: (each: Measured) => number): number => all.reduce((total, each) => total + count(each), 0);
  const causes = Map.groupBy(
    all.flatMap((each) => each.causes),
    (text) => text.replace(/^[^;]*: /, '').replace(/operation \w+/, 'operation'),
  );
  for (const [text, each] of [...causes].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 30))
    console.log(`${each.length} × ${text.slice(0, 200)}`);
  const { show } = values;
  if (show !== undefined)
    for (const { file, causes } of all)
      for (const each of causes.filter((text) => text.includes(show))) console.log(`${relative(root, file)}: ${each}`);
  const declared = sum((each) => each.declared);
  const imported = sum((each) => each.imported);
  const share = declared === 0 ? 0 : (100 * imported) / declared;
  console.log(
    `${all.length} documents, ${imported} of ${declared} operations (${share.toFixed(1)} %), ${all.filter(({ crash }) => crash !== undefined).length} failed`,
  );
}

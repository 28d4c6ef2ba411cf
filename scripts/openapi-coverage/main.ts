/**
 * Measures the import of OpenAPI documents: `npm run openapi-coverage -- FOLDER|LIST [--json FILE] [--show TEXT]`.
 *
 * Without a name it measures the corpus in `test/openapi`. `--show` prints the findings with a text.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Measured } from './measure.ts';

const timeLimitMs = 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, show: { type: 'string' } },
});
const root = resolve(positionals[0] ?? 'test/openapi/corpus');
const measured = await measureAll(filesOf(root));
report(measured);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(measured, null, 1));

/** The documents of a folder, without those that others refer to; or those that a list names. */
function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile() && !/\.(?:ya?ml|json)$/i.test(path))
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ya?ml|json)$/i.test(name))
    .map((name) => join(path, name))
    .filter(
      (file) =>
        statSync(file).isFile() &&
        /^\s*["']?(?:openapi|swagger)["']?\s*:|"(?:openapi|swagger)"\s*:/m.test(readFileSync(file, 'utf8')),
    )
    .sort();
}

/** A document that takes too long ends its thread. */
async function measureAll(all: readonly string[]): Promise<readonly Measured[]> {
  const results: Measured[] = [];
  let worker = createWorker();
  for (const file of all) {
    const answered = Promise.withResolvers<Measured>();
    const end = (crash: string) => {
      void worker.terminate();
      worker = createWorker();
      answered.resolve({ file, declared: 0, imported: 0, asText: 0, causes: [], ms: timeLimitMs, crash });
    };
    const timer = setTimeout(() => end('takes too long'), timeLimitMs);
    worker.once('message', answered.resolve);
    worker.once('error', (thrown: unknown) => end(String(thrown)));
    worker.postMessage(file);
    results.push(await answered.promise);
    clearTimeout(timer);
    worker.removeAllListeners('message').removeAllListeners('error');
  }
  await worker.terminate();
  return results;
}

function createWorker(): Worker {
  return new Worker(new URL('measure.ts', import.meta.url));
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

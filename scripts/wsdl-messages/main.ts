/**
 * Sends random valid messages of WSDLs through their contracts and back: `npm run wsdl-messages -- FOLDER|LIST [--show TEXT]`.
 *
 * Without a name it takes `../shared/corpus/wsdl-small`. `SEED` and `MESSAGES` (of each operation and side) are in the environment.
 */
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { corpusFolder, corpusOf } from '../../test/support/corpus.ts';
import { filesOf, measureAll } from '../measure-all.ts';
import type { RoundTrips, Through } from './round-trip.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { show: { type: 'string' } } });
const root = resolve(positionals[0] ?? corpusFolder('wsdl-small'));
const failed = (file: string, crash: string): RoundTrips => ({
  file,
  sent: { json: 0, form: 0 },
  changed: [],
  unable: [],
  crash,
});
const all = await measureAll(
  positionals.length === 0 ? corpusOf('wsdl-small') : filesOf(root, /\.wsdl$/i),
  new URL('round-trip.ts', import.meta.url),
  failed,
);
for (const through of ['json', 'form'] as const satisfies readonly Through[]) {
  const sent = all.reduce((sum, each) => sum + each.sent[through], 0);
  const changed = all.flatMap(({ file, changed }) =>
    changed.filter((each) => each.through === through).map((each) => ({ file, ...each })),
  );
  const unchanged = sent - changed.length;
  console.log(
    `through ${through}: ${unchanged} of ${sent} unchanged (${((100 * unchanged) / Math.max(1, sent)).toFixed(2)} %)`,
  );
  const kinds = Map.groupBy(changed, ({ text }) => kindOf(text));
  for (const [kind, each] of [...kinds].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 40))
    console.log(`  ${each.length} ${kind} (${new Set(each.map(({ file }) => file)).size} documents)`);
  for (const { file, operation, side, text, sent } of changed)
    if (values.show !== undefined && text.includes(values.show))
      console.log(`${relative(root, file)} ${operation} ${side}: ${text}\n    ${sent.slice(0, 3_000)}`);
}
const unable = all.flatMap((each) => each.unable.map((text) => text.replace(/^.*: /, '')));
console.log(`no message: ${unable.length}`);
for (const [text, each] of [...Map.groupBy(unable, (text) => text)]
  .toSorted(([, a], [, b]) => b.length - a.length)
  .slice(0, 15))
  console.log(`  ${each.length} ${text}`);
const crashes = all.filter(({ crash }) => crash !== undefined);
console.log(`not imported, or too long: ${crashes.length}`);
for (const { file, crash } of crashes.slice(0, 30)) console.log(`  ${relative(root, file)}: ${crash?.slice(0, 200)}`);

/** Without the names of one document. */
function kindOf(text: string): string {
  if (/^(refused|crash|operation)/.test(text))
    return text.replace(/\b[\w.-]*(?:[A-Z][a-z]|[.\d])[\w.-]*/g, '_').slice(0, 110);
  return text.split(':', 1)[0]!;
}

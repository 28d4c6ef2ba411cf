/** Preloaded into a server: takes out parts and limits that have no setting. Fails where one is not found. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

interface Replaced {
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** By what BENCH_WITHOUT names, with commas between names. */
const replacements: Readonly<Record<string, readonly Replaced[]>> = {
  macs: [{ file: 'src/stores/row-integrity.ts', text: 'if (this.#keys === undefined) return;', by: 'return;' }],
  cards: [
    {
      file: 'src/program/app/compose-gateway.ts',
      text: 'compileChecks(deprecations, scanTexts)',
      by: 'compileChecks(deprecations, undefined)',
    },
  ],
  limits: [
    { file: 'src/core/formats/json/scan.ts', text: 'membersMax: 2_000', by: 'membersMax: 1e9' },
    { file: 'src/core/contract/read.ts', text: 'return unknown.size < IssueCollector.issuesMax;', by: 'return true;' },
    { file: 'src/core/xml/limits.ts', text: 'attributesMax: 32', by: 'attributesMax: 1e9' },
    { file: 'src/core/xml/limits.ts', text: 'allAttributesMax: 4_000', by: 'allAttributesMax: 1e9' },
  ],
};

const chosen = (process.env.BENCH_WITHOUT ?? '').split(',').flatMap((name) => {
  const found = replacements[name];
  if (found === undefined) throw new Error('BENCH_WITHOUT names no part');
  return found;
});

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const own = chosen.filter(({ file }) => url.endsWith(file));
    if (own.length === 0) return loaded;
    let source = readFileSync(new URL(url), 'utf8');
    for (const { file, text, by } of own) {
      if (!source.includes(text)) throw new Error(`${file} has no ${text}`);
      source = source.replace(text, by);
    }
    return { ...loaded, source };
  },
});

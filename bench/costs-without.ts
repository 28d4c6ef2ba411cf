/** Preloaded into a server of costs.ts: takes out parts that have no setting. Fails where it is not found. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const changes: Readonly<Record<string, { readonly file: string; readonly text: string; readonly by: string }>> = {
  macs: {
    file: 'src/store/row-integrity.ts',
    text: 'if (this.#keys === undefined || this.#unsigned.has(table)) return;',
    by: 'return;',
  },
  cards: {
    file: 'src/app/compose-gateway.ts',
    text: 'scanTexts: textDetector &&',
    by: 'scanTexts: undefined &&',
  },
};

const chosen = (process.env.BENCH_WITHOUT ?? '').split(',').map((name) => {
  const change = changes[name];
  if (change === undefined) throw new Error('BENCH_WITHOUT names no part');
  return change;
});

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const change = chosen.find(({ file }) => url.endsWith(file));
    if (change === undefined) return loaded;
    const { file, text, by } = change;
    const source = readFileSync(new URL(url), 'utf8');
    if (!source.includes(text)) throw new Error(`${file} has no ${text}`);
    return { ...loaded, source: source.replace(text, by) };
  },
});

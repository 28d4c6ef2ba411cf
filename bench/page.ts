/** Writes the results of a run between its markers in docs/bench.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Scenario } from './scenarios.ts';

const page = new URL('../docs/bench.md', import.meta.url);

export type Section =
  | Scenario['name']
  | 'codecs'
  | 'embedding'
  | 'engines'
  | 'orders'
  | 'postgres'
  | 'processes'
  | 'profile'
  | 'recovery'
  | 'scale'
  | 'upstream'
  | 'writes'
  | 'writes-against';

/** Replaces one section of the page; throws where the page lacks its markers. */
export const writeSection = (section: Section, text: string): void => {
  const [open, close] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`];
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const start = before.indexOf(open);
  const end = before.indexOf(close);
  if (start < 0 || end < start) throw new Error(`docs/bench.md has no ${open} ... ${close}`);
  writeFileSync(page, `${before.slice(0, start + open.length)}\n${text}\n${before.slice(end)}`);
};

/** Writes the results of a run between its markers in docs/bench.md, or in another page. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Scenario } from './scenarios.ts';

const pageOf = (section: Section): URL =>
  new URL(`../docs/${['security', 'costs', 'logins'].includes(section) ? 'security.md' : 'bench.md'}`, import.meta.url);

export type Section =
  | Scenario['name']
  | 'clean-up'
  | 'codecs'
  | 'commands'
  | 'costs'
  | 'embedding'
  | 'engines'
  | 'logins'
  | 'orders'
  | 'postgres'
  | 'processes'
  | 'profile'
  | 'records'
  | 'recovery'
  | 'scale'
  | 'security'
  | 'upstream'
  | 'writes'
  | 'writes-against';

/** Replaces one section of the page; throws where the page lacks its markers. */
export const writeSection = (section: Section, text: string): void => {
  const page = pageOf(section);
  const [open, close] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`];
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const start = before.indexOf(open);
  const end = before.indexOf(close);
  if (start < 0 || end < start) throw new Error(`${page.pathname} has no ${open} ... ${close}`);
  writeFileSync(page, `${before.slice(0, start + open.length)}\n${text}\n${before.slice(end)}`);
};

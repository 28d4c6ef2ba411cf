/** Renews the part of a page that a program writes: between its markers. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Replaces what is between `<!-- name: begin -->` and `<!-- name: end -->`. Throws where the page lacks these. */
export function writeBetweenMarkers(page: URL, name: string, text: string): void {
  const [open, close] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const start = before.indexOf(open);
  const end = before.indexOf(close);
  if (start < 0 || end < start) throw new Error(`${fileURLToPath(page)} has no ${open} ... ${close}`);
  writeFileSync(page, `${before.slice(0, start + open.length)}\n${text}\n${before.slice(end)}`);
}

/** Renews the part of a page that a program writes: between its markers. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What is between `<!-- name: begin -->` and `<!-- name: end -->` of a page; empty where the page lacks these. */
export function readBetweenMarkers(page: URL, name: string): string {
  const [, text = ''] = readFileSync(page, 'utf8').split(`<!-- ${name}: begin -->`);
  return text.split(`<!-- ${name}: end -->`)[0] ?? '';
}

/** Replaces what is between `<!-- name: begin -->` and `<!-- name: end -->`. Throws where the page lacks these. */
export function writeBetweenMarkers(page: URL, name: string, text: string): void {
  const [open, close] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const start = before.indexOf(open);
  const end = before.indexOf(close);
  if (start < 0 || end < start) throw new Error(`${fileURLToPath(page)} has no ${open} ... ${close}`);
  writeFileSync(page, `${before.slice(0, start + open.length)}\n${text}\n${before.slice(end)}`);
}

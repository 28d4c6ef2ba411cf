/** Renews one section of a page that a program writes. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces the text between a heading of the second level and the next one. Throws where the page has no such heading. */
export function writeSection(file: string, heading: string, text: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const start = lines.indexOf(`## ${heading}`);
  if (start === -1) throw new Error(`${file} has no section ${heading}`);
  const next = lines.findIndex((line, at) => at > start && line.startsWith('## '));
  const after = next === -1 ? [] : ['', ...lines.slice(next)];
  const page = [...lines.slice(0, start + 1), '', text.trim(), ...after].join('\n');
  writeFileSync(file, `${page.trimEnd()}\n`);
}

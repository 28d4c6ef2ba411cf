/** A section of docs/bench.md or docs/security.md: measures, prints what was found, and ends with 1 where a limit is missed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBetweenMarkers, writeBetweenMarkers } from '../scripts/section.ts';
import { type Finding, printFindings } from './results.ts';
import type { Scenario } from './scenarios.ts';

export type Section =
  | Scenario['name']
  | 'clean-up'
  | 'codecs'
  | 'commands'
  | 'costs'
  | 'embedding'
  | 'engines'
  | 'keyed'
  | 'logins'
  | 'memory'
  | 'openings'
  | 'orders'
  | 'postgres'
  | 'processes'
  | 'profile'
  | 'records'
  | 'recovery'
  | 'scale'
  | 'security'
  | 'stores'
  | 'shadow'
  | 'upstream'
  | 'writes';

/** The options of every section. */
export const sectionOptions = {
  /** A short run, which shows that the bench works and no more. */
  quick: { type: 'boolean', default: false },
  /** Renews the page. */
  write: { type: 'boolean', default: false },
} as const;

/** What was measured: paragraphs and tables. The table of the findings comes last, if there are any. */
export interface Report {
  readonly text: readonly string[];
  readonly findings: readonly Finding[];
}

/** Measures in a temporary folder. `closing` stops what was started, the last one first. */
export async function runSection(
  section: Section,
  { write }: { readonly write: boolean },
  measure: (folder: string, closing: AsyncDisposableStack) => Promise<Report>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `triglyph-bench-${section}-`));
  try {
    await using closing = new AsyncDisposableStack();
    if (!printReport(section, await measure(folder, closing), write)) process.exitCode = 1;
  } catch (thrown) {
    console.error(thrown);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints a report, and writes it between the markers of its page. Returns whether every limit holds. */
export function printReport(section: Section, { text, findings }: Report, isWritten: boolean): boolean {
  const report = [...text, ...(findings.length > 0 ? [printFindings(findings)] : [])].join('\n\n');
  console.log(report);
  if (isWritten) writeBetweenMarkers(pageOf(section), section, report);
  return findings.every(({ holds }) => holds);
}

/** The landed text of a section; empty where its page has none. */
export function readSection(section: Section): string {
  return readBetweenMarkers(pageOf(section), section);
}

function pageOf(section: Section): URL {
  const page = ['security', 'costs', 'logins'].includes(section) ? 'security.md' : 'bench.md';
  return new URL(`../docs/${page}`, import.meta.url);
}

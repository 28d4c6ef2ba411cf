/** The result table of fault injection: a line for each run. */
import { roles } from './request.ts';
import type { Report } from './run.ts';

const columns: readonly (readonly [string, (report: Report) => string | number])[] = [
  ['faults of', ({ name }) => name],
  ['records', ({ records }) => (records ? 'on' : 'off')],
  ['faults', ({ faults }) => faults],
  ['kills', ({ kills }) => kills],
  ['keys', ({ verdict }) => verdict.keys],
  ['requests', ({ verdict }) => verdict.requests],
  ['disturbed', ({ verdict }) => verdict.disturbed],
  ...roles.map((role) => [`doubled (${role})`, ({ verdict }: Report) => verdict.doubledIn[role]!] as const),
  ['lost', ({ verdict }) => verdict.lost],
  ['different', ({ verdict }) => verdict.different],
  ['wrong', ({ verdict }) => verdict.wrong],
  ['open', ({ verdict }) => verdict.open],
  ['s', ({ seconds }) => seconds.toFixed(0)],
];

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** In Markdown, for the documentation. */
export const heading: readonly string[] = [
  row(columns.map(([name]) => name)),
  row(columns.map((_, index) => (index < 2 ? '---' : '---:'))),
];

export const lineOf = (report: Report): string => row(columns.map(([, cell]) => cell(report)));

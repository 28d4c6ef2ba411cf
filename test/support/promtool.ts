/** promtool, the checker of Prometheus, and unit tests of alerts whose series are scrapes of real servers. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../deploy/prometheus');

export const rulesFile = join(folder, 'alerts.yml');
export const ruleTestsFile = join(folder, 'alerts.test.yml');

/** Runs promtool; returns its status and its output. */
export function promtool(...parameters: readonly string[]): {
  readonly status: number | null;
  readonly output: string;
} {
  const { status, stdout, stderr, error } = spawnSync('promtool', parameters, { cwd: folder, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return { status, output: stdout + stderr };
}

/** Lets promtool parse expressions, as rules: it has no command of its own for that. */
export function parseExpressions(expressions: readonly string[], temporary: string): ReturnType<typeof promtool> {
  const file = join(temporary, 'expressions.yml');
  const rules = expressions.map((expr, at) => ({ record: `expression_${at}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'all', rules }] }));
  return promtool('check', 'rules', file);
}

/** The samples of a scrape: values by series. */
export type Scrape = ReadonlyMap<string, string>;

export async function scrape(admin: string): Promise<Scrape> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

const labelled = (series: string): string =>
  series.includes('{')
    ? series.replace('{', '{instance="one",job="triglyph",')
    : `${series}{instance="one",job="triglyph"}`;

/**
 * The alerts that fire when a server first answers `before` for 10 minutes and then turns into `after` within `minutes`, and stays so
 * for 10 minutes more.
 */
export function firingAlerts(before: Scrape, after: Scrape, minutes: number, temporary: string): readonly string[] {
  const input = [...after].flatMap(([series, last]) => {
    const first = before.get(series);
    const [from, to] = [first ?? '0', last].map(Number);
    if (!/^triglyph_/.test(series) || !Number.isFinite(from) || !Number.isFinite(to)) return [];
    const step = (to! - from!) / minutes;
    // What falls is a gauge, and falls at once.
    const change = step < 0 ? `${to}x${minutes}` : `${from}+${step.toFixed(6)}x${minutes}`;
    const start = first === undefined ? Array.from({ length: 10 }, () => '_').join(' ') : `${from}x9`;
    return [{ series: labelled(series), values: `${start} ${change} ${to}x10` }];
  });
  const names = [...readFileSync(rulesFile, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
  const none = names.map((alertname) => ({ eval_time: `${10 + minutes}m`, alertname, exp_alerts: [] }));
  const tests = [{ interval: '1m', input_series: input, alert_rule_test: none }];
  const file = join(temporary, 'faults.yml');
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '30s', tests }));
  const { status, output } = promtool('test', 'rules', file);
  const fired = names.filter((name) => output.includes(`alertname: ${name},`));
  if (status !== 0 && fired.length === 0) throw new Error(output);
  return fired;
}

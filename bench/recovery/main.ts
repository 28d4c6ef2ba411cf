/** `npm run bench:recovery`: measures budgets of starts, time limits and recoveries, and ends with 1 where one is broken. */
import { describeMachine } from '../machine.ts';
import { writeSection } from '../page.ts';
import { type Finding, printFindings } from '../results.ts';
import type { Budget } from './budget.ts';
import { postgresBudgets } from './postgres.ts';
import { programBudgets } from './program.ts';
import { redisBudgets } from './redis.ts';

/** Other load on the machine only lengthens a measurement. */
const triesMax = 3;

const findings: Finding[] = [];
for (const budget of [...redisBudgets, ...postgresBudgets, ...programBudgets]) {
  findings.push(await check(budget));
  process.stderr.write('.');
}
process.stderr.write('\n');
const report = `${describeMachine()}\n\n${printFindings(findings)}`;
console.log(report);
if (process.argv.includes('--write')) writeSection('recovery', report);
process.exitCode = findings.every(({ holds }) => holds) ? 0 : 1;

/** Returns the best of three measurements; one that holds is enough. */
async function check({ name, max, unit, measure }: Budget): Promise<Finding> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax && best > max; tries += 1) best = Math.min(best, await measure());
  return { name, measured: `${best.toFixed(0)} ${unit}`, limit: `at most ${max} ${unit}`, holds: best <= max };
}

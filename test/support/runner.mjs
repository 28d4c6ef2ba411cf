/** Jest's test runner, which also measures the CPU time of a test file with the programs that it started. */
import { existsSync, readFileSync } from 'node:fs';
import circus from 'jest-circus/runner';

// The package is a CommonJS module whose function is its member `default`.
const runTestFile = circus.default;

export default async function runAndMeasure(...parameters) {
  const before = cpuSeconds();
  const result = await runTestFile(...parameters);
  return { ...result, cpuSeconds: cpuSeconds() - before };
}

const kernelCounters = '/proc/self/stat';
const ticksPerSecond = 100;

/** Of this process and of ended processes that it started: fields 14 to 17 of proc_pid_stat(5). Zero where it is not Linux. */
function cpuSeconds() {
  if (!existsSync(kernelCounters)) return 0;
  const fields = readFileSync(kernelCounters, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

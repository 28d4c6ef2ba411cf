/**
 * `npm run bench:postgres`: what webhook endpoints cost on PostgreSQL. Two servers share a private database; companies with no,
 * one and five endpoints take turns. `--quick` is a short run, `--write` renews docs/bench.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.ts';
import { writeSection } from '../page.ts';
import { type Measured, putCallers } from './callers.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { operationNames } from './companies.ts';
import { findingsOf, printFindings, printRounds } from './findings.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** Only these numbers of callers, such as `--callers 12,32`. */
    callers: { type: 'string', default: '1,12,32,64' },
    endpoints: { type: 'string', default: '0,1,5' },
    rounds: { type: 'string', default: '3' },
    /** Of a round. */
    seconds: { type: 'string', default: '6' },
    operations: { type: 'string', default: operationNames.join() },
  },
});

const numbers = (text: string): readonly number[] => text.split(',').map(Number);
const endpointCounts = numbers(options.endpoints);
const callerCounts = numbers(options.callers);
const operations = operationNames.filter((name) => options.operations.split(',').includes(name));
const plan = options.quick
  ? { rounds: 1, seconds: 3, warmUpSeconds: 2 }
  : { rounds: Number(options.rounds), seconds: Number(options.seconds), warmUpSeconds: 4 };

async function measure(cluster: Cluster): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const operation of operations) {
    for (const company of cluster.companies) await putCallers(cluster, company, operation, 12, plan.warmUpSeconds);
    for (const callers of callerCounts)
      for (let round = 0; round < plan.rounds; round++)
        // Back and forth, so that no company always follows the same one.
        for (const company of round % 2 === 0 ? cluster.companies : cluster.companies.toReversed()) {
          measured.push(await putCallers(cluster, company, operation, callers, plan.seconds));
          process.stderr.write('.');
        }
  }
  process.stderr.write('\n');
  return measured;
}

async function run(folder: string): Promise<boolean> {
  const cluster = await startCluster(folder, endpointCounts);
  try {
    const measured = await measure(cluster);
    const findings = findingsOf(measured);
    const report = [
      `Two servers on one PostgreSQL, each request for another shopper or account holder and with its own key; ` +
        `${plan.rounds} round${plan.rounds === 1 ? '' : 's'} of ${plan.seconds} s, alternating. ${describeMachine('no pinning')}`,
      printRounds(measured),
      printFindings(findings),
    ].join('\n\n');
    console.log(report);
    if (options.write) writeSection('postgres', report);
    return findings.every(({ holds }) => holds);
  } finally {
    await cluster.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-postgres-'));
try {
  process.exitCode = (await run(folder)) ? 0 : 1;
} catch (thrown) {
  console.error(thrown);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

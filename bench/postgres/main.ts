/**
 * `npm run bench:postgres`: what webhook endpoints cost on PostgreSQL. Two servers share a private database; companies with no,
 * one and five endpoints take turns. `--quick` is a short run, `--write` renews docs/bench.md.
 */
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.ts';
import { describeRounds, inRounds } from '../rounds.ts';
import { runSection, sectionOptions } from '../section.ts';
import { type Measured, putCallers } from './callers.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { operationNames } from './companies.ts';
import { findingsOf, printRounds } from './findings.ts';

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
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
    for (const callers of callerCounts) {
      const rounds = await inRounds(cluster.companies, plan.rounds, (company) =>
        putCallers(cluster, company, operation, callers, plan.seconds),
      );
      measured.push(...[...rounds.values()].flat());
    }
  }
  return measured;
}

await runSection('postgres', options, async (folder, closing) => {
  const cluster = await startCluster(folder, endpointCounts);
  closing.defer(() => cluster.stop());
  const measured = await measure(cluster);
  const head = `Two servers on one PostgreSQL, each request for another shopper or account holder and with its own key; ${describeRounds(plan)}. ${describeMachine('no pinning')}`;
  const all = findingsOf(measured);
  const missed = all.filter(({ holds }) => !holds);
  const verdict = missed.length === 0 ? [`All ${all.length} limits hold.`] : [];
  return { text: [head, printRounds(measured), ...verdict], findings: missed };
});

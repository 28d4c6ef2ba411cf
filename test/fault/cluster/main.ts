/** `npm run failover`: the settings of deploy/cluster under keyed load, one fault after the other, with the recovery times. */
import { startCluster } from '../../support/patroni.ts';
import {
  type Fault,
  faults,
  primaryCutOffFromOthers,
  primaryHangs,
  primaryKilled,
  standbyHangs,
  switchedOver,
} from './faults.ts';
import { prepareGateways } from './gateways.ts';
import { answerMsMax, type Observed, observeFault } from './load.ts';

interface Row {
  readonly way: string;
  readonly url: string;
  readonly faults: readonly Fault[];
  readonly withKeys?: boolean;
  /** What a control must show; without it nothing may be lost or doubled. */
  readonly shows?: (observed: Observed) => boolean;
}

const asynchronous = { synchronous_mode: false, synchronous_mode_strict: false };

// The exit handlers remove machines and networks.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const cluster = await startCluster();
try {
  const gateways = await prepareGateways(cluster);
  const pooled = await cluster.openPooler();
  const wrong: string[] = [];
  print(
    '| servers reach the primary by | fault | writes | lost | doubled | writes again after, s | a new connection after, s | slowest answer, s |',
  );
  print('|---|---|---|---|---|---|---|---|');
  const run = ({ way, url, faults, withKeys, shows }: Row) =>
    gateways.with(url, async (origins) => {
      for (const fault of faults) {
        const { authorizations } = gateways;
        const observed = await observeFault({
          cluster,
          origins,
          authorizations,
          fault,
          ...(withKeys === false && { withKeys }),
        });
        const { answered, lost, doubled, changed, gapMs, clusterGapMs, slowestMs } = observed;
        const times = [gapMs, clusterGapMs, slowestMs].map((ms) => (ms / 1_000).toFixed(1));
        print(`| ${[way, fault.name, answered, lost, doubled, ...times].join(' | ')} |`);
        const isRight = shows === undefined ? lost + doubled + changed === 0 : shows(observed);
        if (!isRight) wrong.push(`${way}, ${fault.name}: ${JSON.stringify(observed)}`);
      }
    });
  await run({ way: 'HAProxy', url: cluster.url, faults });
  await run({ way: 'several hosts', url: cluster.urlOfHosts, faults: faults.filter((each) => each !== standbyHangs) });
  await run({ way: 'PgBouncer and HAProxy', url: pooled, faults: [switchedOver, primaryKilled, primaryHangs] });
  await run({
    way: 'HAProxy, control: no keys',
    url: cluster.url,
    faults: [standbyHangs],
    withKeys: false,
    shows: ({ doubled }) => doubled > 0,
  });
  await run({
    way: 'several hosts, control: no time limit of the gateway',
    url: `${cluster.urlOfHosts}&query_timeout=600000`,
    faults: [primaryHangs],
    shows: ({ slowestMs }) => slowestMs >= answerMsMax,
  });
  await cluster.configure(asynchronous);
  await run({
    way: 'HAProxy, control: asynchronous replication',
    url: cluster.url,
    faults: [primaryCutOffFromOthers],
    shows: ({ lost }) => lost > 0,
  });
  gateways.discard();
  for (const line of wrong) print(`WRONG: ${line}`);
  print(wrong.length === 0 ? 'nothing lost or doubled, and each control shows its fault' : `${wrong.length} wrong`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await cluster.close();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

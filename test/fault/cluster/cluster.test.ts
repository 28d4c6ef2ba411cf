/** The cluster of deploy/cluster under keyed load, with shorter times: what is answered is neither lost nor doubled. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openPostgres } from '../../../src/stores/postgres/open.ts';
import { type Engine, statement } from '../../../src/stores/sql/engine.ts';
import { createCertificate } from '../../support/certificates.ts';
import { type Cluster, startCluster } from '../../support/patroni.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { type Fault, primaryCutOff, primaryCutOffFromOthers, standbyHangs, switchedOver } from './faults.ts';
import { type Gateways, prepareGateways } from './gateways.ts';
import { type Observed, observeFault } from './load.ts';

let cluster: Cluster;
let gateways: Gateways;
beforeAll(async () => {
  cluster = await startCluster({ ttl: 6, loop_wait: 1, retry_timeout: 2 });
  gateways = await prepareGateways(cluster);
});
afterAll(async () => {
  gateways?.discard();
  await cluster?.close();
});

async function observe(faults: readonly Fault[], withKeys = true): Promise<readonly Observed[]> {
  const { authorizations } = gateways;
  // A server does not start while a machine comes back from the fault before.
  await cluster.healed();
  return gateways.with(cluster.url, async (origins) => {
    const observed: Observed[] = [];
    for (const fault of faults)
      observed.push(await observeFault({ cluster, origins, authorizations, fault, withKeys }));
    return observed;
  });
}

describe('several hosts with sslmode=verify-full', () => {
  const openHosts = (url: string): Engine => openPostgres({ url, poolMax: 2 });
  const find = statement<{ readonly standby: number }>('find', 'select pg_is_in_recovery() as standby');

  test('lead to the primary, whose certificate is verified', async () => {
    const engine = openHosts(cluster.urlOfHosts);
    expect(await engine.write((session) => session.query(find, []))).toEqual([{ standby: 0 }]);
    await engine.close();
  });
  test('control: an authority that has not signed it is refused', async () => {
    const folder = tempFolder();
    const { cert } = createCertificate(folder.path, 'another');
    const engine = openHosts(cluster.urlOfHosts.replace(/sslrootcert=.*/, `sslrootcert=${cert}`));
    await expect(engine.write((session) => session.query(find, []))).rejects.toThrow(/SIGNATURE|CERT/i);
    await engine.close();
    folder.discard();
  });
});

describe('a cluster of three behind HAProxy', () => {
  test('loses and doubles nothing when the primary is switched over, and when it is cut off', async () => {
    for (const { answered, lost, doubled, changed } of await observe([switchedOver, primaryCutOff])) {
      expect(answered).toBeGreaterThan(0);
      expect({ lost, doubled, changed }).toEqual({ lost: 0, doubled: 0, changed: 0 });
    }
  });
  test('control: callers without keys double writes that wait for a standby that hangs', async () => {
    const [observed] = await observe([standbyHangs], false);
    expect(observed?.doubled).toBeGreaterThan(0);
  });
  test('control: asynchronous replication loses answered writes of a primary that is cut off from the others', async () => {
    await cluster.configure({ synchronous_mode: false, synchronous_mode_strict: false });
    const [observed] = await observe([primaryCutOffFromOthers]);
    expect(observed?.lost).toBeGreaterThan(0);
  });
});

/** Jest's sequencer: starts the longest test files first, so that none runs alone at the end. */
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** The longest first. A file that is not named comes after them, in Jest's own order. */
const longest = [
  'test/fault/cluster/cluster.test.ts',
  'test/fault/injection/fault-injection.test.ts',
  'test/system/npm.test.ts',
  'test/system/workers.test.ts',
  'test/system/lost-primary.test.ts',
  'test/system/redis-failovers.test.ts',
  'test/system/log-failures.test.ts',
  'test/integration/redis-limits.test.ts',
  'test/integration/webhook-fairness.test.ts',
  'test/system/limits-after-kills.test.ts',
  'test/integration/postgres.test.ts',
  'test/integration/redis-records.test.ts',
  'test/integration/mock-corpus.test.ts',
  'test/integration/pgbouncer.test.ts',
  'test/system/production-guide.test.ts',
  'test/system/load.test.ts',
  'test/system/rolling-restarts.test.ts',
  'test/fault/failover.test.ts',
  'test/browser/imported.test.ts',
  'test/browser/traffic.test.ts',
  'test/system/keys.test.ts',
  'test/system/copy.test.ts',
  'test/browser/explorer.test.ts',
  'test/fault/updater-kills.test.ts',
  'test/browser/state.test.ts',
  'test/fault/upstream/upstream-faults.test.ts',
  'test/fault/upstream/upstream-kills.test.ts',
  'test/fault/records/records-faults.test.ts',
  'test/system/without-database.test.ts',
  'test/fault/upstream/documented-answers.test.ts',
  'test/system/deprecations.test.ts',
  'test/system/tls.test.ts',
  'test/system/message-headers.test.ts',
  'test/system/serve-wsdl.test.ts',
  'test/browser/console-frame.test.ts',
  'test/system/package.test.ts',
  'test/system/reproducible.test.ts',
  'test/simulation/matrix.test.ts',
  'test/property/formats-are-equal.test.ts',
  'test/simulation/simulation.test.ts',
  'test/property/arbitrary-bytes.test.ts',
  'test/property/infoset.test.ts',
];

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ path, context }) {
  const at = longest.indexOf(relative(context.config.rootDir, path));
  return at < 0 ? longest.length : at;
}

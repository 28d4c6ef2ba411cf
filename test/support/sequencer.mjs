/** Jest's sequencer: starts the longest test files first, so that none runs alone at the end. */
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** The longest first. A file that is not named comes after them, in Jest's own order. */
const longest = [
  'test/system/npm.test.ts',
  'test/system/production-guide.test.ts',
  'test/system/redis-failovers.test.ts',
  'test/fault/upstream/upstream-kills.test.ts',
  'test/fault/cluster/cluster.test.ts',
  'test/browser/imported.test.ts',
  'test/integration/redis-records.test.ts',
  'test/browser/traffic.test.ts',
  'test/system/imported-services.test.ts',
  'test/system/package.test.ts',
  'test/integration/postgres.test.ts',
  'test/system/soap-features.test.ts',
  'test/integration/postgres-suspended.test.ts',
  'test/integration/console-tenants.test.ts',
  'test/fault/injection/fault-injection.test.ts',
  'test/fault/upstream/upstream-faults.test.ts',
  'test/system/workers.test.ts',
  'test/system/log-failures.test.ts',
  'test/system/lost-primary.test.ts',
  'test/fault/records/records-faults.test.ts',
  'test/system/tls.test.ts',
  'test/system/serve-wsdl.test.ts',
  'test/system/deprecations.test.ts',
  'test/browser/console-frame.test.ts',
  'test/system/large-values-memory.test.ts',
  'test/system/cli-output.test.ts',
  'test/system/large-values.test.ts',
  'test/browser/explorer.test.ts',
  'test/fault/failover.test.ts',
  'test/system/upstream-sessions.test.ts',
  'test/system/without-database.test.ts',
  'test/browser/accessibility.test.ts',
  'test/browser/tenants.test.ts',
  'test/browser/pictures.test.ts',
  'test/browser/callers.test.ts',
  'test/system/load.test.ts',
  'test/browser/long-tables.test.ts',
  'test/browser/overview.test.ts',
  'test/system/bundle.test.ts',
  'test/system/reproducible.test.ts',
  'test/integration/import-wsdl-size.test.ts',
  'test/system/rolling-restarts.test.ts',
  'test/fault/updater-kills.test.ts',
  'test/fault/upstream/documented-answers.test.ts',
  'test/integration/log-ins.test.ts',
  'test/system/copy.test.ts',
  'test/system/upstream-tokens.test.ts',
  'test/system/keys.test.ts',
  'test/system/telemetry.test.ts',
  'test/system/replay-attacks.test.ts',
  'test/system/migrate-guide.test.ts',
  'test/system/message-headers.test.ts',
  'test/system/deploy.test.ts',
  'test/system/upstreams.test.ts',
  'test/integration/upstream.test.ts',
  'test/integration/pgbouncer.test.ts',
  'test/simulation/matrix.test.ts',
  'test/property/formats-are-equal.test.ts',
  'test/property/seeded-defects.test.ts',
  'test/property/documents.test.ts',
  'test/simulation/simulation.test.ts',
  'test/property/arbitrary-bytes.test.ts',
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

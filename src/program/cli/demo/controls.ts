/** The controls of a demo, for its console and its test API: its folder, its clock and its identifiers. */
import { randomInt } from 'node:crypto';
import type { Config } from '../../../config/index.ts';
import { isLoopback } from '../../../core/lib/index.ts';
import { openSqlite } from '../../../stores/sqlite/index.ts';
import { type PreparedControls, prepareControls } from '../../testing/controls.ts';
import { createSeededRandom } from '../../testing/seeded-random.ts';

/** Returns why the test API cannot be served. */
export function testApiFaults({ databaseUrl, redisUrl, host, adminHost }: Config): readonly string[] {
  const faults: string[] = [];
  if (databaseUrl !== undefined)
    faults.push('--test-api resets the embedded store only: unset DATABASE_URL, and the demo uses its folder.');
  if (redisUrl !== undefined) faults.push('--test-api resets no Redis: unset REDIS_URL.');
  // The test API has no credentials, and its host is that of probes.
  if (!isLoopback(adminHost) && isLoopback(host))
    faults.push(`ADMIN_HOST is ${adminHost}: add --host ${adminHost} to let others use the test API, or unset it.`);
  return faults;
}

export function prepareDemoControls({ dataDir }: Config): PreparedControls {
  return prepareControls({
    // Another seed for each start: the folder keeps the references of earlier ones.
    random: createSeededRandom(randomInt(2 ** 48 - 1)),
    open: (now) => openSqlite({ dataDir, exclusive: true }, now),
  });
}

/** Creates the limit on requests to upstreams without an outcome, with its counter and a line in the log. */

import type { Config } from '../../config/config.ts';
import type { Log } from '../../http/log.ts';
import type { Metrics } from '../../http/metrics/metrics.ts';
import { PendingLimit } from '../../idempotency/pending-limit.ts';
import type { Backend } from '../backend.ts';

const logEveryMs = 60_000;

export function createPendingLimit(
  { pendingPerCredentialMax, pendingMax }: Config,
  { unsettled }: Pick<Backend, 'unsettled'>,
  log: Log,
  metrics: Metrics,
): PendingLimit {
  const count = metrics.addEventCounter({
    name: 'triglyph_pending_refused_total',
    help: 'Writing requests that were refused since too many had no outcome, by limit: pendingOfCredential (429), pendingOfAll (503).',
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  return new PendingLimit({
    count: () => unsettled.countByCredential(),
    perCredentialMax: pendingPerCredentialMax,
    max: pendingMax,
    onReached(limit) {
      count(limit);
      const now = performance.now();
      if (now - loggedAt < logEveryMs) return;
      loggedAt = now;
      log.write('warn', 'too many requests without an outcome: triglyph pending list shows them', { limit });
    },
  });
}

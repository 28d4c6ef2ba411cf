/** Counts secrets in free text in the metrics, and records them in the audit log, summed up over a minute. */

import type { SecretFound } from '../core/gateway/index.ts';
import { credentialActor } from './audit/audit-event.ts';
import type { AuditTrail } from './audit/audit-trail.ts';

interface SecretReports {
  report(found: SecretFound): void;
  /** Records what was summed up. */
  flush(): void;
}

interface Sum extends SecretFound {
  count: number;
}

const intervalMs = 60_000;
const sumsMax = 1_000;

/** One event for each credential and field in a minute, without the secret. */
export function createSecretReports(audit: AuditTrail, count: (kind: string) => void): SecretReports {
  const sums = new Map<string, Sum>();
  const flush = (): void => {
    for (const { operation, field, credential, count: times } of sums.values())
      audit.record({
        kind: 'secretFound',
        actor: credentialActor(credential),
        subject: `${operation} ${field}`,
        detail: { times },
      });
    sums.clear();
  };
  return Object.freeze<SecretReports>({
    report(found) {
      const { operation, field, credential } = found;
      count(`${operation} ${field}`);
      if (sums.size === 0) setTimeout(flush, intervalMs).unref();
      const key = `${credential} ${operation} ${field}`;
      const sum = sums.get(key) ?? { ...found, count: 0 };
      sum.count += 1;
      sums.set(key, sum);
      if (sums.size >= sumsMax) flush();
    },
    flush,
  });
}

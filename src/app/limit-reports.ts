/** Reports that a quota is reached: in the metrics, in the log and in the audit log. */
import { credentialActor, gatewayActor } from '../audit/audit-event.ts';
import type { Backend } from '../backend/backend.ts';
import { limitCounter } from '../callers/limits/limits.ts';
import type { QuotaReached } from '../callers/limits/quota.ts';
import type { Log } from '../http/log.ts';
import type { Metrics } from '../http/metrics/metrics.ts';

export function observeLimits({ limits, audit }: Backend, log: Log, metrics: Metrics): void {
  const count = metrics.addEventCounter(limitCounter);
  limits.listen((event) => {
    const { limit, of, actor, blockedMs } = event;
    count(limit);
    log.write('warn', 'a limit is reached', {
      limit,
      [of === 'credentials' ? 'credential' : 'login']: actor,
      blockedMs,
    });
    audit.record(eventOf(event));
  });
}

function eventOf({ limit, of, actor, blockedMs }: QuotaReached) {
  const seconds = Math.ceil(blockedMs / 1000);
  switch (of) {
    case 'credentials':
      return { kind: 'limitReached', actor: credentialActor(actor), subject: limit, detail: { seconds } } as const;
    case 'logins':
      return { kind: 'loginLocked', actor: gatewayActor, subject: actor, detail: { limit, seconds } } as const;
    default:
      return of satisfies never;
  }
}

/** The limits of a serving process: those on load, with their counter, and the reports of quotas that are reached. */
import {
  createAnswerPace,
  credentialActor,
  FairTurns,
  gatewayActor,
  limitCounter,
  type QuotaReached,
} from '../access/index.ts';
import type { Config } from '../config/index.ts';
import { PendingLimit } from '../core/idempotency/index.ts';
import type { Log, Metrics } from '../http/index.ts';
import type { Backend } from './backend.ts';

/** Creates the turns of callers, the pace of answers without a credential, and the counter of both. */
export function createLoadLimits(config: Config, metrics: Metrics) {
  const { requestsPerCredentialMax: perCallerMax, requestWaitMsMax: waitMsMax } = config;
  const { unauthenticatedPerSecondMax: perSecond } = config;
  const count = metrics.addEventCounter({
    name: 'triglyph_load_limited_total',
    help: 'Load that was limited, by kind: connections (of an address, reset), slowed (answers without a credential), atOnce (requests of a credential, 429), waiting (requests behind others of their credential, 503).',
  });
  const turns =
    perCallerMax === 0 && waitMsMax === 0 ? undefined : new FairTurns({ perCallerMax, waitMsMax, onRefused: count });
  if (turns !== undefined) metrics.waitingForTurn = () => turns.waiting;
  return {
    /** Absent where each of its limits is off. */
    turns,
    pace: perSecond === 0 ? undefined : createAnswerPace({ perSecond, onSlowed: () => count('slowed') }),
    onConnectionRefused: (): void => count('connections'),
  };
}

/** Reports each quota that is reached in the metrics, the log and the audit log. */
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

const logEveryMs = 60_000;

/** Creates the limit on requests to upstreams without an outcome, with its counter and a line in the log. */
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

/** Counts the requests to upstreams, and logs what an operator must know of them. */
import type { HandlerContext } from '../../core/gateway/index.ts';
import { isRefusal, type RemoteHandler } from '../../core/idempotency/index.ts';
import { failureIn, type UpstreamEvent } from '../../forward/index.ts';
import type { Log, UpstreamMetrics } from '../../http/index.ts';

/** Returns the handler, which counts and times each request with its retries. */
export function countCalls(
  handler: RemoteHandler<HandlerContext>,
  keyMsMax: number,
  { called }: UpstreamMetrics,
): RemoteHandler<HandlerContext> {
  const { upstream } = handler;
  return Object.freeze<RemoteHandler<HandlerContext>>({
    ...handler,
    keyMsMax,
    async forward(request, context, key) {
      const startedAt = performance.now();
      const count = (outcome: string, reason = ''): void =>
        called({ upstream, outcome, reason, seconds: (performance.now() - startedAt) / 1000 });
      try {
        const answer = await handler.forward(request, context, key);
        count('ok');
        return answer;
      } catch (thrown) {
        if (isRefusal(thrown)) count('refused');
        else count('failed', failureIn(thrown)?.reason ?? 'other');
        throw thrown;
      }
    },
  });
}

/** How many members are listed in the log, each once; others are only counted. */
const listedMax = 1_000;

/** Returns a listener that logs events, and counts retries and unknown members. */
export function createEventListener(log: Log, metrics: UpstreamMetrics): (event: UpstreamEvent) => void {
  const listed = new Set<string>();
  return (event) => {
    const { kind, upstream } = event;
    switch (kind) {
      case 'failed': {
        const { operation, reason, isSent, detail, isRetried } = event;
        if (isRetried) metrics.retried(upstream);
        // Whether the circuit is open, `down` and `up` tell.
        if (reason === 'circuitOpen') return;
        log.write('warn', 'no valid answer from an upstream', {
          upstream,
          operation,
          reason,
          detail,
          isSent,
          isRetried,
        });
        return;
      }
      case 'unknownMembers': {
        const { service, operation, members } = event;
        metrics.unknownMembers(upstream, service, operation, members.length);
        const unlisted = members.filter((member) => !listed.has(`${upstream} ${service}.${operation} ${member}`));
        if (unlisted.length === 0 || listed.size >= listedMax) return;
        for (const member of unlisted) listed.add(`${upstream} ${service}.${operation} ${member}`);
        log.write('warn', 'an upstream answers with members that are not in the contract', {
          upstream,
          service,
          operation,
          members: unlisted,
        });
        return;
      }
      case 'down':
        log.write('error', 'an upstream is down: its last ten requests failed, and some are refused for a while', {
          upstream,
          reason: event.reason,
        });
        return;
      case 'up':
        log.write('info', 'an upstream is up again', { upstream });
        return;
      default:
        kind satisfies never;
    }
  };
}

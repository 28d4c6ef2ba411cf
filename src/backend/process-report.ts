/** What a process that serves callers says of itself for the console. Workers send it to their primary. */
import type { PoolConnections } from '../stores/index.ts';

/** `probing`: the next request, or one under way, tries whether the upstream works again. */
type BreakerState = 'closed' | 'open' | 'probing';

export interface UpstreamReport {
  readonly name: string;
  readonly breaker: BreakerState;
  /** Requests on a connection, and those that wait for one. */
  readonly active: number;
  readonly waiting: number;
}

export interface ProcessReport {
  readonly pid: number;
  readonly role: 'server' | 'worker';
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly memoryBytes: number;
  readonly upstreams: readonly UpstreamReport[];
  /** Absent where Redis is not configured. */
  readonly redis?: 'up' | 'down' | undefined;
  /** Absent for the embedded store. */
  readonly connections?: ReturnType<PoolConnections['state']> | undefined;
}

interface ReportedParts {
  readonly role: ProcessReport['role'];
  readonly upstreams: { states(): readonly UpstreamReport[] };
  readonly redisUp: (() => boolean) | undefined;
  readonly connections: PoolConnections | undefined;
}

export function reportProcess({ role, upstreams, redisUp, connections }: ReportedParts): ProcessReport {
  return {
    pid: process.pid,
    role,
    startedAt: startedAt(),
    memoryBytes: process.memoryUsage.rss(),
    upstreams: upstreams.states(),
    ...(redisUp && { redis: redisUp() ? 'up' : 'down' }),
    ...(connections && { connections: connections.state() }),
  };
}

/** When this process started, in milliseconds since the epoch. */
export function startedAt(): number {
  return Math.round(performance.timeOrigin);
}

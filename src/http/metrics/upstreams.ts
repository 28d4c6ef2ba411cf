/** The metrics of upstreams. Labels are names of the configuration and of the contracts, and few reasons. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What an upstream does at this moment. */
interface UpstreamState {
  readonly name: string;
  /** Its circuit is open: it has failed repeatedly, and few requests are tried. */
  readonly isDown: boolean;
  /** Requests that wait for a connection. */
  readonly queued: number;
  readonly running: number;
}

/** How a call of an upstream ended. */
interface UpstreamCall {
  readonly upstream: string;
  /** `ok`, `refused` or `failed`. */
  readonly outcome: string;
  /** Why it failed; empty for other outcomes. */
  readonly reason: string;
  readonly seconds: number;
}

export type UpstreamMetrics = ReturnType<typeof createUpstreamMetrics>;

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createUpstreamMetrics(registers: Registry[]) {
  const calls = new Counter({
    name: 'triglyph_upstream_requests_total',
    help: 'Requests to upstreams, by upstream, outcome (ok, refused, failed) and, for failed ones, the reason.',
    labelNames: ['upstream', 'outcome', 'reason'],
    registers,
  });
  const durations = new Histogram({
    name: 'triglyph_upstream_request_duration_seconds',
    help: 'Time of a request to an upstream, retries included.',
    labelNames: ['upstream'],
    buckets: bucketsSeconds,
    registers,
  });
  const retries = new Counter({
    name: 'triglyph_upstream_retries_total',
    help: 'Requests that were sent to an upstream again.',
    labelNames: ['upstream'],
    registers,
  });
  const unknown = new Counter({
    name: 'triglyph_upstream_unknown_members_total',
    help: 'Members in answers of upstreams that the contract does not have, by service and operation.',
    labelNames: ['upstream', 'service', 'operation'],
    registers,
  });
  const lookups = new Counter({
    name: 'triglyph_upstream_lookups_total',
    help: 'Questions to upstreams for unknown outcomes, by upstream and result: done, notDone, tooEarly, unknown, settled.',
    labelNames: ['upstream', 'result'],
    registers,
  });
  return {
    called({ upstream, outcome, reason, seconds }: UpstreamCall): void {
      calls.inc({ upstream, outcome, reason });
      durations.observe({ upstream }, seconds);
    },
    lookedUp: (upstream: string, result: string): void => lookups.inc({ upstream, result }),
    retried: (upstream: string): void => retries.inc({ upstream }),
    unknownMembers: (upstream: string, service: string, operation: string, members: number): void =>
      unknown.inc({ upstream, service, operation }, members),
    /** Reads the states each time that the metrics are collected. */
    observe: (states: () => readonly UpstreamState[]): void => addStateGauges(registers, states),
  };
}

function addStateGauges(registers: Registry[], states: () => readonly UpstreamState[]): void {
  const gauges = [
    {
      name: 'triglyph_upstream_down',
      help: 'Whether the last ten requests to an upstream have failed, 1 or 0; with workers, the number of those where they have.',
      value: ({ isDown }: UpstreamState) => Number(isDown),
    },
    {
      name: 'triglyph_upstream_queued',
      help: 'Requests that wait for a connection to an upstream.',
      value: ({ queued }: UpstreamState) => queued,
    },
    {
      name: 'triglyph_upstream_running',
      help: 'Requests that an upstream has not answered yet.',
      value: ({ running }: UpstreamState) => running,
    },
  ];
  addGaugesOfUpstreams(registers, gauges, () => states().map((state) => [state.name, state]));
}

interface UpstreamGauge<S> {
  readonly name: string;
  readonly help: string;
  readonly value: (state: S) => number;
  /** How the values of workers become one; by default their sum. */
  readonly aggregator?: 'max';
}

/** `states`: by the names of upstreams, read each time that the metrics are collected. */
export function addGaugesOfUpstreams<S>(
  registers: Registry[],
  gauges: readonly UpstreamGauge<S>[],
  states: () => readonly (readonly [upstream: string, state: S])[],
): void {
  for (const { value, ...about } of gauges)
    new Gauge({
      ...about,
      labelNames: ['upstream'],
      registers,
      collect() {
        for (const [upstream, state] of states()) this.set({ upstream }, value(state));
      },
    });
}

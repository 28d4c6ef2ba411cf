/** The metrics of a server process. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { addGauges, type CollectionFailed, type ObservedState } from './gauges.ts';
import { addProcessMetrics, type Build } from './process.ts';
import { type CountRequest, createRequestCounter, type KnownNames } from './requests.ts';
import { createShadowMetrics, type ShadowMetrics } from './shadows.ts';
import { addStoreMetrics, type ObserveConnections } from './store.ts';
import { createUpstreamMetrics, type UpstreamMetrics } from './upstreams.ts';

/** What the parts of a server count. */
export interface Metrics extends ObservedState {
  readonly count: CountRequest;
  /** An event of the connection to Redis: `up`, `down`, `failed`, `unreadable`. */
  redisEvent(kind: string): void;
  /** The outcome of an attempt to deliver a webhook: `accepted`, `refused`, `unreachable`, `late`; or `givenUp` after the last one. */
  webhookEvent(outcome: string): void;
  /** An event of the log: `failed` writes, or `dropped` lines. */
  logEvent: CountEvent;
  /** A connection that was refused before there was a request, by status. */
  connectionRefused: CountEvent;
  /** Adds a counter of events by kind, for a part of the program that has its own. */
  addEventCounter(about: EventCounter): CountEvent;
  readonly upstreams: UpstreamMetrics;
  readonly shadows: ShadowMetrics;
  readonly jobs: JobMetrics;
  /** Reads the connections to the database from now on. */
  readonly observeConnections: ObserveConnections;
}

/** Metrics that an admin port serves. */
export interface ServedMetrics extends Metrics {
  readonly registry: Registry;
}

export interface EventCounter {
  readonly name: string;
  readonly help: string;
}

export type CountEvent = (kind: string, times?: number) => void;

export function createMetrics(
  names: KnownNames,
  onCollectionFailure: CollectionFailed,
  build: Build = { version: '', store: '' },
): ServedMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const addCounter = (about: EventCounter, label: string): CountEvent => {
    const counter = new Counter({ ...about, labelNames: [label], registers });
    return (kind, times = 1) => counter.inc({ [label]: kind }, times);
  };
  const metrics: ServedMetrics = {
    registry,
    inFlight: 0,
    connections: () => 0,
    count: createRequestCounter(registers, names),
    redisEvent: addCounter(
      {
        name: 'triglyph_redis_events_total',
        help: 'Events of the connection to Redis: up, down, failed (commands), unreadable (values).',
      },
      'kind',
    ),
    logEvent: addCounter(
      {
        name: 'triglyph_log_events_total',
        help: 'Events of the log: failed (writes, which are repeated), dropped (lines, while no write succeeds).',
      },
      'kind',
    ),
    webhookEvent: addCounter(
      {
        name: 'triglyph_webhooks_total',
        help: 'Attempts to deliver a webhook, by outcome (accepted, refused, unreachable, late), and webhooks given up (givenUp).',
      },
      'outcome',
    ),
    connectionRefused: addCounter(
      {
        name: 'triglyph_connections_refused_total',
        help: 'Connections refused before there was a request, by status: 400 (no HTTP), 408 (too slow), 431 (head too large).',
      },
      'status',
    ),
    addEventCounter: (about) => addCounter(about, 'kind'),
    upstreams: createUpstreamMetrics(registers),
    shadows: createShadowMetrics(registers),
    jobs: createJobMetrics(registers),
    observeConnections: addStoreMetrics(registers),
  };
  addProcessMetrics(registers, build);
  addGauges(registers, metrics, onCollectionFailure);
  return metrics;
}

/** How an attempt at a job ended. */
type JobOutcome = 'ended' | 'retried' | 'deferred' | 'abandoned' | 'failed' | 'leaseLost';

type JobMetrics = ReturnType<typeof createJobMetrics>;

const bucketsSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300, 3_600];

function createJobMetrics(registers: Registry[]) {
  const attempts = new Counter({
    name: 'triglyph_jobs_total',
    help: 'Attempts at background jobs, by kind and outcome: ended, retried, deferred, abandoned, failed (unexpectedly), leaseLost.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const running = new Gauge({
    name: 'triglyph_jobs_running',
    help: 'Background jobs that run, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const waits = new Histogram({
    name: 'triglyph_job_wait_seconds',
    help: 'Time from saving a background job to its first attempt, by kind.',
    labelNames: ['kind'],
    buckets: bucketsSeconds,
    registers,
  });
  return {
    /** `waitSeconds`: since the job was saved, for its first attempt. */
    started(kind: string, waitSeconds: number | undefined): void {
      running.inc({ kind });
      if (waitSeconds !== undefined) waits.observe({ kind }, waitSeconds);
    },
    ended(kind: string, outcome: JobOutcome): void {
      running.dec({ kind });
      attempts.inc({ kind, outcome });
    },
  };
}

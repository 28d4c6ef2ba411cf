/** The metrics of a server process. */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { addGauges, type CollectionFailed, type ObservedState } from './gauges.ts';
import { createJobMetrics, type JobMetrics } from './jobs.ts';
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

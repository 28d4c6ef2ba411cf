/** The metrics of a serving process. */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { addGauges, type ObservedState } from './gauges.ts';
import { type CountRequest, createRequestCount, type KnownNames } from './requests.ts';

export interface Metrics extends ObservedState {
  readonly registry: Registry;
  readonly count: CountRequest;
  /** Something happened at the gate: `up`, `down`, `failed`, `unreadable`. */
  gateEvent(kind: string): void;
  /** Something happened between this process and an updater outside, to so many checks. */
  updaterEvent(kind: string, checks: number): void;
  /** What came of an attempt to deliver a webhook: `accepted`, `refused`, `unreachable`, `late`; or `givenUp` after all of them. */
  webhookEvent(outcome: string): void;
}

/** What happened at those outside who are asked or told for the sake of requests. */
const createEvents = (registers: Registry[]) => ({
  updaterEvents: new Counter({
    name: 'triglyph_updater_events_total',
    help: 'What happened at an updater outside, in checks where it is about checks: told, pending, malformed, refused, failed, skipped, down, up; of files written, stray, malformedRows, read, unreadable, overdue.',
    labelNames: ['kind'],
    registers,
  }),
  gateEvents: new Counter({
    name: 'triglyph_gate_events_total',
    help: 'What happened at the shared gate (Redis): up, down, failed commands, unreadable records.',
    labelNames: ['kind'],
    registers,
  }),
  webhooks: new Counter({
    name: 'triglyph_webhooks_total',
    help: 'Attempts to deliver a webhook, by outcome (accepted, refused, unreachable, late), and webhooks given up (givenUp).',
    labelNames: ['outcome'],
    registers,
  }),
});

export const createMetrics = (names: KnownNames): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { gateEvents, updaterEvents, webhooks } = createEvents([registry]);
  const metrics: Metrics = {
    registry,
    inFlight: 0,
    connections: () => 0,
    count: createRequestCount([registry], names),
    gateEvent: (kind) => gateEvents.inc({ kind }),
    updaterEvent: (kind, checks) => updaterEvents.inc({ kind }, checks),
    webhookEvent: (outcome) => webhooks.inc({ outcome }),
  };
  addGauges([registry], metrics);
  return metrics;
};

/** What is not counted but looked at, each time the metrics are asked for. */
import { Gauge, type Registry } from 'prom-client';

/** Where the gauges look. */
export interface Looked {
  /** Requests that have begun and are not answered. */
  inFlight: number;
  /** Told by the server once it listens. */
  connections: () => number;
  /** Whether the gate answers; absent where there is none. */
  gateUp?: () => boolean;
  /** What is still to be told; asked for each time that the metrics are. */
  webhooks?: () => Promise<{ readonly oldestDueMs?: number | undefined; readonly deadLetters: number }>;
}

/** Looked at in the store, which is the same for all workers. */
const addWebhookGauges = (registers: Registry[], looked: Looked): void => {
  // A store that cannot answer leaves the gauges out and the other metrics in place.
  const backlog = () => looked.webhooks?.().catch(() => undefined);
  new Gauge({
    name: 'triglyph_webhooks_oldest_due_seconds',
    help: 'How long the webhook that waits the longest has been due; 0 where none is.',
    aggregator: 'max',
    registers,
    async collect() {
      const found = await backlog();
      if (found === undefined) this.reset();
      else this.set((found.oldestDueMs ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'triglyph_webhooks_dead_letters',
    help: 'Webhooks that were given up, until triglyph webhooks retry has them delivered.',
    aggregator: 'max',
    registers,
    async collect() {
      const found = await backlog();
      if (found === undefined) this.reset();
      else this.set(found.deadLetters);
    },
  });
};

const addServerGauges = (registers: Registry[], looked: Looked): void => {
  new Gauge({
    name: 'triglyph_connections',
    help: 'Open connections of callers.',
    registers,
    collect() {
      this.set(looked.connections());
    },
  });
  new Gauge({
    name: 'triglyph_requests_in_flight',
    help: 'Requests that have begun and are not answered.',
    registers,
    collect() {
      this.set(looked.inFlight);
    },
  });
  new Gauge({
    name: 'triglyph_gate_up',
    help: 'Whether the shared gate (Redis) answers: 1 or 0; absent where there is none.',
    // Of several workers: whether it answers all of them.
    aggregator: 'min',
    registers,
    collect() {
      if (looked.gateUp !== undefined) this.set(looked.gateUp() ? 1 : 0);
      else this.reset();
    },
  });
};

export const addGauges = (registers: Registry[], looked: Looked): void => {
  addServerGauges(registers, looked);
  addWebhookGauges(registers, looked);
};

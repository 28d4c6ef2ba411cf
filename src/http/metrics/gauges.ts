/** What is not counted but looked at, each time the metrics are asked for. */
import { Gauge, type Registry } from 'prom-client';

/** Where the gauges look. */
export interface ObservedState {
  /** Requests that have begun and are not answered. */
  inFlight: number;
  /** Told by the server once it listens. */
  connections: () => number;
  /** Whether the gate answers; absent where there is none. */
  gateUp?: () => boolean;
  /** What is still to be told. */
  webhooks?: {
    /** Undefined where none is due. */
    oldestDueMs(): Promise<number | undefined>;
    countDeadLetters(): Promise<number>;
  };
}

interface Look {
  readonly name: string;
  readonly help: string;
  /** Of several workers. */
  readonly aggregator?: 'sum' | 'min' | 'max';
  /** Undefined where there is nothing to look at. */
  value(): number | undefined | Promise<number | undefined>;
}

export const addGauges = (registers: Registry[], looked: ObservedState): void => {
  const looks: readonly Look[] = [
    { name: 'triglyph_connections', help: 'Open connections of callers.', value: () => looked.connections() },
    {
      name: 'triglyph_requests_in_flight',
      help: 'Requests that have begun and are not answered.',
      value: () => looked.inFlight,
    },
    {
      name: 'triglyph_gate_up',
      help: 'Whether the shared gate (Redis) answers: 1 or 0; absent where there is none.',
      // Whether it answers all of them.
      aggregator: 'min',
      value: () => looked.gateUp && Number(looked.gateUp()),
    },
    // In the store, which is the same for all workers.
    {
      name: 'triglyph_webhooks_oldest_due_seconds',
      help: 'How long the webhook that waits the longest has been due; 0 where none is.',
      aggregator: 'max',
      value: async () => looked.webhooks && ((await looked.webhooks.oldestDueMs()) ?? 0) / 1000,
    },
    {
      name: 'triglyph_webhooks_dead_letters',
      help: 'Webhooks that were given up, until triglyph webhooks retry has them delivered.',
      aggregator: 'max',
      value: () => looked.webhooks?.countDeadLetters(),
    },
  ];
  for (const { value, ...about } of looks)
    new Gauge({
      ...about,
      registers,
      async collect() {
        // A store that cannot answer costs its own gauges, and not the other metrics.
        const found = await Promise.resolve(value()).catch(() => undefined);
        if (found === undefined) this.reset();
        else this.set(found);
      },
    });
};

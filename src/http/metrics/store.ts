/** The metrics of the connections to the database. A store without a pool has none. */
import { Gauge, Histogram, type Registry } from 'prom-client';

/** What the connections of a process do at this moment. */
interface ConnectionState {
  readonly busy: number;
  readonly idle: number;
  /** Transactions and statements that wait for a connection. */
  readonly waiting: number;
  readonly max: number;
}

interface StoreConnections {
  state(): ConnectionState;
  /** Called for each wait for a connection while all are in use, whether or not one became free. */
  onWait: (seconds: number) => void;
}

export type ObserveConnections = (connections: StoreConnections) => void;

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Adds the metrics, and returns a function that begins to read them. */
export function addStoreMetrics(registers: Registry[]): ObserveConnections {
  let read: (() => ConnectionState) | undefined;
  new Gauge({
    name: 'triglyph_store_connections',
    help: 'Connections to PostgreSQL, by state: busy, idle.',
    labelNames: ['state'],
    registers,
    collect() {
      if (read === undefined) return;
      const { busy, idle } = read();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, idle);
    },
  });
  const addGauge = (name: string, help: string, value: (state: ConnectionState) => number): void => {
    new Gauge({
      ...{ name, help, registers },
      collect() {
        if (read === undefined) this.remove({});
        else this.set(value(read()));
      },
    });
  };
  addGauge(
    'triglyph_store_connections_max',
    'The most connections to PostgreSQL: DATABASE_POOL_MAX of each process.',
    ({ max }) => max,
  );
  addGauge(
    'triglyph_store_waiting',
    'Transactions and statements that wait for a connection to PostgreSQL.',
    ({ waiting }) => waiting,
  );
  const waits = new Histogram({
    name: 'triglyph_store_wait_seconds',
    help: 'Waits for a connection to PostgreSQL while all were in use.',
    buckets: bucketsSeconds,
    registers,
  });
  return (observed) => {
    read = () => observed.state();
    observed.onWait = (seconds) => waits.observe(seconds);
  };
}

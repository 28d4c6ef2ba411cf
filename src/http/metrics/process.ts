/** The metrics of the process, beyond those of the library: its build, and how busy its event loop is. */
import { Gauge, type Registry } from 'prom-client';
import { measureEventLoop } from '../../core/lib/index.ts';

export interface Build {
  readonly version: string;
  /** `sqlite`, `postgres`, `redis` or `none`. */
  readonly store: string;
}

export function addProcessMetrics(registers: Registry[], { version, store }: Build): void {
  new Gauge({
    name: 'triglyph_build_info',
    help: 'Always 1: the versions of the program and of Node, and the engine of the store.',
    labelNames: ['version', 'node', 'store'],
    // It stays 1 with several workers.
    aggregator: 'max',
    registers,
  }).set({ version, node: process.versions.node, store }, 1);
  const utilization = measureEventLoop();
  new Gauge({
    name: 'triglyph_event_loop_utilization',
    help: 'The part of the time since the last scrape in which the event loop was busy, from 0 to 1; with workers, of the busiest.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(utilization());
    },
  });
}

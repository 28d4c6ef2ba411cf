/** The metrics of shadows. Labels are names of the configuration and of the contracts, and few reasons. */
import { Counter, type Registry } from 'prom-client';
import { addGaugesOfUpstreams } from './upstreams.ts';

/** What a shadow does at this moment. */
interface ShadowReport {
  readonly upstream: string;
  /** Copies that wait, and those on the way. */
  readonly waiting: number;
  readonly active: number;
  /** Of all copies. */
  readonly bytes: number;
  /** Percent, of all callers and operations. */
  readonly copied: number;
  readonly answered: number;
}

export type ShadowMetrics = ReturnType<typeof createShadowMetrics>;

export function createShadowMetrics(registers: Registry[]) {
  const counter = <const L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames: ['upstream', ...labelNames], registers });
  const copies = counter(
    'triglyph_shadow_copies_total',
    'Copies of requests that wait for a shadow or were sent to it.',
    'operation',
  );
  const dropped = counter(
    'triglyph_shadow_dropped_total',
    'Copies that were dropped, since the queue was full or the time of the processor was used.',
    'operation',
  );
  const failed = counter(
    'triglyph_shadow_failed_total',
    'Copies without an answer, by what failed.',
    'operation',
    'reason',
  );
  const same = counter('triglyph_shadow_answers_same_total', 'Answers of a shadow without a difference.', 'operation');
  const accepted = counter(
    'triglyph_shadow_answers_accepted_total',
    'Answers with accepted differences alone.',
    'operation',
  );
  const differing = counter(
    'triglyph_shadow_answers_differing_total',
    'Answers with differences that are not accepted.',
    'operation',
  );
  const unlisted = counter('triglyph_shadow_unlisted_differences_total', 'Differences that the list had no place for.');
  const rollbacks = counter('triglyph_shadow_rollbacks_total', 'Switches that the gateway has rolled back.');
  const compared = { same, accepted, differing };
  return {
    copied: (upstream: string, operation: string): void => copies.inc({ upstream, operation }),
    dropped: (upstream: string, operation: string): void => dropped.inc({ upstream, operation }),
    failed: (upstream: string, operation: string, reason: string): void => failed.inc({ upstream, operation, reason }),
    compared: (upstream: string, operation: string, as: keyof typeof compared): void =>
      compared[as].inc({ upstream, operation }),
    unlisted: (upstream: string, kinds: number): void => unlisted.inc({ upstream }, kinds),
    rolledBack: (upstream: string): void => rollbacks.inc({ upstream }),
    /** Reads the states each time that the metrics are collected. */
    observe: (states: () => readonly ShadowReport[]): void => addGauges(registers, states),
  };
}

function addGauges(registers: Registry[], states: () => readonly ShadowReport[]): void {
  const gauges = [
    {
      name: 'triglyph_shadow_waiting',
      help: 'Copies that wait for a shadow.',
      value: ({ waiting }: ShadowReport) => waiting,
    },
    {
      name: 'triglyph_shadow_bytes',
      help: 'Bytes of the copies that wait for a shadow or are on the way, with the answers that they are compared with.',
      value: ({ bytes }: ShadowReport) => bytes,
    },
    {
      name: 'triglyph_shadow_copied_percent',
      help: 'Percent of the requests of all callers that are copied.',
      value: ({ copied }: ShadowReport) => copied,
      // Workers have the same share.
      aggregator: 'max' as const,
    },
    {
      name: 'triglyph_shadow_switched_percent',
      help: 'Percent of all callers or requests that the shadow answers.',
      value: ({ answered }: ShadowReport) => answered,
      aggregator: 'max' as const,
    },
  ];
  addGaugesOfUpstreams(registers, gauges, () => states().map((state) => [state.upstream, state]));
}

/** The deprecations of a serving process: those of the configuration, and those of the store, which it polls. */

import type { CurrentDeprecations, Deprecations } from '../../core/gateway/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import { type EventCounter, type Log, logFailure, type Metrics } from '../../http/index.ts';
import {
  compileDeprecations,
  type DeprecationRule,
  type DeprecationStore,
  type InvalidDeprecation,
  mergeDeprecations,
} from '../../insight/index.ts';
import { deprecationRuleFaults } from '../deprecation-faults.ts';

/** On average. Every serving process knows of a change within one and a half times as long. */
export const pollDeprecationsEveryMs = 1_000;

export type DeprecationEvent =
  /** The process serves by other rules from now on. */
  | { readonly kind: 'changed'; readonly revision: number }
  /** A rule of the store that cannot be applied. */
  | { readonly kind: 'invalid'; readonly deprecation: InvalidDeprecation }
  /** The store did not answer. */
  | { readonly kind: 'failed'; readonly cause: unknown; readonly isRepeated: boolean };

interface LiveDeprecationParts {
  readonly configured: readonly DeprecationRule[];
  readonly store: Pick<DeprecationStore, 'revision' | 'load'>;
  readonly clock: Clock;
  readonly report: (event: DeprecationEvent) => void;
}

export class LiveDeprecations implements CurrentDeprecations {
  current: Deprecations | undefined;
  /** The deprecations of the store that cannot be applied, at the last load. */
  invalidCount = 0;
  readonly #parts: LiveDeprecationParts;
  #revision: number | undefined;
  #isFailing = false;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: LiveDeprecationParts) {
    this.#parts = parts;
    this.current = compileDeprecations(parts.configured, parts.clock);
  }

  /** Takes over what the store holds. Rejects where the store does not answer: what was known before still holds. */
  readonly refresh = (): Promise<void> => {
    const next = this.#running.then(() => this.#load());
    this.#running = next.catch(() => {});
    return next;
  };

  /** Reports the failure of a poll. */
  readonly failed = (cause: unknown): void => {
    this.#parts.report({ kind: 'failed', cause, isRepeated: this.#isFailing });
    this.#isFailing = true;
  };

  async #load(): Promise<void> {
    const { configured, store, clock, report } = this.#parts;
    const isChanged = (await store.revision()) !== this.#revision;
    const stored = isChanged ? await store.load() : undefined;
    this.#isFailing = false;
    if (stored === undefined) return;
    const isFirst = this.#revision === undefined;
    const { valid, invalid } = mergeDeprecations(configured, stored, (rule) =>
      // Names that are no longer served match no call.
      deprecationRuleFaults(rule, 'deprecation', undefined),
    );
    this.current = compileDeprecations(
      valid.map(({ rule }) => rule),
      clock,
    );
    this.invalidCount = invalid.length;
    this.#revision = stored.revision;
    for (const deprecation of invalid) report({ kind: 'invalid', deprecation });
    if (!isFirst) report({ kind: 'changed', revision: stored.revision });
  }
}

const loads: EventCounter = {
  name: 'triglyph_deprecation_loads_total',
  help: 'Loads of the deprecations that the store holds, by kind: changed, failed (the earlier ones still hold), invalid (a deprecation that does not hold).',
};

export function createDeprecationReport(log: Log, metrics: Metrics): (event: DeprecationEvent) => void {
  const count = metrics.addEventCounter(loads);
  return (event) => {
    count(event.kind);
    switch (event.kind) {
      case 'changed':
        log.write('info', 'the deprecations have changed', { revision: event.revision });
        break;
      case 'invalid': {
        const { id, changedBy, faults } = event.deprecation;
        log.write('error', 'a deprecation of the store does not hold', { deprecation: id, changedBy, faults });
        break;
      }
      case 'failed':
        if (!event.isRepeated)
          logFailure(log, event.cause, 'loading the deprecations failed: the earlier ones still hold');
        break;
      default:
        event satisfies never;
    }
  };
}

/** Reports the events of an updater outside to one listener, for logs and metrics. */
import type { Reason } from '../../../backend/index.ts';

export type UpdaterEvent =
  /** Outcomes were received; or 'pending': the updater does not know the outcome yet. */
  | { readonly kind: 'answered' | 'pending'; readonly checks: number }
  /** A response was malformed or contradictory and had no effect. The reasons never quote it. */
  | { readonly kind: 'malformed'; readonly check: string; readonly reasons: readonly Reason[] }
  /** The updater refused a request; or it did not respond. */
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }
  /** The circuit is open: a request was skipped. It closed again. */
  | { readonly kind: 'skipped' | 'up' }
  | { readonly kind: 'down'; readonly reason: string }
  /** A request file was written. */
  | { readonly kind: 'written'; readonly file: string; readonly checks: number }
  /** Response rows without a waiting check: duplicates, late ones, and those of other installations. */
  | { readonly kind: 'unmatched'; readonly checks: number }
  /** Malformed rows of response files. */
  | { readonly kind: 'malformedRows'; readonly checks: number }
  /** A response file was read to its end. */
  | { readonly kind: 'read'; readonly file: string; readonly rows: number; readonly refused: number }
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string }
  /** No response came in time. */
  | { readonly kind: 'overdue'; readonly checks: number };

export interface UpdaterEvents {
  emit(event: UpdaterEvent): void;
  /** There is one listener at most. */
  listen(listener: (event: UpdaterEvent) => void): void;
}

export function createUpdaterEvents(): UpdaterEvents {
  let listener: (event: UpdaterEvent) => void = () => {};
  return Object.freeze<UpdaterEvents>({
    emit: (event) => listener(event),
    listen: (next) => {
      listener = next;
    },
  });
}

/** The metric that counts the events by kind; those about checks count the checks. */
export const updaterEventCounter = {
  name: 'triglyph_updater_events_total',
  help: 'Events at an external account updater, by kind. Events about checks count the checks.',
};

/** Events that an operator may have to act on are warnings. Those of single checks are for debugging. */
export const updaterEventLevel: Readonly<Record<UpdaterEvent['kind'], 'warn' | 'info' | 'debug'>> = Object.freeze({
  malformed: 'warn',
  down: 'warn',
  unreadable: 'warn',
  overdue: 'warn',
  up: 'info',
  written: 'info',
  read: 'info',
  answered: 'debug',
  pending: 'debug',
  refused: 'debug',
  failed: 'debug',
  skipped: 'debug',
  unmatched: 'debug',
  malformedRows: 'debug',
});

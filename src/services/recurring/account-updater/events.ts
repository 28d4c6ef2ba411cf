/** Tells the one who watches what happens between this process and an updater outside. */
import type { Reason } from '../../../import/row.ts';

export type UpdaterEvent =
  /** It has told what became of cards; or, with 'pending', that it does not know yet. */
  | { readonly kind: 'told' | 'pending'; readonly checks: number }
  /** Its answer is none, or contradicts itself; nothing of it was applied. Never holds what it held. */
  | { readonly kind: 'malformed'; readonly check: string; readonly reasons: readonly Reason[] }
  /** It answers, and takes no such question; or it does not answer. */
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }
  /** It is left alone for a while, after failures. */
  | { readonly kind: 'skipped' | 'up' }
  | { readonly kind: 'down'; readonly reason: string }
  /** A file of questions was written. */
  | { readonly kind: 'written'; readonly file: string; readonly checks: number }
  /** Rows of answers to checks that do not wait for one: a duplicate, too late, or to none of ours. */
  | { readonly kind: 'stray'; readonly checks: number }
  /** Rows of answers that are none; of those that may be to checks. */
  | { readonly kind: 'malformedRows'; readonly checks: number }
  /** A file of answers was read, as far as it can be. */
  | { readonly kind: 'read'; readonly file: string; readonly rows: number; readonly refused: number }
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string }
  /** Nobody has told in time what became of cards. */
  | { readonly kind: 'overdue'; readonly checks: number };

export interface UpdaterEvents {
  emit(event: UpdaterEvent): void;
  /** One at most hears. */
  listen(heard: (event: UpdaterEvent) => void): void;
}

export const createUpdaterEvents = (): UpdaterEvents => {
  let hearing: (event: UpdaterEvent) => void = () => {};
  return Object.freeze<UpdaterEvents>({
    emit: (event) => hearing(event),
    listen: (heard) => {
      hearing = heard;
    },
  });
};

/** The metric that counts the events by kind; those about checks count the checks. */
export const updaterEventCounter = {
  name: 'triglyph_updater_events_total',
  help: 'Events at an external account updater, by kind. Events about checks count the checks.',
};

/** The quotas of a process: what they share, and who hears when one is reached. */
import type { Clock } from '../lib/clock-and-ids.ts';
import { Quota, type QuotaReached, type QuotaRule } from './quota.ts';
import type { OpenSharedCounter } from './shared-counter.ts';

/** A keyed hash: names and credentials are in no other form outside this process. */
export type HashKey = (text: string) => string;

export interface Limits {
  readonly hash: HashKey;
  quota(rule: QuotaRule): Quota;
  /** From now on quotas count the events of all processes, too. */
  share(open: OpenSharedCounter): void;
  /** There is one listener at most. */
  listen(listener: (event: QuotaReached) => void): void;
}

export function createLimits(clock: Clock, hash: HashKey): Limits {
  let shared: OpenSharedCounter | undefined;
  let listener: (event: QuotaReached) => void = () => {};
  return Object.freeze<Limits>({
    hash,
    quota: (rule) => new Quota(rule, { clock, shared: () => shared, onReached: (event) => listener(event) }),
    share(open) {
      shared = (name, windowMs) => {
        const count = open(name, windowMs);
        return (key) => count(hash(key));
      };
    },
    listen(next) {
      listener = next;
    },
  });
}

/** The metric that counts reached limits by their name. */
export const limitCounter = {
  name: 'triglyph_limits_reached_total',
  help: 'Callers, names and addresses that have reached a limit, by limit. Their further requests are refused for a while.',
};

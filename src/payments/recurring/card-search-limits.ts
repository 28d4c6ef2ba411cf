/** Quotas against the search for card numbers: tokenLookup and storeToken tell whether a number is one that is stored. */

import type { Limits, Quota } from '../../access/index.ts';
import { Problem } from '../../core/contract/index.ts';

/** 0 is unlimited. */
export interface CardSearchSettings {
  readonly lookupMissesPerMinuteMax: number;
  readonly cardsStoredPerMinuteMax: number;
  readonly similarCardsPerDayMax: number;
}

/** A card or an account that a company asks for or stores. */
export interface Searched {
  readonly tenant: string;
  /** For the reports. All credentials of a company have one quota: it may have any number of them. */
  readonly credential: string;
  /** The number of a card. */
  readonly number?: string | undefined;
}

/** Each throws `tooManyRequests` where a quota is used up. */
export interface CardSearchLimits {
  /** Before a lookup, and again before its result is shown: other lookups may have ended in between. */
  checkLookup(searched: Searched): void;
  /** A lookup has found nothing. Resolves when no restart forgets it; see `Quota.count`. */
  countMiss(searched: Searched, fingerprint: string): Promise<void>;
  /** Before a card is saved, and again before it is counted. */
  checkStore(searched: Searched): void;
  /** A card was saved, in a transaction that is not committed yet. Nothing waits for the shared count. */
  countStored(searched: Searched, fingerprint: string): void;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Stored cards whose counts wait in memory: a checkout stores cards that have nothing in common. A kill forgets no more of them. */
const similarHeldMax = 1;
const storedHeldMax = 100;
const storedHeldShare = 0.1;

/** What is repeated counts once: a number that was tried before tells nothing new. */
export function createCardSearchLimits(settings: CardSearchSettings, limits: Limits): CardSearchLimits {
  const misses = limits.quota({ name: 'lookupMisses', max: settings.lookupMissesPerMinuteMax, windowMs: minuteMs });
  const stored = limits.quota({ name: 'cardsStored', max: settings.cardsStoredPerMinuteMax, windowMs: minuteMs });
  const storedHeld = Math.min(storedHeldMax, Math.floor(storedHeldShare * settings.cardsStoredPerMinuteMax));
  // A caller that has seen the listed part of a number tries numbers that differ only in the rest.
  const similar = limits.quota({ name: 'similarCards', max: settings.similarCardsPerDayMax, windowMs: dayMs });
  const check = (quota: Quota, { tenant, number }: Searched): void => {
    refuseBlocked(quota, tenant);
    if (number !== undefined) refuseBlocked(similar, similarKey(tenant, number));
  };
  return Object.freeze<CardSearchLimits>({
    checkLookup: (searched) => check(misses, searched),
    async countMiss({ tenant, credential, number }, member) {
      const counted = { member, actor: credential };
      await Promise.all([
        misses.count(tenant, counted),
        number !== undefined && similar.count(similarKey(tenant, number), counted),
      ]);
    },
    checkStore: (searched) => check(stored, searched),
    countStored({ tenant, credential, number }, member) {
      const counted = { member, actor: credential };
      void stored.count(tenant, { ...counted, heldMax: storedHeld });
      if (number !== undefined) void similar.count(similarKey(tenant, number), { ...counted, heldMax: similarHeldMax });
    },
  });
}

/** For gateways without limits. */
export const noCardSearchLimits: CardSearchLimits = Object.freeze<CardSearchLimits>({
  checkLookup: () => {},
  countMiss: async () => {},
  checkStore: () => {},
  countStored: () => {},
});

/** The first six and the last four digits, which PCI DSS allows to be shown. */
function similarKey(tenant: string, number: string): string {
  return `${tenant} ${number.slice(0, 6)} ${number.slice(-4)}`;
}

function refuseBlocked(quota: Quota, key: string): void {
  const ms = quota.blockedMs(key);
  if (ms > 0) throw new Problem('tooManyRequests', undefined, { retryAfterSeconds: Math.ceil(ms / 1000) });
}

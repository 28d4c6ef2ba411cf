/** Verifies the chain of the audit log: finds entries that were changed, removed, added, reordered or cut off. */
import type { KeyObject } from 'node:crypto';
import type { AuditKind } from './audit-event.ts';
import { type AuditEntry, type ChainHead, isSameMac, macOfEntry, macOfHead } from './chain.ts';

export interface ChainFault {
  /** Of the entry at which the fault shows. */
  readonly sequence: number;
  readonly message: string;
}

export interface VerifiedChain {
  /** The entries that were read. */
  readonly entries: number;
  /** The first ones. */
  readonly faults: readonly ChainFault[];
}

/** The head as it is stored. */
export interface StoredHead extends ChainHead {
  readonly headMac: string;
}

const faultsMax = 20;

/**
 * `pages`: the entries that the head says are there, in their order. `beyond`: the number of entries after the end of the
 * chain.
 */
export async function verifyChain(
  key: KeyObject,
  head: StoredHead,
  pages: AsyncIterable<readonly AuditEntry[]>,
  beyond: number,
): Promise<VerifiedChain> {
  const faults: ChainFault[] = [];
  const report = (sequence: number, message: string): void => {
    if (faults.length < faultsMax) faults.push({ sequence, message });
  };
  const { lastSequence, lastMac, removedThrough, removedMac } = head;
  if (!isSameMac(macOfHead(key, head), head.headMac)) report(lastSequence, 'the end of the chain is forged');
  let entries = 0;
  let last = { sequence: removedThrough, mac: removedMac };
  for await (const page of pages)
    for (const entry of page) {
      entries += 1;
      const { sequence } = entry;
      if (sequence !== last.sequence + 1) report(sequence, missing(last.sequence + 1, sequence - 1));
      else if (!isSameMac(macOfEntry(key, last.mac, entry), entry.mac))
        report(sequence, 'the entry was changed, moved or added');
      if (entry.kind === ('chainBroken' satisfies AuditKind))
        report(sequence, 'a process found the end of the chain forged, or set back');
      last = entry;
    }
  if (last.sequence < lastSequence) report(last.sequence, missing(last.sequence + 1, lastSequence));
  else if (!isSameMac(last.mac, lastMac)) report(last.sequence, 'the last entry is not that of the end of the chain');
  if (beyond > 0) report(lastSequence, 'entries follow the end of the chain');
  return { entries, faults };
}

function missing(from: number, to: number): string {
  return from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`;
}

/** Verifies the chain of the audit log: finds entries that were changed, removed, added, reordered or cut off. */
import type { KeyObject } from 'node:crypto';
import type { AuditKind } from './audit-event.ts';
import { type AuditEntry, type ChainHead, isSameMac, macOfEntry, macOfHead, pinOf, sequenceOfPin } from './chain.ts';

export interface ChainFault {
  /** The number of the entry at which the fault shows. */
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
  /** Stored outside of the log; see `macOfHead`. */
  readonly anchor: string;
}

/** The pins of rows outside of the log, with what they are the pins of. */
export type Pins = ReadonlyMap<string, string>;

const faultsMax = 20;

/** Lists the first faults. */
export function createFaults() {
  const faults: ChainFault[] = [];
  return {
    faults,
    report(sequence: number, message: string): void {
      if (faults.length < faultsMax) faults.push({ sequence, message });
    },
  };
}

/**
 * `pages`: the entries that the head says are there, in their order. `beyond`: the number of entries after the end of the
 * chain. `pins` were read before the head.
 */
export async function verifyChain(
  key: KeyObject,
  head: StoredHead,
  pages: AsyncIterable<readonly AuditEntry[]>,
  beyond: number,
  pins: Pins = new Map(),
): Promise<VerifiedChain> {
  const { faults, report } = createFaults();
  const { lastSequence, lastMac, removedThrough, removedMac } = head;
  if (!isSameMac(macOfHead(key, head, head.anchor), head.headMac))
    report(lastSequence, 'the end of the chain is forged');
  const unknown = new Map(pins);
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
      unknown.delete(pinOf(entry));
      last = entry;
    }
  if (last.sequence < lastSequence) report(last.sequence, missing(last.sequence + 1, lastSequence));
  else if (!isSameMac(last.mac, lastMac)) report(last.sequence, 'the last entry is not that of the end of the chain');
  if (beyond > 0) report(lastSequence, 'entries follow the end of the chain');
  for (const fault of unknownPins(unknown, removedThrough)) report(fault.sequence, fault.message);
  return { entries, faults };
}

/** Faults of a log without an end, which has no key to verify entries with. */
export function faultsWithoutHead(lastSequence: number, anchor: string, pins: Pins): readonly ChainFault[] {
  const isLost = lastSequence > 0 || anchor !== '';
  return [
    ...(isLost ? [{ sequence: lastSequence, message: 'the end of the chain is missing' }] : []),
    ...unknownPins(pins, 0),
  ];
}

/** One fault for each table. Entries that were removed in their time are not expected. */
function unknownPins(pins: Pins, removedThrough: number): readonly ChainFault[] {
  const first = new Map<string, number>();
  for (const [pin, table] of pins) {
    const sequence = sequenceOfPin(pin);
    if (sequence > removedThrough || sequence === 0) first.set(table, Math.min(first.get(table) ?? sequence, sequence));
  }
  return [...first].map(([table, sequence]) => ({
    sequence,
    message: `rows of ${table} were signed when the log had another entry`,
  }));
}

function missing(from: number, to: number): string {
  return from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`;
}

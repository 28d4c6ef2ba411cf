/** The chain of the audit log: each entry has a MAC over itself and the MAC before it, and the head has one over its end. */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { AuditEvent } from './audit-event.ts';

/** An event with the time at which it happened and the process that recorded it. */
export interface RecordedEvent {
  readonly event: AuditEvent;
  /** Milliseconds since the epoch. */
  readonly recordedAt: number;
  /** Whether the log holds it once for its kind and subject. */
  readonly once: boolean;
}

/** An entry of the log as it is stored. Only `mac` proves what the others say. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly recordedAt: number;
  readonly kind: string;
  readonly actorType: string;
  readonly actor: string;
  readonly subject: string;
  /** JSON text of an object. */
  readonly detail: string;
  /** `host pid` of the process that recorded it. */
  readonly process: string;
  /** 43 characters, base64url. */
  readonly mac: string;
}

/** The end of the chain, and how far it was removed. */
export interface ChainHead {
  readonly lastSequence: number;
  readonly lastMac: string;
  /** Entries up to this one may be gone: their time was over. 0 where all are there. */
  readonly removedThrough: number;
  /** The MAC of that entry, which the first one left follows. */
  readonly removedMac: string;
}

/** The MAC before the first entry. */
const noMac = '';

export const emptyHead: ChainHead = Object.freeze({
  lastSequence: 0,
  lastMac: noMac,
  removedThrough: 0,
  removedMac: noMac,
});

export function macOfEntry(key: KeyObject, previousMac: string, entry: Omit<AuditEntry, 'mac'>): string {
  const { sequence, recordedAt, kind, actorType, actor, subject, detail, process } = entry;
  return macOf(key, ['entry', previousMac, sequence, recordedAt, kind, actorType, actor, subject, detail, process]);
}

/** `anchor`: a random text outside of the log, which changes with the head. Empty for a head that has none. */
export function macOfHead(key: KeyObject, head: ChainHead, anchor: string): string {
  const { lastSequence, lastMac, removedThrough, removedMac } = head;
  const parts = ['head', lastSequence, lastMac, removedThrough, removedMac];
  return macOf(key, anchor === '' ? parts : [...parts, anchor]);
}

/** The characters of a sequence in a pin. */
const pinnedDigits = 12;
const pinnedMacLength = 10;

/** Names an entry in other tables, 22 characters: a log without this entry is not the one that it was taken from. */
export function pinOf({ sequence, mac }: Pick<AuditEntry, 'sequence' | 'mac'>): string {
  return `${String(sequence).padStart(pinnedDigits, '0')}${mac.slice(0, pinnedMacLength)}`;
}

/** 0 for a text that is no pin. */
export function sequenceOfPin(pin: string): number {
  return Number(pin.slice(0, pinnedDigits)) || 0;
}

/** Returns the entries of the events that follow the head. */
export function extendChain(
  key: KeyObject,
  head: ChainHead,
  events: readonly RecordedEvent[],
  process: string,
): readonly AuditEntry[] {
  let { lastSequence: sequence, lastMac: previous } = head;
  return events.map(({ event, recordedAt }) => {
    const { kind, actor, subject, detail = {} } = event;
    sequence += 1;
    const content = { sequence, recordedAt, kind, actorType: actor.type, actor: actor.name, subject, process };
    const entry = { ...content, detail: JSON.stringify(detail) };
    previous = macOfEntry(key, previous, entry);
    return { ...entry, mac: previous };
  });
}

/** Compares in a time that does not depend on the MACs. */
export function isSameMac(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

// JSON: joined texts could run into each other.
function macOf(key: KeyObject, parts: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

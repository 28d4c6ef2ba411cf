/** The parts that the fault tracks of all platform resources share: what is there before, addressing, and descriptions. */
import type { FaultTrack, KeyUse } from './resource.ts';

export const trackPlatform = 'AcmePlatform';
/** Accounts are opened for this holder. It has a primary account already, so that they leave its row as it is. */
export const trackHolder = 'AH00000000000000000000001';
/** Cards are created for the right one, which is the primary account of the holder. */
export const trackAccounts = { right: 'BA00000000000000000000001', other: 'BA00000000000000000000002' } as const;

/** A new resource has the shopper as its reference; a change names the id. */
export const addressing: FaultTrack['addressing'] = (reference, id) => (id === undefined ? { reference } : { id });

/** Neither is the platform's own. */
const timeZones = { right: 'Europe/Amsterdam', other: 'Asia/Tokyo' } as const;

/** The description names the key that a state is the effect of; the time zone shows whether it has the right body. */
export const described = (key: string, timeZone: string = timeZones.right) => ({ description: key, timeZone });

/** The body that differs in the time zone alone. */
export const otherTimeZone = (key: string) => described(key, timeZones.other);

/** A change that undoes a later one where it is executed twice. */
export const describing = (operation: string, key: string): KeyUse => ({
  operation,
  bodies: { right: described(key), 'other time zone': otherTimeZone(key) },
});

interface Described {
  readonly reference: string;
  readonly description?: string;
  readonly timeZone?: string;
}

/** The shopper and the key that a record belongs to; undefined for a record that no right body makes. */
export function describedOwner(keys: FaultTrack['keys'], { reference, description, timeZone }: Described) {
  return timeZone === timeZones.right && description !== undefined && Object.hasOwn(keys, description)
    ? { shopper: reference, key: description }
    : undefined;
}

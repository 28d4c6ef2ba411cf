/** What the tracks on a balance platform share: the platform, what stands there before, and how its resources are asked for. */

import type { Operation } from '../../../../src/contract/operation.ts';
import type { Service } from '../../../../src/contract/service.ts';
import { createProtocols } from '../../../../src/formats/index.ts';
import { balancePlatformV2 } from '../../../../src/services/balance-platform/v2.ts';
import { services } from '../../../../src/services/index.ts';
import type { KeyUse, Track } from './track.ts';

export const balancePlatform = 'AcmePlatform';
/** Accounts are opened for it; one of its own is its primary account already, so that they leave its row as it is. */
export const holder = 'AH00000000000000000000001';
/** Cards are made for the right one, which is the primary account of the holder. */
export const accounts = { right: 'BA00000000000000000000001', other: 'BA00000000000000000000002' } as const;

const service: Service = balancePlatformV2;
export const operation = (name: string): Operation => service.operations.get(name)!;

/** What is made is given the reference of its shopper; what is changed is known by the id it was given. */
export const onPlatform = Object.freeze({
  role: 'balancePlatform',
  service,
  protocols: [createProtocols(services).rest],
  about: (reference, id) => (id === undefined ? { reference } : { id }),
} as const satisfies Partial<Track>);

/** Neither is the platform's own. */
const timeZones = { right: 'Europe/Amsterdam', other: 'Asia/Tokyo' } as const;

/** The description says which key a state is the effect of; the time zone, whether it is that of its body. */
export const described = (key: string, timeZone: string = timeZones.right) => ({ description: key, timeZone });

/** The body that says all the same but for the time zone. */
export const elsewhere = (key: string) => described(key, timeZones.other);

/** Sent again after another one, it would undo that; with nothing in between it changes nothing. */
export const describing = (name: string, key: string): KeyUse => ({
  operation: operation(name),
  bodies: { right: described(key), 'other time zone': elsewhere(key) },
});

interface Described {
  readonly reference: string;
  readonly description?: string;
  readonly timeZone?: string;
}

/** Whose a record is, and by which key it is as it is; undefined where no right body of one says so. */
export const describedOwner = (keys: Track['keys'], { reference, description, timeZone }: Described) =>
  timeZone === timeZones.right && description !== undefined && Object.hasOwn(keys, description)
    ? { shopper: reference, key: description }
    : undefined;

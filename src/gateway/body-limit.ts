/** The largest body that a service reads: a setting, or what the values of its contract need. */

import { valueLengthMax } from '../contract/attachments.ts';
import type { Service } from '../contract/service.ts';
import { memoizeWeakly } from '../lib/memoize.ts';

/** The largest body of a service whose values are short, in bytes. */
export const bodyBytesDefault = 65_536;
/** As far as a contract raises the limit by itself: bytes of 10 MiB in base64 fit. */
export const bodyBytesCeiling = 16_777_216;
/** Shorter values fit a body of the default size. */
const shortLengthMax = 32_768;

/** Returns the bytes that a body of a service may have. */
export type BodyLimit = (service: Service) => number;

/** `configured`: the setting of the operator, which counts for every service. */
export function createBodyLimit(configured: number | undefined): BodyLimit {
  return configured === undefined ? memoizeWeakly(limitOf) : () => configured;
}

/** The default, and the longest value that a request may have. */
function limitOf({ operations }: Service): number {
  const longest = valueLengthMax([...operations.values()].map(({ input }) => input));
  return longest <= shortLengthMax ? bodyBytesDefault : Math.min(bodyBytesDefault + longest, bodyBytesCeiling);
}

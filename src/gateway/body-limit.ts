/** The largest body that a service reads: a setting, or what the values of its contract need. */

import { valueLengthMax } from '../contract/attachments.ts';
import type { Operation } from '../contract/operation.ts';
import type { Service } from '../contract/service.ts';
import { spoolingOf } from '../formats/spool-body.ts';
import type { LargeBody } from '../formats/wire.ts';
import { memoizeWeakly } from '../lib/memoize.ts';

/** The largest body of a service whose values are short, in bytes. */
export const bodyBytesDefault = 65_536;
/** As far as a contract raises the limit by itself: bytes of 10 MiB in base64 fit. */
export const bodyBytesCeiling = 16_777_216;
/** As far as the setting raises it: what is longer has its large values in a file. */
const bodyBytesInMemoryMax = 134_217_728;
/** Shorter values fit a body of the default size. */
const shortLengthMax = 32_768;

/** What a server reads of a body. */
export interface BodyLimits {
  /** In memory. */
  readonly bytesMax: number;
  /** Absent where all of it is in memory. */
  readonly spooling?: LargeBody | undefined;
}

/** Returns the limits of the bodies of a service. */
export type BodyLimit = (service: Service) => BodyLimits;

export interface BodyLimitOptions {
  /** The setting of the operator, which counts for every service. */
  readonly configured: number | undefined;
  /** Absent where all values are in memory. */
  readonly valueBytesMin: number | undefined;
  /** Whether another server answers an operation: others need the values in memory. */
  readonly isForwarded: (operation: Operation) => boolean;
}

/** Creates the limits of all services. */
export function createBodyLimit({ configured, valueBytesMin, isForwarded }: BodyLimitOptions): BodyLimit {
  return memoizeWeakly(({ operations }: Service): BodyLimits => {
    const all = [...operations.values()];
    const needed = bytesOf(all);
    const bytesMax = Math.min(configured ?? needed, configured === undefined ? bodyBytesCeiling : bodyBytesInMemoryMax);
    const inputs = all.map(({ input }) => input);
    const spooling = all.some(isForwarded) ? spoolingOf(inputs, valueBytesMin) : undefined;
    return { bytesMax, ...(spooling && { spooling: { ...spooling, bodyBytesMax: configured ?? needed } }) };
  });
}

/** The default, and the longest value that a request may have. */
function bytesOf(operations: readonly Operation[]): number {
  const longest = valueLengthMax(operations.map(({ input }) => input));
  return longest <= shortLengthMax ? bodyBytesDefault : bodyBytesDefault + longest;
}

/** The largest body that a service reads: a setting, or what the values of its contract need. */

import { bodyBytesOf, type Operation, type Service } from '../contract/index.ts';
import { type LargeBody, spoolingOf } from '../formats/index.ts';
import { memoizeWeakly } from '../lib/index.ts';

/** As far as a contract raises the limit by itself: bytes of 10 MiB in base64 fit. */
const bodyBytesCeiling = 16_777_216;
/** As far as the setting raises it: what is longer has its large values in a file. */
const bodyBytesInMemoryMax = 134_217_728;

/** What a server reads of a body. */
interface BodyLimits {
  /** In memory. */
  readonly bytesMax: number;
  /** Absent where all of it is in memory. */
  readonly spooling?: LargeBody | undefined;
}

/** Returns the limits of the bodies of a service. */
export type BodyLimit = (service: Service) => BodyLimits;

interface BodyLimitOptions {
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
    const inputs = all.map(({ input }) => input);
    const needed = bodyBytesOf(inputs);
    const bytesMax = Math.min(configured ?? needed, configured === undefined ? bodyBytesCeiling : bodyBytesInMemoryMax);
    const spooling = all.some(isForwarded) ? spoolingOf(inputs, valueBytesMin) : undefined;
    return { bytesMax, ...(spooling && { spooling: { ...spooling, bodyBytesMax: configured ?? needed } }) };
  });
}

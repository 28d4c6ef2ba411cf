/** What we promise: every service in every version that is served. */

import type { Service } from '../contract/operation.ts';
import type { ResourceService } from '../contract/resource.ts';
import { balancePlatformV2 } from './balance-platform/v2.ts';
import { recurringV25 } from './recurring/v25.ts';

/** Those whose operations are called by name, in every script. Newest last. */
export const services: readonly Service[] = Object.freeze([recurringV25]);

/** Those whose operations stand on resources. */
export const resourceServices: readonly ResourceService[] = Object.freeze([balancePlatformV2]);

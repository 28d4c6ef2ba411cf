/** The services that this program serves. */

import type { Service } from '../core/contract/service.ts';
import { servicesOf } from '../core/gateway/compose.ts';
import { balancePlatform } from './balance-platform/index.ts';
import { recurring } from './recurring/index.ts';

export const builtInServices = Object.freeze([recurring, balancePlatform] as const);

/** Their contracts in every version that is served; of each service, the newest last. */
export const services: readonly Service[] = Object.freeze(servicesOf(builtInServices));

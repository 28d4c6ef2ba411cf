/** Every service in every version that is served. */
import type { Service } from '../contract/service.ts';
import { balancePlatformV2 } from './balance-platform/v2.ts';
import { recurringV25 } from './recurring/v25.ts';

/** Of each service, the newest version last. */
export const services: readonly Service[] = Object.freeze([recurringV25, balancePlatformV2]);

/** The roles that the operations of these services ask for. */
export const roles = Object.freeze(['recurring', 'balancePlatform'] as const);
export type Role = (typeof roles)[number];

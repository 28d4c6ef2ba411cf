/** What we promise: every service in every version that is served. */
import type { Service } from '../contract/operation.ts';
import { recurringV25 } from './recurring/v25.ts';

/** Newest last. */
export const services: readonly Service[] = Object.freeze([recurringV25]);

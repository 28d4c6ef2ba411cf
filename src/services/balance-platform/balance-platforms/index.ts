/** The operations of balance platforms with their handlers. */
import { bindHandlers } from '../../../gateway/implement.ts';
import { operations } from './contract.ts';
import * as handlers from './handlers.ts';

export const balancePlatformHandlers = bindHandlers(operations, handlers);

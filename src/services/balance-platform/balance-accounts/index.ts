/** The resource of balance accounts: its kind, its operations and their handlers. */
import { bindHandlers } from '../../../gateway/implement.ts';
import type { Resource } from '../resource.ts';
import { operations } from './contract.ts';
import * as handlers from './handlers.ts';
import { balanceAccounts } from './kind.ts';

export const balanceAccountResource = Object.freeze({
  kind: balanceAccounts,
  handlers: bindHandlers(operations, handlers),
}) satisfies Resource;

/** The resource of account holders: its kind, its operations and their handlers. */
import { bindHandlers } from '../../../gateway/implement.ts';
import type { Resource } from '../resource.ts';
import { operations } from './contract.ts';
import * as handlers from './handlers.ts';
import { accountHolders } from './kind.ts';

export const accountHolderResource = Object.freeze({
  kind: accountHolders,
  handlers: bindHandlers(operations, handlers),
}) satisfies Resource;

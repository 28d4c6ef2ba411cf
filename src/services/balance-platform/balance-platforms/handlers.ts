/** Returns the caller's balance platform. */

import type { Handler } from '../../../gateway/handler.ts';
import { ResourceReader } from '../store/repository.ts';
import { requireTenantPlatform } from '../tenancy.ts';
import type * as contract from './contract.ts';

export const getBalancePlatform: Handler<typeof contract.getBalancePlatform> = async ({ input, caller }, tx) => {
  const { id, description, status } = await requireTenantPlatform(caller, tx.repository(ResourceReader), input.id);
  return { id, description, status };
};

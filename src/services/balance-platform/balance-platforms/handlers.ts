/** The balance platform, as its own callers see it. */

import type { Handler } from '../../../gateway/handler.ts';
import { requireTenantPlatform } from '../tenancy.ts';
import type { BalancePlatformOperations } from '../v2.ts';

export const getBalancePlatform: Handler<BalancePlatformOperations['getBalancePlatform']> = async (
  { input, caller },
  view,
) => {
  const { id, description, status } = await requireTenantPlatform(caller, view, input.id);
  return { id, description, status };
};

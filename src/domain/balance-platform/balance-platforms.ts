/** The balance platform, as its own callers see it. */
import type { BalancePlatformOperations } from '../../api/balance-platform/v2.ts';
import type { Handler } from '../../gateway/handler.ts';
import { findOwnPlatform } from './own.ts';

export const getBalancePlatform: Handler<BalancePlatformOperations['getBalancePlatform']> = async (
  { input, caller },
  view,
) => {
  const { id, description, status } = await findOwnPlatform(caller, view, input.id);
  return { id, description, status };
};

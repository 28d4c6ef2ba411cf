/** Returns the caller's balance platform. */
import { bindHandlers, type Handler } from '../../../stores/index.ts';
import { ResourceReader } from '../store/repository.ts';
import { requireTenantPlatform } from '../tenancy.ts';
import * as contract from './contract.ts';

const getBalancePlatform: Handler<typeof contract.getBalancePlatform> = async ({ input, caller }, tx) => {
  const { id, description, status } = await requireTenantPlatform(caller, tx.repository(ResourceReader), input.id);
  return { id, description, status };
};

export const balancePlatformHandlers = bindHandlers(contract.operations, { getBalancePlatform });

/** Lists and adds merchant accounts. */
import type { ActionHandlers } from '../../../backend/index.ts';
import type { RecurringParts } from '../parts.ts';
import type { merchantAccountOperations } from './merchant-accounts.ts';

export const merchantAccountHandlers: ActionHandlers<(typeof merchantAccountOperations)[number], RecurringParts> = {
  listMerchantAccounts: async (_, { shared }) => ({ accounts: await shared.registry.listMerchantAccounts() }),

  async addMerchantAccount({ company, code }, { shared }) {
    await shared.registry.addMerchantAccount(company, code);
    return { company, code };
  },
};

/** Finds the company of an imported row by its merchant account. */

import { Problem } from '../../contract/problem.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import { recurringProblems } from './problems.ts';
import type { MerchantAccountRegistry } from './store/merchant-accounts.ts';

export interface RecurringImportDependencies {
  readonly registry: Pick<MerchantAccountRegistry, 'findCompany'>;
  readonly context: HandlerContext;
}

const unknownAccount = Problem.at(['merchantAccount'], recurringProblems.invalidMerchantAccount);
const cachedMax = 10_000;

/** A merchant account never moves to another company, so each is looked up once. The function throws a Problem for an unknown one. */
export function createCompanyFinder({
  registry,
}: Pick<RecurringImportDependencies, 'registry'>): (merchantAccount: string) => Promise<string> {
  const companies = new Map<string, string | undefined>();
  return async (merchantAccount) => {
    if (!companies.has(merchantAccount)) {
      if (companies.size >= cachedMax) companies.clear();
      companies.set(merchantAccount, await registry.findCompany(merchantAccount));
    }
    const company = companies.get(merchantAccount);
    if (company === undefined) throw unknownAccount;
    return company;
  };
}

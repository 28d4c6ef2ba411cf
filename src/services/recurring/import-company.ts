/** Finds the company of an imported row by its merchant account. */

import { Problem } from '../../contract/problem.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
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
  const companies = new BoundedMap<string, { readonly company: string | undefined }>(cachedMax);
  return async (merchantAccount) => {
    let found = companies.get(merchantAccount);
    if (found === undefined) {
      found = { company: await registry.findCompany(merchantAccount) };
      companies.set(merchantAccount, found);
    }
    if (found.company === undefined) throw unknownAccount;
    return found.company;
  };
}

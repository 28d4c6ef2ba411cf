/** Imports stored details: each row is saved as storeToken saves a detail. */

import { type Reason, RowConflict, type RowImporter } from '../../backend/index.ts';
import { Problem } from '../../core/contract/index.ts';
import type { HandlerContext } from '../../core/gateway/index.ts';
import { BoundedMap } from '../../core/lib/index.ts';
import { type ImportRow, importRow } from './import-row.ts';
import { recurringProblems } from './problems.ts';
import { saveDetail } from './save-detail.ts';
import type { MerchantAccountRegistry } from './store/merchant-accounts.ts';
import { DetailRepository, ReferenceTaken } from './store/repository.ts';

const referenceTaken: readonly Reason[] = Object.freeze([
  { field: 'recurringDetailReference', code: '803', message: 'The reference belongs to another or a disabled detail' },
]);

export function createDetailImporter(dependencies: RecurringImportDependencies): RowImporter<ImportRow> {
  const { context } = dependencies;
  const findCompany = createCompanyFinder(dependencies);
  return Object.freeze<RowImporter<ImportRow>>({
    sourcePrefix: '',
    schema: importRow,
    async save(row, tx) {
      const { merchantAccount, shopperReference, card, bank, elv, tokenDetails, variant, contracts } = row;
      const { acquirer, acquirerAccount, additionalData, billingAddress, name, paymentMethodVariant, shopperName } =
        row;
      const key = { company: await findCompany(merchantAccount), merchantAccount, shopperReference };
      const detail = {
        card,
        bank,
        elv,
        tokenDetails,
        variant,
        contracts,
        firstPspReference: row.firstPspReference ?? context.ids.requestReference(),
        shopperEmail: row.shopperEmail,
        socialSecurityNumber: row.socialSecurityNumber,
        also: { acquirer, acquirerAccount, additionalData, billingAddress, name, paymentMethodVariant, shopperName },
        createdAt: row.creationDate,
        recurringDetailReference: row.recurringDetailReference,
      };
      try {
        await saveDetail(key, detail, tx.repository(DetailRepository), context);
      } catch (thrown) {
        // The shopper is written by then.
        if (thrown instanceof ReferenceTaken) throw new RowConflict(referenceTaken, { cause: thrown });
        throw thrown;
      }
      return undefined;
    },
  });
}

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

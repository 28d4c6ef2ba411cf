/** Imports stored details: each row is saved as storeToken saves a detail. */

import { RowConflict, type RowImporter } from '../../import/import-batch.ts';
import type { Reason } from '../../import/row.ts';
import { createCompanyFinder, type RecurringImportDependencies } from './import-company.ts';
import { type ImportRow, importRow } from './import-row.ts';
import { saveDetail } from './save-detail.ts';
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

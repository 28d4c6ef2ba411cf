/** Stored details as they are imported: each row is kept as storeToken would keep it. */

import type { ImportKind } from '../../import/import-batch.ts';
import { type ImportRow, importRow } from '../../services/recurring/import-row.ts';
import { recurringProblems } from '../../services/recurring/problems.ts';
import { saveDetail } from '../../services/recurring/save-detail.ts';
import { DetailRepository } from '../../services/recurring/store/repository.ts';

const keep: ImportKind<ImportRow>['keep'] = async (row, company, tx, world) => {
  const { merchantAccount, shopperReference, card, bank, elv, tokenDetails, variant, contracts } = row;
  const { acquirer, acquirerAccount, additionalData, billingAddress, name, paymentMethodVariant, shopperName } = row;
  await saveDetail(
    { company, merchantAccount, shopperReference },
    {
      card,
      bank,
      elv,
      tokenDetails,
      variant,
      contracts,
      firstPspReference: row.firstPspReference ?? world.ids.pspReference(),
      shopperEmail: row.shopperEmail,
      socialSecurityNumber: row.socialSecurityNumber,
      also: { acquirer, acquirerAccount, additionalData, billingAddress, name, paymentMethodVariant, shopperName },
      createdAt: row.creationDate,
      recurringDetailReference: row.recurringDetailReference,
    },
    tx.repository(DetailRepository),
    world,
  );
  return undefined;
};

export const storedDetails: ImportKind<ImportRow> = Object.freeze({
  mark: '',
  shape: importRow,
  unknownAccount: recurringProblems.invalidMerchantAccount,
  keep,
});

/** Announced card changes as they are imported: each row takes the place of what was announced of its card before. */

import type { ImportKind } from '../../import/import-batch.ts';
import { announcementOf } from '../../services/recurring/account-updater/announced-changes.ts';
import { type CardChangeRow, cardChangeRow } from '../../services/recurring/account-updater/card-change-row.ts';
import { CardChangeRepository } from '../../services/recurring/account-updater/store/card-changes.ts';
import { recurringProblems } from '../../services/recurring/problems.ts';

const keep: ImportKind<CardChangeRow>['keep'] = async (row, company, tx, { vault, clock }) => {
  await tx.repository(CardChangeRepository).saveAnnouncement(company, announcementOf(row, company, vault), clock.now());
  return undefined;
};

export const cardChanges: ImportKind<CardChangeRow> = Object.freeze({
  mark: 'card changes: ',
  shape: cardChangeRow,
  unknownAccount: recurringProblems.invalidMerchantAccount,
  keep,
});

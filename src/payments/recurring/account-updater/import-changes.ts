/** Imports announced card changes: each row replaces the earlier announcement for its card. */

import type { RowImporter } from '../../../backend/index.ts';
import { createCompanyFinder, type RecurringImportDependencies } from '../import-details.ts';
import { announcementOf } from './announced-changes.ts';
import { type CardChangeRow, cardChangeRow } from './card-change-row.ts';
import { CardChangeRepository } from './store/card-changes.ts';

export function createCardChangeImporter(dependencies: RecurringImportDependencies): RowImporter<CardChangeRow> {
  const { vault, clock } = dependencies.context;
  const findCompany = createCompanyFinder(dependencies);
  return Object.freeze<RowImporter<CardChangeRow>>({
    sourcePrefix: 'card changes: ',
    schema: cardChangeRow,
    async save(row, tx) {
      const company = await findCompany(row.merchantAccount);
      const announcement = announcementOf(row, company, vault);
      await tx.repository(CardChangeRepository).saveAnnouncement(company, announcement, clock.now());
      return undefined;
    },
  });
}

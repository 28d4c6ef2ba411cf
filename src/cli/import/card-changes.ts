/** Announced card changes as they are imported: each row takes the place of what was announced of its card before. */
import { type CardChangeRow, cardChangeRow } from '../../api/recurring/card-change-row.ts';
import { announcementOf } from '../../domain/recurring/announced-changes.ts';
import type { Kind } from '../../import/keep.ts';

const keep: Kind<CardChangeRow>['keep'] = async (row, company, unit, { vault, clock }) => {
  await unit.saveAnnouncement(company, announcementOf(row, company, vault), clock.now());
  return undefined;
};

export const cardChanges: Kind<CardChangeRow> = Object.freeze({ mark: 'card changes: ', shape: cardChangeRow, keep });

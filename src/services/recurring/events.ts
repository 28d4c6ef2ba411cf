/** The notice of what became of a stored detail. */

import type { RecurringEventData } from '../../webhooks/event.ts';
import type { ShopperKey, StoredDetail } from './details.ts';

export type DetailEventData = Exclude<RecurringEventData, { readonly kind: 'checked' }>;

export const detailEvent = (
  kind: DetailEventData['kind'],
  { merchantAccount, shopperReference }: ShopperKey,
  { recurringDetailReference, open: { variant, firstPspReference } }: StoredDetail,
): DetailEventData => ({
  kind,
  merchantAccount,
  shopperReference,
  recurringDetailReference,
  variant,
  firstPspReference,
});

/** The notice of what became of a stored detail. */
import type { ShopperKey, StoredDetail } from '../ports/details.ts';
import type { RecurringNotice } from '../ports/notices.ts';

export type DetailNotice = Exclude<RecurringNotice, { readonly kind: 'checked' }>;

export const noticeOf = (
  kind: DetailNotice['kind'],
  { merchantAccount, shopperReference }: ShopperKey,
  { recurringDetailReference, open: { variant, firstPspReference } }: StoredDetail,
): DetailNotice => ({ kind, merchantAccount, shopperReference, recurringDetailReference, variant, firstPspReference });

/** The notice of what became of a stored detail. */

import type { RecurringNotice } from '../../webhooks/event.ts';
import type { ShopperKey, StoredDetail } from './details.ts';

export type DetailNotice = Exclude<RecurringNotice, { readonly kind: 'checked' }>;

export const noticeOf = (
  kind: DetailNotice['kind'],
  { merchantAccount, shopperReference }: ShopperKey,
  { recurringDetailReference, open: { variant, firstPspReference } }: StoredDetail,
): DetailNotice => ({ kind, merchantAccount, shopperReference, recurringDetailReference, variant, firstPspReference });

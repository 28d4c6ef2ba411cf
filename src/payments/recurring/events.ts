/** The events of stored details and of account-updater checks. */

import type { DomainEvent } from '../../stores/jobs/index.ts';
import type { ShopperKey, StoredDetail } from './details.ts';

export interface DetailEventData {
  readonly kind: 'created' | 'alreadyExisting' | 'updated' | 'disabled';
  readonly merchantAccount: string;
  readonly shopperReference: string;
  readonly recurringDetailReference: string;
  readonly variant: string;
  readonly firstPspReference: string;
}

/** The outcome of a check that came after the response to its request. */
export interface CheckEventData {
  readonly kind: 'checked';
  readonly merchantAccount: string;
  /** The merchant's reference of the request. */
  readonly reference: string;
  readonly result: string;
  /** Where the request named a shopper or a detail. */
  readonly shopperReference?: string | undefined;
  readonly recurringDetailReference?: string | undefined;
}

/** A permit to pay with a stored detail. */
interface PermitEventData {
  readonly kind: 'permitCreated' | 'permitDisabled';
  readonly merchantAccount: string;
  readonly shopperReference: string;
  readonly recurringDetailReference: string;
  readonly token: string;
  readonly resultKey?: string | undefined;
}

export type RecurringEventData = DetailEventData | CheckEventData | PermitEventData;

export type RecurringEvent = DomainEvent<RecurringEventData>;

export function detailEvent(
  kind: DetailEventData['kind'],
  { merchantAccount, shopperReference }: ShopperKey,
  { recurringDetailReference, publicData: { variant, firstPspReference } }: StoredDetail,
): RecurringEvent {
  return recurringEvent({
    kind,
    merchantAccount,
    shopperReference,
    recurringDetailReference,
    variant,
    firstPspReference,
  });
}

export function recurringEvent(data: RecurringEventData): RecurringEvent {
  const { merchantAccount, shopperReference } = data;
  // The events of a shopper stay in order.
  const orderingKey = shopperReference === undefined ? undefined : JSON.stringify([merchantAccount, shopperReference]);
  return { type: recurringEventType(data.kind), orderingKey, data };
}

export function isRecurringEvent(data: object): data is RecurringEventData {
  return 'merchantAccount' in data;
}

/** `recurring.token.created` */
export function recurringEventType(kind: RecurringEventData['kind']): string {
  switch (kind) {
    case 'permitCreated':
      return 'recurring.permit.created';
    case 'permitDisabled':
      return 'recurring.permit.disabled';
    default:
      return `recurring.token.${kind}`;
  }
}

/** The webhook format `classic`: a `RECURRING_CONTRACT` notification in a list of items, signed in the item. */
import {
  formatTimestamp,
  type QueuedEvent,
  type SigningKeys,
  signatureOf,
  type WebhookFormat,
} from '../../../stores/jobs/index.ts';
import type { DetailEventData } from '../events.ts';

const createdType = 'recurring.token.created';

export const classicFormat: WebhookFormat<DetailEventData> = Object.freeze<WebhookFormat<DetailEventData>>({
  name: 'classic',
  // The format defines no other event of stored details.
  accepts: (eventType) => eventType === createdType,
  encode: (event, { environment, ...keys }) => {
    const body = JSON.stringify({
      live: String(environment === 'live'),
      notificationItems: [{ NotificationRequestItem: notificationItem(event, keys) }],
    });
    return { body, headers: {} };
  },
});

/** Every value but that of the amount is text. */
function notificationItem({ at, data }: QueuedEvent<DetailEventData>, { key, nextKey }: SigningKeys): object {
  const { merchantAccount, recurringDetailReference, shopperReference, firstPspReference, variant } = data;
  // The contract was not created by a payment of the merchant, so it has no reference and no amount.
  const [merchantReference, value, currency, eventCode, success] = ['', 0, 'EUR', 'RECURRING_CONTRACT', 'true'];
  const pspReference = recurringDetailReference;
  const signed = [
    pspReference,
    firstPspReference,
    merchantAccount,
    merchantReference,
    value,
    currency,
    eventCode,
    success,
  ];
  return {
    additionalData: {
      hmacSignature: signatureOf(key, signed.join(':')),
      ...(nextKey !== undefined && { hmacSignatureNext: signatureOf(nextKey, signed.join(':')) }),
      'recurring.recurringDetailReference': recurringDetailReference,
      'recurring.shopperReference': shopperReference,
      shopperReference,
    },
    amount: { currency, value },
    eventCode,
    eventDate: formatTimestamp(at),
    merchantAccountCode: merchantAccount,
    merchantReference,
    // Where the public description requires it, and where receivers of earlier ones look for it, and signatures have it.
    originalPsp: firstPspReference,
    originalReference: firstPspReference,
    paymentMethod: variant,
    pspReference,
    reason: '',
    success,
  };
}

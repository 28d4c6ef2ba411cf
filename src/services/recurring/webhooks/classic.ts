/** An event in the format `classic`: a `RECURRING_CONTRACT` in a list of items, signed in the item itself. */
import type { Message, Origin } from '../../../webhooks/message.ts';
import type { DetailEvent, Event } from '../../../webhooks/ports.ts';
import { signatureOf } from '../../../webhooks/signature.ts';
import { formatTimestamp } from '../../../webhooks/timestamp.ts';

/** Every value but that of the amount is text. */
const itemOf = (event: DetailEvent, key: string): object => {
  const { merchantAccount, recurringDetailReference, shopperReference, firstPspReference } = event;
  // The contract came of no payment of the merchant's, so it has no reference and no amount.
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
      'recurring.recurringDetailReference': recurringDetailReference,
      'recurring.shopperReference': shopperReference,
      shopperReference,
    },
    amount: { currency, value },
    eventCode,
    eventDate: formatTimestamp(event.at),
    merchantAccountCode: merchantAccount,
    merchantReference,
    originalReference: firstPspReference,
    paymentMethod: event.variant,
    pspReference,
    reason: '',
    success,
  };
};

/** Undefined where the format knows no such event. */
export const classicMessage = (event: Event, { environment, key }: Origin): Message | undefined => {
  if (event.kind !== 'created') return undefined;
  const body = JSON.stringify({
    live: String(environment === 'live'),
    notificationItems: [{ NotificationRequestItem: itemOf(event, key) }],
  });
  return { body, headers: {} };
};

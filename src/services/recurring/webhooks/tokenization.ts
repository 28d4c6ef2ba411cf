/** An event in the format `tokenization`: one event a request, signed in a header. */
import { typeOf } from '../../../webhooks/event-type.ts';
import type { Message, Origin } from '../../../webhooks/message.ts';
import type { Event, RecurringEvent } from '../../../webhooks/ports.ts';
import { signatureHeaders } from '../../../webhooks/signature.ts';
import { formatTimestamp } from '../../../webhooks/timestamp.ts';

const dataOf = (event: RecurringEvent): object => {
  const { kind, merchantAccount, shopperReference } = event;
  switch (kind) {
    case 'created':
    case 'alreadyExisting':
    case 'updated':
      return {
        merchantAccount,
        operation: kind,
        shopperReference,
        storedPaymentMethodId: event.recurringDetailReference,
        type: event.variant,
      };
    case 'disabled':
      return {
        merchantAccount,
        shopperReference,
        storedPaymentMethodId: event.recurringDetailReference,
        type: event.variant,
      };
    // Of our own: the interface has no event for it.
    case 'checked':
      return {
        merchantAccount,
        pspReference: event.pspReference,
        reference: event.reference,
        result: event.result,
        shopperReference,
        storedPaymentMethodId: event.recurringDetailReference,
      };
    default:
      return event satisfies never;
  }
};

/** Undefined where the format knows no such event. */
export const tokenizationMessage = (event: Event, { environment, key }: Origin): Message | undefined => {
  if ('record' in event) return undefined;
  const body = JSON.stringify({
    createdAt: formatTimestamp(event.at),
    data: dataOf(event),
    environment,
    eventId: event.eventId,
    type: typeOf(event),
    version: '1',
  });
  return { body, headers: signatureHeaders(key, body) };
};

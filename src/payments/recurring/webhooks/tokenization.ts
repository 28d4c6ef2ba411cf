/** The webhook format `tokenization`: one event a message, signed in a header. */
import { formatTimestamp, signatureHeaders, type WebhookFormat } from '../../../stores/jobs/index.ts';
import { type RecurringEventData, recurringEventType } from '../events.ts';

/** The types that the public description has. Libraries for receivers throw for another one. */
const described: ReadonlySet<string> = typesOf(['created', 'alreadyExisting', 'updated', 'disabled']);
/** Those of our own. */
const extras: ReadonlySet<string> = typesOf(['checked', 'permitCreated', 'permitDisabled']);

export const tokenizationFormat: WebhookFormat<RecurringEventData> = Object.freeze<WebhookFormat<RecurringEventData>>({
  name: 'tokenization',
  accepts: (eventType) => described.has(eventType) || extras.has(eventType),
  isExtra: (eventType) => extras.has(eventType),
  encode: ({ eventId, requestReference: pspReference, at, data }, { environment, ...keys }) => {
    const body = JSON.stringify({
      createdAt: formatTimestamp(at),
      data: messageData(data, pspReference),
      environment,
      eventId,
      type: recurringEventType(data.kind),
      version: '1',
    });
    return { body, headers: signatureHeaders(keys, body) };
  },
});

function typesOf(kinds: readonly RecurringEventData['kind'][]): ReadonlySet<string> {
  return new Set(kinds.map(recurringEventType));
}

function messageData(data: RecurringEventData, pspReference: string): object {
  const { kind, merchantAccount, shopperReference } = data;
  switch (kind) {
    case 'created':
    case 'alreadyExisting':
    case 'updated':
      return {
        merchantAccount,
        operation: kind,
        shopperReference,
        storedPaymentMethodId: data.recurringDetailReference,
        type: data.variant,
      };
    case 'disabled':
      return {
        merchantAccount,
        shopperReference,
        storedPaymentMethodId: data.recurringDetailReference,
        type: data.variant,
      };
    case 'permitCreated':
    case 'permitDisabled':
      return {
        merchantAccount,
        resultKey: data.resultKey,
        shopperReference,
        storedPaymentMethodId: data.recurringDetailReference,
        token: data.token,
      };
    case 'checked':
      return {
        merchantAccount,
        pspReference,
        reference: data.reference,
        result: data.result,
        shopperReference,
        storedPaymentMethodId: data.recurringDetailReference,
      };
    default:
      return data satisfies never;
  }
}

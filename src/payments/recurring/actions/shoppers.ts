/** What is stored about a shopper, and its erasure. */
import { boolean, integer, object, optional, required } from '../../../core/contract/index.ts';
import { acts, count, moment, name, operatorProblems, reads, rows, text, values } from '../../../operators/index.ts';

const shopper = {
  merchantAccount: required(name, 'The merchant account.'),
  shopperReference: required(text(1_000, 'shopper-1'), 'The shopperReference of requests.'),
};

const card = object('StoredCard', {
  alias: optional(name, 'The alias of the number.'),
  expiryMonth: required(text(2, '3'), 'The month.'),
  expiryYear: required(text(4, '2030'), 'The year.'),
  lastFour: required(text(4, '1111'), 'The end of the number.'),
});

export const showShopper = reads(
  'showShopper',
  // A reference may be personal, and belongs in no URL.
  'POST /shoppers/show',
  'Returns the details of a shopper, disabled ones included, the changes by the account updater, and announced payments.',
  shopper,
  object('StoredShopper', {
    createdAt: required(moment, 'Since when the shopper is known.'),
    details: rows(
      'StoredShopperDetail',
      {
        recurringDetailReference: required(name, 'The reference of the detail.'),
        variant: required(name, 'The variant.'),
        card: optional(card, 'The card.'),
        contracts: values(name, 'contract', 'The contracts.', 10),
        createdAt: required(moment, 'When it was stored.'),
        altered: optional(boolean(true), 'Whether the row was changed in the database, so that it is refused.'),
        disabledAt: optional(moment, 'When it was disabled.'),
        changes: rows(
          'DetailChange',
          {
            changedAt: required(moment, 'When.'),
            changedBy: required(name, 'The credential of the request.'),
            pspReference: required(name, 'The reference of the request.'),
            outcome: required(name, 'What the updater has found.'),
            before: required(card, 'The card before.'),
            after: optional(card, 'The card after, where it has changed.'),
          },
          'The changes, oldest first.',
        ),
      },
      'The details, oldest first.',
    ),
    notifications: rows(
      'AnnouncedPayment',
      {
        notifiedAt: required(moment, 'When it was announced.'),
        pspReference: required(name, 'The reference of the request.'),
        recurringDetailReference: required(name, 'The detail.'),
        shopperNotificationReference: required(name, 'The reference of the announcement.'),
        amount: required(
          object('AnnouncedAmount', {
            currency: required(text(3, 'EUR'), 'The currency.'),
            value: required(integer(0, Number.MAX_SAFE_INTEGER, 1_000), 'In minor units.'),
          }),
          'The amount.',
        ),
        billingDate: optional(name, 'The day of the payment.'),
      },
      'The announced payments.',
    ),
  }),
  [operatorProblems.refusedAction],
);

export const eraseShopper = acts(
  'eraseShopper',
  'POST /shoppers/erase',
  'Destroys what is stored about a shopper, for good; servers may be running. Outcomes of idempotency keys, and events that are still delivered, stay until their time is over.',
  { ...shopper, dryRun: optional(boolean(true), 'Counts what would be destroyed, and destroys nothing.') },
  object('ErasedShopper', {
    erased: rows(
      'ErasedRows',
      { kind: required(name, 'What they are.'), rows: required(count, 'How many.') },
      'What was destroyed, or would be.',
    ),
    isScrubbed: required(boolean(true), 'Whether no file of the embedded store holds what was destroyed.'),
  }),
  { audited: ['merchantAccount', 'dryRun'], problems: [operatorProblems.refusedAction] },
);

export const shopperOperations = [showShopper, eraseShopper] as const;

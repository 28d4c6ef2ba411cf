/** Payment instruments of a balance platform: a card is made, activated, suspended, and perhaps cancelled. */
import { accounts, onPlatform, operation } from './platform.ts';
import type { Track } from './track.ts';

/** The comment says which key a state is the effect of; the reason, whether it is that of its body. */
const because = (key: string, statusReason = 'other') => ({ statusReason, statusComment: key });

const making = (brandVariant: string, balanceAccountId: string): object => ({
  type: 'card',
  issuingCountryCode: 'NL',
  balanceAccountId,
  card: { brand: 'visa', brandVariant, formFactor: 'virtual', cardholderName: 'Anna van Dijk' },
  status: 'inactive',
  ...because('create'),
});

/** Sent again when the card has moved on, it would move it back. */
const moving = (key: string, status: string) => ({
  operation: operation('updatePaymentInstrument'),
  bodies: {
    right: { status, ...because(key) },
    'other status': { status: 'closed', ...because(key) },
    'other reason': { status, ...because(key, 'damaged') },
  },
});

const keys = {
  create: {
    operation: operation('createPaymentInstrument'),
    bodies: {
      right: making('visadebit', accounts.right),
      'other card': making('visaprepaid', accounts.right),
      'other account': making('visadebit', accounts.other),
    },
  },
  activate: moving('activate', 'active'),
  suspend: moving('suspend', 'suspended'),
  cancel: {
    operation: operation('cancelPaymentInstrument'),
    bodies: { right: because('cancel'), 'other reason': because('cancel', 'lost') },
  },
} as const satisfies Track['keys'];

/** The status that each key leads to. */
const statuses: Readonly<Record<string, string>> = {
  create: 'inactive',
  activate: 'active',
  suspend: 'suspended',
  cancel: 'closed',
} satisfies Record<keyof typeof keys, string>;

export const paymentInstrumentTrack = Object.freeze({
  ...onPlatform,
  keys,
  table: 'payment_instrument',
  columns: ['id', 'status', 'record', 'number_fingerprint'],
  ownerOf({ status, record }) {
    const { reference, statusComment: key, statusReason, balanceAccountId, card } = JSON.parse(record!);
    const isRight =
      statuses[key] === status &&
      statusReason === 'other' &&
      balanceAccountId === accounts.right &&
      card?.brandVariant === 'visadebit';
    return isRight ? { shopper: reference, key } : undefined;
  },
  issuedIn: ({ id, number_fingerprint }) => ({ number: number_fingerprint!, to: id! }),
} as const satisfies Track);

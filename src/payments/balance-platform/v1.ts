/** The balance platform, version 1: its differences to version 2. */
import {
  converted,
  type Difference,
  type EnumSchema,
  type Field,
  has,
  type Infer,
  inAnyCase,
  lacks,
  list,
  object,
  olderVersion,
  oneOf,
  optional,
  renamed,
  required,
  string,
} from '../../core/contract/index.ts';
import type { PaymentInstrument } from './payment-instruments/contract.ts';
import * as shapes from './schemas.ts';
import { balancePlatformV2 } from './v2.ts';

const output = { side: 'output' } as const;
const input = { side: 'input' } as const;

/** `Active` of `active`. */
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const lowerCase = (text: unknown): string => String(text).toLowerCase();

/** A member whose values version 1 writes with a capital. Requests may write them in any case. */
function capitalizedMember(type: string, member: string, schema: EnumSchema, isRequired = false): Difference {
  const older = inAnyCase(schema);
  const doc = member === 'type' ? 'What kind of phone it is.' : 'The status.';
  const field: Field = isRequired ? required(older, doc) : optional(older, doc);
  return converted(type, member, { field, upgrade: lowerCase, downgrade: (value) => capitalized(String(value)) });
}

const holderStatus = oneOf('AccountHolderStatus', 'Active', 'Closed', 'Suspended');
const accountStatus = oneOf('BalanceAccountStatus', 'Active', 'Closed', 'Inactive', 'Suspended');
const phoneType = oneOf('PhoneType', 'Landline', 'Mobile');

const instrumentStatus = inAnyCase(
  oneOf(
    'PaymentInstrumentStatus',
    'Active',
    'Closed',
    'Inactive',
    'Lost',
    'Requested',
    'Stolen',
    'Suspended',
    'blocked',
    'discarded',
  ),
);

type OlderStatus = Infer<typeof instrumentStatus>;
type Status = Pick<PaymentInstrument, 'status' | 'statusReason'>;

/** What version 2 says of each status. */
const statuses: Readonly<Record<OlderStatus, Status>> = Object.freeze({
  Active: { status: 'active' },
  Closed: { status: 'closed' },
  Inactive: { status: 'inactive' },
  Lost: { status: 'suspended', statusReason: 'lost' },
  Requested: { status: 'inactive' },
  Stolen: { status: 'suspended', statusReason: 'stolen' },
  Suspended: { status: 'suspended' },
  blocked: { status: 'suspended' },
  discarded: { status: 'closed' },
});

function upgradeStatus(value: unknown): unknown {
  const request = value as { readonly status?: OlderStatus };
  return request.status === undefined ? request : { ...request, ...statuses[request.status] };
}

function downgradeStatus(value: unknown): unknown {
  const instrument = value as PaymentInstrument;
  return { ...instrument, status: olderStatusOf(instrument) };
}

/** A physical card of the United States is requested until it is active for the first time. */
function olderStatusOf({ status, statusReason, card, issuingCountryCode }: PaymentInstrument): OlderStatus {
  switch (status) {
    case 'active':
      return 'Active';
    case 'closed':
      return 'Closed';
    case 'inactive':
      return card?.formFactor === 'physical' && issuingCountryCode === 'US' ? 'Requested' : 'Inactive';
    case 'suspended':
      return statusReason === 'lost' ? 'Lost' : statusReason === 'stolen' ? 'Stolen' : 'Suspended';
    default:
      return status satisfies never;
  }
}

const firstStatus = optional(
  instrumentStatus,
  'The first status; without it, a physical card of the United States is Requested, and all else is Active.',
);
const nextStatus = optional(instrumentStatus, 'The status to move to.');
const presentStatus = required(instrumentStatus, 'The status.');

const paymentInstruments = optional(
  list(
    object('PaymentInstrumentReference', {
      id: required(shapes.instrumentId, 'Identifies the payment instrument.'),
    }),
    'PaymentInstrumentReference',
    { max: shapes.limitMax },
  ),
  `The payment instruments of the balance account, oldest first; ${shapes.limitMax} at most.`,
);

const secret = (example: string) => string({ max: 255, sensitive: true, neverStored: true, example });
const personalData = object('PersonalData', {
  dateOfBirth: optional(secret('1990-01-31'), 'Not used.'),
  idNumber: optional(secret('A1234567'), 'Not used.'),
  nationality: optional(shapes.country, 'Not used.'),
});

export const balancePlatformV1 = olderVersion(balancePlatformV2, {
  version: 1,
  answers: { from: 1, to: 1 },
  differences: [
    capitalizedMember('AccountHolder', 'status', holderStatus, true),
    capitalizedMember('AccountHolderInfo', 'status', holderStatus),
    capitalizedMember('AccountHolderUpdateRequest', 'status', holderStatus),
    capitalizedMember('BalanceAccount', 'status', accountStatus, true),
    capitalizedMember('BalanceAccountBase', 'status', accountStatus, true),
    capitalizedMember('BalanceAccountInfo', 'status', accountStatus),
    capitalizedMember('BalanceAccountUpdateRequest', 'status', accountStatus),
    capitalizedMember('PhoneNumber', 'type', phoneType, true),
    lacks('Balance', 'pendingAvailable'),
    has('BalanceAccount', 'paymentInstruments', paymentInstruments, output),
    has('BalanceAccountUpdateRequest', 'paymentInstruments', optional(paymentInstruments.schema, 'Not used.')),
    has('BalanceAccountBase', 'paymentInstruments', paymentInstruments, output),
    converted('PaymentInstrumentInfo', 'status', { field: firstStatus, whole: true, upgrade: upgradeStatus }),
    lacks('PaymentInstrumentInfo', 'statusComment'),
    lacks('PaymentInstrumentInfo', 'statusReason'),
    converted('PaymentInstrumentUpdateRequest', 'status', { field: nextStatus, whole: true, upgrade: upgradeStatus }),
    lacks('PaymentInstrumentUpdateRequest', 'statusReason'),
    converted('PaymentInstrument', 'status', { field: presentStatus, whole: true, downgrade: downgradeStatus }),
    lacks('PaymentInstrument', 'statusComment'),
    lacks('PaymentInstrument', 'statusReason'),
    converted('UpdatePaymentInstrument', 'status', { field: presentStatus, whole: true, downgrade: downgradeStatus }),
    lacks('UpdatePaymentInstrument', 'statusReason'),
    // Lists are by the statuses of version 2: a lost card is in that of the suspended ones.
    converted('ListPaymentInstruments', 'status', {
      field: optional(inAnyCase(accountStatus), 'Only those with this status.', { in: 'query' }),
      upgrade: lowerCase,
    }),
    lacks('BulkAddress', 'line1'),
    lacks('BulkAddress', 'line2'),
    lacks('BulkAddress', 'line3'),
    lacks('BulkAddress', 'name'),
    lacks('DeliveryContact', 'company'),
    has('DeliveryContact', 'personalData', optional(personalData, 'Not used, and not stored.'), input),
    renamed('DeliveryAddress', 'street', 'line1'),
    renamed('DeliveryAddress', 'houseNumberOrName', 'line2'),
    lacks('DeliveryAddress', 'line3'),
  ],
});

/** The Recurring service, version 40: an agreement may name its expiry and its frequency. */
import { extend, withSchema } from '../../contract/extend.ts';
import { operation } from '../../contract/operation.ts';
import { dateTime, optional, string } from '../../contract/schema.ts';
import { service } from '../../contract/service.ts';
import * as shapes from './schemas.ts';
import { notifyShopper } from './shopper-notifications/contract.ts';
import * as v25 from './v25.ts';

/** They mean nothing here, so a retry through version 25, which ignores them, repeats the same request. */
const agreement = {
  recurringExpiry: optional(
    dateTime(Date.UTC(2030, 11, 31), { neverStored: true }),
    'The moment after which there are no payments, for 3D Secure 2. Ignored.',
  ),
  recurringFrequency: optional(
    string({ max: 40, neverStored: true, example: '28' }),
    'The fewest days between two payments, for 3D Secure 2. Ignored.',
  ),
} as const;

const listInput = v25.listRecurringDetails.input;
export const listRecurringDetails = operation({
  ...v25.listRecurringDetails,
  input: extend(listInput, {
    recurring: withSchema(listInput.fields.recurring, extend(shapes.recurring, agreement)),
  }),
});

const storeInput = v25.storeToken.input;
export const storeToken = operation({
  ...v25.storeToken,
  input: extend(storeInput, {
    recurring: withSchema(storeInput.fields.recurring, extend(shapes.agreedRecurring, agreement)),
  }),
});

export const recurringV40 = service({
  ...v25.recurringService,
  version: 40,
  answers: { from: 40, to: 48 },
  operations: [
    v25.disable,
    listRecurringDetails,
    notifyShopper,
    v25.scheduleAccountUpdater,
    storeToken,
    v25.tokenLookup,
  ],
});

/** The Recurring service, version 68, the newest: details have the transaction reference of the card network. */
import { extend, withSchema } from '../../contract/extend.ts';
import { operation } from '../../contract/operation.ts';
import { list, optional, string } from '../../contract/schema.ts';
import { service } from '../../contract/service.ts';
import * as shapes from './schemas.ts';
import { notifyShopper } from './shopper-notifications/contract.ts';
import * as v25 from './v25.ts';
import * as v40 from './v40.ts';

export const recurringDetail = extend(shapes.recurringDetail, {
  networkTxReference: optional(
    string({ example: 'MCC1234567890' }),
    'The reference that the card network gave the first payment: the entry `networkTxReference` of additionalData.',
  ),
});

const listOutput = v40.listRecurringDetails.output;
export const listRecurringDetails = operation({
  ...v40.listRecurringDetails,
  output: extend(listOutput, {
    details: withSchema(
      listOutput.fields.details,
      list(recurringDetail, 'RecurringDetail', { wrapped: true, max: shapes.recurringDetails.max }),
    ),
  }),
});

const operations = [
  v25.disable,
  listRecurringDetails,
  notifyShopper,
  v25.scheduleAccountUpdater,
  v40.storeToken,
  v25.tokenLookup,
] as const;

/** The operations by name, for handlers that the compiler counts. */
export type RecurringOperations = { [O in (typeof operations)[number] as O['name']]: O };

export const recurringV68 = service({
  ...v25.recurringService,
  version: 68,
  answers: { from: 68, to: 68 },
  errorMap: 'additionalData',
  operations,
});

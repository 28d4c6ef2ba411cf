/** The Recurring service, version 12: its types are those of the published WSDL, which strict stubs of it require. */
import { extend, without, withSchema } from '../../contract/extend.ts';
import { operation } from '../../contract/operation.ts';
import { list, map, optional, string } from '../../contract/schema.ts';
import { service } from '../../contract/service.ts';
import * as shapes from './schemas.ts';
import { notifyShopper } from './shopper-notifications/contract.ts';
import * as v25 from './v25.ts';

const bank = without(shapes.bankAccount, 'bankCity', 'taxId');

const card = extend(shapes.shownCard, { billingAddress: optional(shapes.address, 'Not used.') });

export const recurringDetail = extend(without(shapes.recurringDetail, 'acquirer', 'acquirerAccount'), {
  bank: withSchema(shapes.recurringDetail.fields.bank, bank),
  card: withSchema(shapes.recurringDetail.fields.card, card),
});

const listOutput = without(v25.listRecurringDetails.output, 'invalidOneclickContracts');
export const listRecurringDetails = operation({
  ...v25.listRecurringDetails,
  output: extend(listOutput, {
    details: withSchema(
      listOutput.fields.details,
      list(recurringDetail, 'RecurringDetail', { wrapped: true, max: shapes.recurringDetails.max }),
    ),
  }),
});

const entries = map(100, { entry: 'value' });
const text = (example: string) => string({ example });

export const storeToken = operation({
  ...v25.storeToken,
  input: extend(v25.storeToken.input, {
    params: optional(entries, 'Ignored.'),
    pspEchoData: optional(text('echo'), 'Ignored.'),
    returnUrl: optional(text('https://shop.example.com/return'), 'Ignored.'),
    shopperIP: optional(text('192.0.2.1'), 'Ignored.'),
    shopperStatement: optional(text('Example shop'), 'Ignored.'),
  }),
  output: extend(without(v25.storeToken.output, 'rechargeReference'), {
    additionalData: optional(entries, 'Not used.'),
    params: optional(entries, 'Not used.'),
    pspEchoData: optional(text('echo'), 'Not used.'),
    redirectType: optional(text('GET'), 'Not used.'),
    redirectUrl: optional(text('https://shop.example.com/return'), 'Not used.'),
  }),
});

export const recurringV12 = service({
  ...v25.recurringService,
  version: 12,
  answers: { from: 1, to: 12 },
  operations: [
    v25.disable,
    listRecurringDetails,
    notifyShopper,
    v25.scheduleAccountUpdater,
    storeToken,
    v25.tokenLookup,
  ],
});

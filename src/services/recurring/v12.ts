/** The Recurring service, version 12: its answers lack the members that came later, which strict stubs of it refuse. */
import { extend, without, withSchema } from '../../contract/extend.ts';
import { operation } from '../../contract/operation.ts';
import { list } from '../../contract/schema.ts';
import { service } from '../../contract/service.ts';
import * as shapes from './schemas.ts';
import * as v25 from './v25.ts';

const bank = without(shapes.bankAccount, 'bankCity', 'taxId');

export const recurringDetail = extend(without(shapes.recurringDetail, 'acquirer', 'acquirerAccount'), {
  bank: withSchema(shapes.recurringDetail.fields.bank, bank),
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

export const storeToken = operation({
  ...v25.storeToken,
  output: without(v25.storeToken.output, 'rechargeReference'),
});

export const recurringV12 = service({
  ...v25.recurringService,
  version: 12,
  answers: { from: 1, to: 12 },
  operations: [v25.disable, listRecurringDetails, v25.scheduleAccountUpdater, storeToken, v25.tokenLookup],
});

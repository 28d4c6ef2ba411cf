/** The Recurring service, version 49: errors have `additionalData`. */
import { service } from '../../contract/service.ts';
import { recurringService } from './v25.ts';
import { recurringV40 } from './v40.ts';

export const recurringV49 = service({
  ...recurringService,
  version: 49,
  answers: { from: 49, to: 67 },
  errorMap: 'additionalData',
  operations: [...recurringV40.operations.values()],
});

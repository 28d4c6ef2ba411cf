/** Prints the messages of cases of the recurring service. */
import type { RecurringOperations } from '../../src/payments/recurring/contract.ts';
import type { callers } from '../support/fixture.ts';
import type { ProblemName } from '../support/problems.ts';
import { createPrinter } from './print-case.ts';

/** Adds the messages to a case. */
export const printed = createPrinter<keyof RecurringOperations, ProblemName, keyof typeof callers, readonly string[]>({
  namespace: 'http://recurring.services.adyen.com',
  namespaces: {
    card: 'http://payment.services.adyen.com',
    bank: 'http://payment.services.adyen.com',
    recurring: 'http://payment.services.adyen.com',
    amount: 'http://common.services.adyen.com',
  },
  hasPart: true,
  name: 'Recurring',
  messages: (operation) => {
    const name = operation === 'listRecurringDetails' ? 'recurringDetails' : operation;
    return [`${name}Request`, `${name}Result`];
  },
  reference: 'pspReference',
  items: { details: 'RecurringDetail', tokens: 'TokenDetail' },
});

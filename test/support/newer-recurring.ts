/** A synthetic version 70 of the recurring service, whose `disable` differs from that of version 25 in both shapes. */
import { converted, lacks, olderVersion, renamed } from '../../src/core/contract/older-version.ts';
import { operation } from '../../src/core/contract/operation.ts';
import { integer, object, oneOf, optional, required } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import * as newest from '../../src/payments/recurring/contract.ts';
import { disable as disableOfNewest } from '../../src/payments/recurring/disable.ts';
import { type RecurringDependencies, recurringHandlers } from '../../src/payments/recurring/index.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { newestRecurring, recurringV25 } from '../../src/payments/recurring/versions.ts';
import type { Handler } from '../../src/stores/handlers.ts';
import { type Implementation, implement } from '../../src/stores/handlers.ts';

const { contract, ...otherFields } = newest.disable.input.fields;
const { response } = newest.disable.output.fields;

/** `contract` is renamed to `contracts`; the output says what was disabled by a word and counts the fields sent. */
export const disableV70 = operation({
  ...newest.disable,
  input: object(
    'DisableRequest',
    {
      contracts: optional(contract.schema, contract.doc, { invalid: recurringProblems.invalidContract }),
      ...otherFields,
    },
    { ignoredMembers: newest.disable.input.ignoredMembers },
  ),
  output: object('DisableResult', {
    disabled: required(oneOf('Disabled', 'detail', 'all'), 'What was disabled.'),
    revision: required(integer(70, 70, 70), 'The version that disabled it.'),
  }),
});

const { operations: _, errorMap: _errorMap, ...parts } = newestRecurring;
const { disable: _disable, ...others } = newest.recurringOperations;

export const recurringV70 = service({
  ...parts,
  version: 70,
  answers: { from: 70, to: 70 },
  legacy: { soap: '/pal/servlet/soap/RecurringV70', adapter: '/pal/adapter/v70' },
  operations: [disableV70, ...Object.values(others)],
});

const one = '[detail-successfully-disabled]';
const all = '[all-details-successfully-disabled]';

const disable: Handler<typeof disableV70> = async ({ input: { contracts, ...input }, ...request }, ...rest) => {
  const older = { ...request, operation: newest.disable, input: { ...input, contract: contracts } };
  const output = await disableOfNewest(older, ...rest);
  return { disabled: output.response === one ? 'detail' : 'all', revision: 70 };
};

/** Version 25, as the one before version 70. */
export const recurringBeforeV70 = olderVersion(recurringV70, {
  version: recurringV25.version,
  answers: recurringV25.answers,
  ...(recurringV25.legacy && { legacy: recurringV25.legacy }),
  differences: [
    renamed('DisableRequest', 'contract', 'contracts'),
    converted('DisableResult', 'disabled', {
      name: 'response',
      field: response,
      upgrade: (value) => (value === one ? 'detail' : 'all'),
      downgrade: (disabled) => (disabled === 'detail' ? one : all),
    }),
    lacks('DisableResult', 'revision'),
    lacks('RecurringDetail', 'networkTxReference'),
    lacks('RecurringDetail', 'transactionLinkId'),
    lacks('Recurring', 'recurringExpiry', { ignored: 'version 40' }),
    lacks('Recurring', 'recurringFrequency', { ignored: 'version 40' }),
  ],
  withoutOperations: ['createPermit', 'disablePermit'],
});

/** Both versions: callers of version 25 are served by the handlers of version 70. */
export function implementBothVersions(dependencies: RecurringDependencies): Implementation {
  return implement(recurringV70, { ...recurringHandlers(dependencies), disable }, recurringBeforeV70);
}

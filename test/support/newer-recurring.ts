/** A synthetic version 70 of the recurring service, whose `disable` differs from that of version 25 in both shapes. */
import { operation } from '../../src/contract/operation.ts';
import { integer, object, oneOf, optional, required } from '../../src/contract/schema.ts';
import { type Service, service } from '../../src/contract/service.ts';
import type { Handler } from '../../src/gateway/handler.ts';
import { type Implementation, implement } from '../../src/gateway/implement.ts';
import { olderVersion } from '../../src/gateway/older-version.ts';
import type { ServiceDependencies } from '../../src/services/built-in-service.ts';
import { disable as disableV25Handler } from '../../src/services/recurring/disable.ts';
import { recurringHandlers } from '../../src/services/recurring/implementation.ts';
import { namespaces } from '../../src/services/recurring/namespaces.ts';
import { adaptersOfV25 } from '../../src/services/recurring/older-versions.ts';
import { recurringProblems } from '../../src/services/recurring/problems.ts';
import * as v25 from '../../src/services/recurring/v25.ts';
import { recurringV68 } from '../../src/services/recurring/v68.ts';

const { contract, ...otherFields } = v25.disable.input.fields;

/** `contract` is renamed to `contracts`; the output says what was disabled by a word and counts the fields sent. */
export const disableV70 = operation({
  ...v25.disable,
  input: object(
    'DisableRequest',
    {
      contracts: optional(contract.schema, 'The contracts to disable.', { invalid: recurringProblems.invalidContract }),
      ...otherFields,
    },
    { ignoredMembers: v25.disable.input.ignoredMembers },
  ),
  output: object('DisableResult', {
    disabled: required(oneOf('Disabled', 'detail', 'all'), 'What was disabled.'),
    revision: required(integer(70, 70, 70), 'The version that disabled it.'),
  }),
});

type OperationV68 = typeof recurringV68 extends Service<infer O> ? O : never;

const unchanged = [...recurringV68.operations.values()].filter(
  (each): each is Exclude<OperationV68, typeof v25.disable> => each.name !== 'disable',
);

export const recurringV70 = service({
  name: 'Recurring',
  version: 70,
  answers: { from: 70, to: 70 },
  address: v25.recurringV25.address,
  legacy: { soap: '/pal/servlet/soap/RecurringV70', adapter: '/pal/adapter/v70' },
  namespaces,
  hashPrefix: '',
  doc: 'Stored payment details of shoppers.',
  roles: v25.recurringService.roles,
  roleSets: v25.recurringService.roleSets,
  operations: [disableV70, ...unchanged],
});

const one = '[detail-successfully-disabled]';
const all = '[all-details-successfully-disabled]';

const disable: Handler<typeof disableV70> = async ({ input: { contracts, ...input }, ...request }, ...rest) => {
  const older = { ...request, operation: v25.disable, input: { ...input, contract: contracts } };
  const { response } = await disableV25Handler(older, ...rest);
  return { disabled: response === one ? 'detail' : 'all', revision: 70 };
};

/** Both versions: callers of version 25 are served by the handlers of version 70. */
export const implementBothVersions = (dependencies: ServiceDependencies): Implementation =>
  implement(
    recurringV70,
    { ...recurringHandlers(dependencies), disable },
    olderVersion(v25.recurringV25, recurringV70, {
      ...adaptersOfV25,
      disable: {
        upgrade: ({ contract, ...input }) => ({ ...input, contracts: contract }),
        downgrade: ({ disabled }) => ({ response: disabled === 'detail' ? one : all }),
      },
    }),
  );

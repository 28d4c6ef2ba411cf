/** Tests which roles authorize which operation, and what a read-only credential may do. */
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../src/contract/canonical.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { rolesFor } from '../../src/contract/roles.ts';
import { newestOf, service } from '../../src/contract/service.ts';
import { authorize } from '../../src/gateway/authorize.ts';
import { services } from '../../src/services/index.ts';
import { recurringV68 } from '../../src/services/recurring/contract.ts';

const newest = newestOf(services);

/** An input without grants and issues: the roles alone decide. */
function outcome(operation: Operation, caller: Partial<Caller>): string {
  const of = newest.find(({ operations }) => [...operations.values()].includes(operation))!;
  const bare: Operation = { ...operation, grants: [] };
  const current = { service: of, operation: bare, roles: rolesFor(of, bare) };
  const identity = {
    credential: 'cr',
    tenant: 'Demo',
    requiresKey: false,
    grants: new Map(),
    roles: new Set<string>(),
  };
  try {
    authorize(
      { operation: bare, input: {}, issues: [] },
      current,
      { ...identity, ...caller },
      {
        requestReference: 'PSP',
      },
    );
    return 'authorized';
  } catch (thrown) {
    return (thrown as { readonly problem: string }).problem;
  }
}

const operations = newest.flatMap((each) => [...each.operations.values()]);
const allRoles = [...new Set(newest.flatMap(({ roles }) => roles))];

/** What each role authorizes, by the names of the operations. */
const byRole = (of: Partial<Caller> = {}) =>
  Object.fromEntries(
    allRoles.map((role) => [
      role,
      operations
        .filter((operation) => outcome(operation, { roles: new Set([role]), ...of }) === 'authorized')
        .map(({ name }) => name)
        .toSorted(),
    ]),
  );

const platformReads = [
  'getAccountHolder',
  'getBalanceAccount',
  'getBalancePlatform',
  'getPaymentInstrument',
  'listAccountHolders',
  'listBalanceAccounts',
  'listPaymentInstruments',
];
const platformWrites = [
  'cancelPaymentInstrument',
  'createAccountHolder',
  'createBalanceAccount',
  'createPaymentInstrument',
  'updateAccountHolder',
  'updateBalanceAccount',
  'updatePaymentInstrument',
];

test('each role authorizes its operations and no others', () => {
  expect(byRole()).toEqual({
    recurring: ['disable', 'listRecurringDetails', 'notifyShopper', 'scheduleAccountUpdater', 'storeToken'],
    'recurring:list': ['listRecurringDetails'],
    'recurring:store': ['storeToken'],
    'recurring:disable': ['disable'],
    'recurring:update': ['scheduleAccountUpdater'],
    'recurring:notify': ['notifyShopper'],
    'recurring:lookup': ['tokenLookup'],
    balancePlatform: [...platformReads, ...platformWrites].toSorted(),
    'balancePlatform:read': platformReads,
    'balancePlatform:write': platformWrites,
  });
});

test('a read-only credential may read with its roles', () => {
  expect(byRole({ readOnly: true })).toEqual({
    recurring: ['listRecurringDetails'],
    'recurring:list': ['listRecurringDetails'],
    'recurring:store': [],
    'recurring:disable': [],
    'recurring:update': [],
    'recurring:notify': [],
    'recurring:lookup': ['tokenLookup'],
    balancePlatform: platformReads,
    'balancePlatform:read': platformReads,
    'balancePlatform:write': [],
  });
});

test('a refusal is notAllowed, as for a missing role', () => {
  const store = recurringV68.operations.get('storeToken')!;
  expect(outcome(store, { roles: new Set(['recurring']) })).toBe('authorized');
  expect(outcome(store, { roles: new Set(['recurring']), readOnly: true })).toBe('notAllowed');
  expect(outcome(store, {})).toBe('notAllowed');
});

describe('a service', () => {
  test.each([
    [{ clerks: ['orders'] }, /no role clerks/],
    [{ orders: ['orders:read'] }, /no role orders:read/],
  ])('refuses a set of roles that it does not declare: %j', (roleSets, message) => {
    const parts = { name: 'Orders', version: 1, answers: { from: 1, to: 1 }, doc: '', address: '/orders' };
    expect(() => service({ ...parts, roles: ['orders'], roleSets, operations: [] })).toThrow(message);
  });
});

/** Tests which roles authorize which operation, and what a read-only credential may do. */
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../src/core/contract/canonical.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import { rolesFor } from '../../src/core/contract/roles.ts';
import { newestOf, service } from '../../src/core/contract/service.ts';
import { authorize } from '../../src/core/gateway/authorize.ts';
import { services } from '../../src/payments/index.ts';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';
import type { Access } from '../conformance/case.ts';
import { access } from '../conformance/read-cases.ts';

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

/** The roles that authorize an operation. */
const rolesOf = (operation: Operation, of: Partial<Caller> = {}) =>
  allRoles.filter((role) => outcome(operation, { roles: new Set([role]), ...of }) === 'authorized');

/** Written out: files of cases state it for the recurring service. On the balance platform the method decides. */
function accessOf({ name, http }: Operation): Omit<Access, 'since'> | undefined {
  if (http === undefined) return access.get(name);
  const mayRead = http.method === 'GET';
  return { roles: ['balancePlatform', `balancePlatform:${mayRead ? 'read' : 'write'}`], readOnly: mayRead };
}

test.each(operations.map((each) => [each.name, each] as const))(
  'the roles of %s authorize it, and no others',
  (_, each) => {
    const expected = accessOf(each);
    expect(rolesOf(each)).toEqual(expected?.roles);
    expect(rolesOf(each, { readOnly: true })).toEqual(expected?.readOnly ? expected.roles : []);
  },
);

test('a refusal is notAllowed, as for a missing role', () => {
  const store = newestRecurring.operations.get('storeToken')!;
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

/** The tables of ignored members: each entry has an origin, and belongs to a type of a request that has no such field. */
import { describe, expect, test } from '@jest/globals';
import type { IgnoredMembers, ObjectSchema, Schema } from '../../src/core/contract/schema.ts';
import { ignoredMembers as ofPlatforms } from '../../src/payments/balance-platform/ignored-members.ts';
import { services } from '../../src/payments/index.ts';
import { ignoredMembers as ofRecurring } from '../../src/payments/recurring/ignored-members.ts';

const inputs = services.flatMap(({ operations }) => [...operations.values()].flatMap(({ input }) => objectsIn(input)));

describe.each(Object.entries({ ...ofRecurring, ...ofPlatforms }))('%s', (_, members) => {
  const users = inputs.filter(({ ignoredMembers }) => ignoredMembers === members);

  test('is a type of a request', () => {
    expect(users).not.toEqual([]);
  });

  test.each(Object.entries(members))('%s (%s)', (name, origin) => {
    expect(origin).toMatch(/^(version \d+|answers|the Python library|clients of the form adapter)$/);
    expect(users.filter(({ fields }) => Object.hasOwn(fields, name))).toEqual([]);
  });
});

test('every member that a request ignores stands in a table, or is one of a later version', () => {
  const entriesOf = (members: IgnoredMembers) => Object.entries(members).map(([name, origin]) => `${name}: ${origin}`);
  const listed = new Set([...Object.values(ofRecurring), ...Object.values(ofPlatforms)].flatMap(entriesOf));
  const ignored = inputs.flatMap(({ ignoredMembers }) => entriesOf(ignoredMembers));
  const ofLaterVersions = new Set(['recurringExpiry: version 40', 'recurringFrequency: version 40']);
  expect(new Set(ignored.filter((each) => !listed.has(each)))).toEqual(ofLaterVersions);
});

function objectsIn(schema: Schema): readonly ObjectSchema[] {
  if (schema.kind === 'list') return objectsIn(schema.item);
  if (schema.kind === 'map') return schema.item === undefined ? [] : objectsIn(schema.item);
  if (schema.kind !== 'object') return [];
  return [schema, ...Object.values(schema.fields).flatMap((field) => objectsIn(field.schema))];
}

/** Older versions: contracts and conversions that follow from stated differences, in one step and in several. */
import { describe, expect, test } from '@jest/globals';
import {
  converted,
  type Difference,
  has,
  lacks,
  olderVersion,
  renamed,
} from '../../src/core/contract/older-version.ts';
import { operation } from '../../src/core/contract/operation.ts';
import { compileRead, IssueCollector } from '../../src/core/contract/read.ts';
import { recursive, self } from '../../src/core/contract/recursive.ts';
import { list, mapOf, object, optional, required, string } from '../../src/core/contract/schema.ts';
import { type Service, service } from '../../src/core/contract/service.ts';
import { reader } from '../../src/core/formats/json/read.ts';
import { compose } from '../../src/core/gateway/compose.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';
import { bindHandler, implement } from '../../src/stores/handlers.ts';

const text = string({ example: 'a' });

const line = object('Line', { article: required(text, 'An article.'), note: optional(text, 'A note.') });
const placeOrder = operation({
  name: 'placeOrder',
  doc: 'Places an order.',
  effect: 'writes',
  role: 'orders',
  problems: [],
  input: object(
    'Order',
    {
      customer: required(text, 'Who orders.'),
      email: optional(text, 'Where to write to.'),
      lines: optional(list(line, 'line', { max: 9 }), 'What is ordered.'),
      others: optional(mapOf(line, 9, 'b'), 'More of it.'),
      phone: optional(text, 'Where to call.'),
    },
    {
      ignoredMembers: { agent: 'old clients' },
      choices: [
        { options: [['email'], ['phone']], exclusive: false, problem: 'invalidField', doc: 'A way to answer.' },
      ],
    },
  ),
  output: object('Placed', {
    lines: optional(list(line, 'line', { max: 9 }), 'As stored.'),
    number: required(text, 'Its number.'),
  }),
});
const cancelOrder = operation({
  ...placeOrder,
  name: 'cancelOrder',
  input: object('Cancel', {}),
  output: object('Cancelled', {}),
});

const newest = service({
  name: 'Orders',
  version: 3,
  answers: { from: 3, to: 3 },
  address: '/orders',
  namespaces: { own: 'o', uris: { o: 'urn:orders' } },
  doc: 'Orders.',
  roles: ['orders'],
  operations: [placeOrder, cancelOrder],
});

const v2 = olderVersion(newest, {
  version: 2,
  answers: { from: 2, to: 2 },
  differences: [lacks('Line', 'note', { ignored: 'version 3' }), renamed('Order', 'client', 'customer')],
});
const v1 = olderVersion(v2, {
  version: 1,
  answers: { from: 1, to: 1 },
  withoutOperations: ['cancelOrder'],
  differences: [
    renamed('Order', 'buyer', 'client'),
    has('Order', 'colour', optional(text, 'Not used.')),
    converted('Placed', 'number', {
      field: required(text, 'Its number.'),
      upgrade: (it) => it,
      downgrade: (it) => `no. ${it}`,
    }),
  ],
});

const placeOf = (version: Service) => version.operations.get('placeOrder')!;
const current = compose([
  implement(newest, { placeOrder: async () => ({ number: '1' }), cancelOrder: async () => ({}) }, v1, v2),
]);

describe('the contract of an older version', () => {
  test('has the members that the differences leave, in the order of the next version', () => {
    expect(Object.keys(placeOf(v2).input.fields)).toEqual(['client', 'email', 'lines', 'others', 'phone']);
    expect(Object.keys(placeOf(v1).input.fields)).toEqual(['buyer', 'colour', 'email', 'lines', 'others', 'phone']);
    const { lines } = placeOf(v2).output.fields;
    expect(lines!.schema).toMatchObject({ item: { fields: { article: {} }, ignoredMembers: { note: 'version 3' } } });
    expect(placeOf(v1).input.ignoredMembers).toEqual({ agent: 'old clients' });
  });

  test('shares the operations that do not differ, and lacks those that it names', () => {
    expect(v2.operations.get('cancelOrder')).toBe(cancelOrder);
    expect([...v1.operations.keys()]).toEqual(['placeOrder']);
  });
});

test('requests and responses are converted by way of every version in between', () => {
  const { operation: to, upgrade, downgrade } = current.current(placeOf(v1));
  expect(to).toBe(placeOrder);
  const lines = [{ article: 'x' }];
  expect(upgrade!({ buyer: 'Anna', colour: 'red', email: 'a@b', lines })).toEqual({
    customer: 'Anna',
    email: 'a@b',
    lines,
  });
  const output = { number: '7', lines: [{ article: 'x', note: 'n' }] };
  expect(downgrade!(output)).toEqual({ number: 'no. 7', lines });
  expect(output.lines[0]).toEqual({ article: 'x', note: 'n' });
});

test('a value that has nothing to convert stays the same object', () => {
  const output = { number: '7' };
  expect(current.current(placeOf(v2)).downgrade!(output)).toBe(output);
});

describe('a difference of whole objects', () => {
  const paid = converted('Order', 'phone', {
    field: optional(text, 'By which it is paid.'),
    whole: true,
    upgrade: (value) => ({ ...(value as object), email: 'by phone' }),
  });
  const shown = converted('Placed', 'number', {
    field: required(text, 'Its number.'),
    whole: true,
    downgrade: (value) => ({ ...(value as object), number: JSON.stringify(value) }),
  });
  const older = olderVersion(newest, {
    version: 2,
    answers: { from: 2, to: 2 },
    differences: [paid, shown, lacks('Placed', 'lines')],
  });

  test('converts them with the members of the next version', () => {
    const adapter = older.adapters.get(placeOf(older))!;
    expect(adapter.upgrade!({ customer: 'Anna', phone: '1' })).toEqual({
      customer: 'Anna',
      phone: '1',
      email: 'by phone',
    });
    const output = { number: '7', lines: [{ article: 'x' }] };
    expect(adapter.downgrade!(output)).toEqual({ number: JSON.stringify(output) });
  });
});

test('an operation of an older version may have a handler of its own, which adds members', async () => {
  const older = olderVersion(newest, {
    version: 2,
    answers: { from: 2, to: 2 },
    differences: [has('Placed', 'colour', optional(text, 'The colour.'))],
  });
  const { handlers } = implement(newest, {
    placeOrder: async () => ({ number: '1' }),
    cancelOrder: async () => ({}),
  });
  const own = bindHandler<typeof placeOrder>(async () => ({ number: '1', colour: 'red' }));
  const olderVersions = [older];
  const both = compose([{ service: newest, olderVersions, handlers: new Map([...handlers, [placeOf(older), own]]) }]);
  const { executor, downgrade, operation: to } = both.current(placeOf(older));
  expect(to).toBe(placeOrder);
  expect(executor).not.toBe(both.current(placeOrder).executor);
  expect(downgrade?.({ number: '1', colour: 'red' }) ?? { colour: 'red' }).toMatchObject({ colour: 'red' });
});

test.each<[name: string, difference: Difference, error: RegExp]>([
  ['of an unknown type', lacks('Lines', 'note'), /has no Lines/],
  ['of an unknown member', lacks('Line', 'remark'), /has no remark/],
  ['whose required member requests lack', lacks('Order', 'customer'), /lack customer/],
  ['of a member that a rule names', lacks('Order', 'email'), /rule about email/],
  ['with a name that is taken', renamed('Order', 'phone', 'email'), /are called phone/],
  ['without a conversion', converted('Order', 'email', { field: optional(text, '') }), /no conversion upgrades email/],
  [
    'without a conversion of responses',
    converted('Placed', 'number', { field: required(text, '') }),
    /downgrades number/,
  ],
])('refuses a difference %s', (_, difference, error) => {
  const parts = { version: 2, answers: { from: 2, to: 2 }, differences: [difference] };
  expect(() => olderVersion(newest, parts)).toThrow(error);
});

test('refuses to leave out an operation that the next version lacks, and versions in another order', () => {
  const parts = { version: 2, answers: { from: 2, to: 2 } };
  expect(() => olderVersion(newest, { ...parts, withoutOperations: ['moveOrder'] })).toThrow(/no operation moveOrder/);
  const handlers = { placeOrder: async () => ({ number: '1' }), cancelOrder: async () => ({}) };
  expect(() => compose([implement(newest, handlers, v2, v1)])).toThrow(/Orders v1 does not lead/);
});

test('an older version of a type in itself says how deep it may be, and refers to itself', () => {
  const folder = object('Folder', {
    name: required(text, 'Its name.'),
    folders: optional(list(self('Folder'), 'folder', { max: 9 }), 'What is in it.'),
  });
  const keep = operation({ ...placeOrder, name: 'keep', input: recursive(folder, 2), output: object('Kept', {}) });
  const next = service({ ...newest, operations: [keep] });
  const older = olderVersion(next, {
    version: 2,
    answers: { from: 2, to: 2 },
    differences: [renamed('Folder', 'title', 'name'), renamed('Folder', 'inside', 'folders')],
  });
  const { input } = older.operations.get('keep')!;
  const nested = (depth: number): object => ({ title: 'a', ...(depth > 1 && { inside: [nested(depth - 1)] }) });
  const read = compileRead(input, reader);
  const issuesOf = (depth: number) => {
    const collector = new IssueCollector();
    read(nested(depth), collector);
    return collector.issues.map(({ message }) => message);
  };
  expect(issuesOf(2)).toEqual([]);
  expect(issuesOf(3)).toEqual(['Problem parsing request: inside.inside is too deep: Folder may be 2 deep in itself']);
  const { schemas } = deriveOpenApi([older], 'http://gateway.example').components as { readonly schemas: object };
  expect(schemas).toMatchObject({
    Folder: { properties: { title: {}, inside: { items: { $ref: '#/components/schemas/Folder' } } } },
  });
  expect(older.adapters.get(older.operations.get('keep')!)?.upgrade?.(nested(2))).toEqual({
    name: 'a',
    folders: [{ name: 'a' }],
  });
});

test('an older version converts objects in themselves at any depth, also through parts that are the same', () => {
  const link = object('Link', { target: optional(self('Folder'), 'What it shows.') });
  const inner = recursive(
    object('Shelf', {
      folder: optional(self('Folder'), 'A folder.'),
      label: optional(text, 'A label.'),
      shelf: optional(self('Shelf'), 'A shelf.'),
    }),
  );
  const folder = recursive(
    object('Folder', {
      link: optional(link, 'A link.'),
      name: required(text, 'Its name.'),
      shelf: optional(inner, 'A shelf.'),
    }),
  );
  const keep = operation({
    ...placeOrder,
    name: 'keep',
    input: folder,
    output: object('Kept', { folder: optional(folder, '') }),
  });
  const older = olderVersion(service({ ...newest, operations: [keep] }), {
    version: 2,
    answers: { from: 2, to: 2 },
    differences: [renamed('Folder', 'title', 'name')],
  });
  const trees = (name: string) => {
    const leaf = { [name]: 'leaf' };
    const inShelf = { [name]: 'c', shelf: { label: 'x', shelf: { shelf: { folder: leaf } } } };
    return { [name]: 'a', link: { target: { [name]: 'b', link: { target: inShelf } } } };
  };
  const { upgrade, downgrade } = older.adapters.get(older.operations.get('keep')!)!;
  expect(upgrade?.(trees('title'))).toEqual(trees('name'));
  expect(downgrade?.({ folder: trees('name') })).toEqual({ folder: trees('title') });
  const collector = new IssueCollector();
  compileRead(older.operations.get('keep')!.input, reader)(trees('title'), collector);
  expect(collector.issues).toEqual([]);
});

/** Every version accepts and returns the members that its public description has, with values of their types. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Schema } from '../../src/contract/schema.ts';
import { contractOf } from '../../src/contract/service.ts';
import { walk } from '../../src/contract/walk.ts';
import { createProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { facts, membersOf, sampleOf } from './public-members.ts';

const protocols = createProtocols(services);
const contract = (version: number) => contractOf(services, 'Recurring', version)!;

/** Members of version 12 that the public descriptions of later versions leave out, and that answers have still. */
const ofVersion12: ReadonlySet<string> = new Set([
  'Name.gender',
  'Name.infix',
  'RecurringDetail.acquirer',
  'RecurringDetail.acquirerAccount',
  'RecurringDetail.elv',
  'RecurringDetailsResult.invalidOneclickContracts',
]);

/** Described as always empty in a response. */
const neverReturned: ReadonlySet<string> = new Set(['Card.cvc']);

/** The name of a schema's type in the public descriptions. */
function typeOf(schema: Schema): string {
  return walk<string>(schema, {
    scalar: ({ kind }) => (kind === 'dateTime' ? 'date-time' : kind === 'enum' ? 'string' : kind),
    joined: () => 'string',
    list: (_, item) => `list of ${item}`,
    map: () => 'map',
    object: ({ name }) => name,
  });
}

/** `Card.number: string`, for every member of a schema and its parts. */
function membersIn(schema: Schema): readonly string[] {
  return walk<readonly string[]>(schema, {
    scalar: () => [],
    joined: () => [],
    list: (_, item) => item,
    map: (_, item) => item ?? [],
    object: ({ name: type }, members) =>
      members.flatMap(({ name, field, part }) => [`${type}.${name}: ${typeOf(field.schema)}`, ...part]),
  });
}

/** The same of a public type. */
function publicMembersIn(type: string, version: number): readonly string[] {
  return [...membersOf(type, version)].flatMap(([name, each]) => [
    `${type}.${name}: ${each}`,
    ...publicMembersIn(each.replace(/^list of /, ''), version),
  ]);
}

const isIn = (names: ReadonlySet<string>) => (member: string) => names.has(member.split(':')[0]!);
const sorted = (members: readonly string[]) => [...new Set(members)].sort();

describe.each(facts.versions)('version %i', (version) => {
  const { operations } = contract(version);
  const described = Object.entries(facts.operations).map(([name, [request, response]]) => ({
    name,
    request,
    response,
  }));

  test.each(described)('$name accepts every public member of $request', ({ name, request }) => {
    const operation = operations.get(name)!;
    const body = Buffer.from(JSON.stringify(sampleOf(request, version)));
    const target = { service: contract(version), version, operation };
    const { issues } = protocols.json.decode(body, { type: 'application/json', charset: undefined }, target, {
      query: '',
      headers: {},
    });
    const refused = issues.filter(({ kind }) => kind.name === 'unknownField' || kind.name === 'structure');
    expect(refused).toEqual([]);
  });

  test.each(described)('$name reads the public members of $request as their types', ({ name, request }) => {
    const known = membersIn(operations.get(name)!.input);
    expect(known).toEqual(expect.arrayContaining([...publicMembersIn(request, version)]));
  });

  test.each(described)('$name returns the public members of $response, and no other', ({ name, response }) => {
    const returned = membersIn(operations.get(name)!.output).filter(
      (member) => !isIn(ofVersion12)(member) && !member.startsWith('ELV.'),
    );
    const published = publicMembersIn(response, version).filter((member) => !isIn(neverReturned)(member));
    expect(sorted(returned)).toEqual(sorted(published));
  });
});

test('an operation that is not served is none of those that are described', () => {
  const served = new Set(services.flatMap((each) => [...each.operations.keys()]));
  for (const name of Object.keys(facts.notServed)) expect(served.has(name)).toBe(false);
});

describe('errors', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openGateway();
  });
  afterAll(() => gateway.close());

  const refuse = async (version: number, type: string) => {
    const path = `/pal/servlet/Recurring/v${version}/disable`;
    const headers = { 'content-type': type, ...callers.demo };
    const body = type === 'application/json' ? '{"contract":"NONE"}' : 'contract=NONE';
    return (await gateway.ask({ path, headers, body })).message.body;
  };

  test.each(facts.versions)('version %i has the public members, and invalidFields', async (version) => {
    const error = JSON.parse(await refuse(version, 'application/json')) as Record<string, unknown>;
    const { invalidFields, ...others } = error;
    expect(invalidFields).toHaveLength(3);
    expect(Object.keys(others).sort()).toEqual([...membersOf('ServiceError', version).keys()].sort());
    for (const [name, type] of membersOf('ServiceError', version))
      expect([name, typeof others[name]]).toEqual([name, { integer: 'number', map: 'object' }[type] ?? type]);
  });

  test.each([
    [48, ''],
    [
      49,
      'additionalData.merchantAccount=Invalid+Merchant+Account&additionalData.contract=Invalid+contract' +
        '&additionalData.shopperReference=Required+field+%27shopperReference%27+is+not+provided.&',
    ],
  ])('version %i in FORM', async (version, expected) => {
    const body = await refuse(version, 'application/x-www-form-urlencoded');
    expect(body.replace(/^.*&message=[^&]*&/, '').replace(/invalidFields.*$/, '')).toBe(expected);
  });
});

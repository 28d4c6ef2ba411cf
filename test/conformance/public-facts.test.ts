/** Compares the contracts with the facts of the public descriptions, in both directions; each difference has a reason. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import {
  type EnumSchema,
  type Field,
  type Schema,
  type StringSchema,
  textLengthMax,
} from '../../src/core/contract/schema.ts';
import { contractOf } from '../../src/core/contract/service.ts';
import { services } from '../../src/payments/index.ts';
import {
  type PublicDescription,
  type PublicMember,
  publicDescriptionOf,
  publicDescriptions,
} from '../support/public-facts.ts';

type Side = 'request' | 'response';
type Length = NonNullable<PublicMember['length']>;

/** What a contract has otherwise than the description of its version. */
function differencesFrom(description: PublicDescription): ReadonlySet<string> {
  const { service, version, operations, types } = description;
  const found = new Set<string>();
  const compared = new Set<string>();
  const contract = contractOf(services, service, version);
  const served = new Map([...(contract?.operations.values() ?? [])].map((each) => [publicNameOf(each), each]));
  for (const { name, request, response, query } of operations) {
    const own = served.get(name);
    served.delete(name);
    if (own === undefined) {
      found.add(`${name} is not served`);
      continue;
    }
    const fields = Object.entries(own.input.fields);
    const inQuery = fields.filter(([, field]) => field.in === 'query');
    compareMembers('request', `query of ${name}`, query, Object.fromEntries(inQuery), {});
    const inBody = fields.filter(([, field]) => field.in === undefined || field.in === 'body');
    if (request !== undefined)
      compareMembers(
        'request',
        request,
        types.get(request) ?? [],
        Object.fromEntries(inBody),
        own.input.ignoredMembers,
      );
    for (const [field, { in: place }] of fields)
      if (place === 'header') found.add(`request ${name} has the header ${field}`);
    for (const [field, { in: place }] of Object.entries(own.output.fields))
      if (place === 'header') found.add(`response ${name} has the header ${field}`);
    const answered = Object.entries(own.output.fields).filter(([, field]) => field.in !== 'header');
    compareMembers('response', response, types.get(response) ?? [], Object.fromEntries(answered), {});
  }
  for (const name of served.keys()) found.add(`${name} is not described`);
  return found;

  function compareMembers(
    side: Side,
    type: string,
    described: readonly PublicMember[],
    fields: Readonly<Record<string, Field>>,
    ignored: object,
  ): void {
    const own = new Map(Object.entries(fields).map(([name, field]) => [field.json ?? name, field]));
    for (const member of described) {
      const path = `${side} ${type}.${member.name}`;
      const field = own.get(member.name);
      own.delete(member.name);
      // A description lists members of later versions, too.
      if (field === undefined && (member.since ?? 0) > version) continue;
      if (field === undefined) {
        found.add(Object.hasOwn(ignored, member.name) ? `${path} is ignored` : `${path} is absent`);
        continue;
      }
      if (member.required && !field.required) found.add(`${path} is optional`);
      if (!member.required && field.required && side === 'request') found.add(`${path} is required`);
      compareValues(side, path, member, field.schema);
    }
    for (const name of own.keys()) found.add(`${side} ${type}.${name} is not described`);
  }

  function compareValues(side: Side, path: string, { value, length }: PublicMember, schema: Schema): void {
    const ofPart = (part: string | undefined, own: Schema) =>
      compareValues(side, path, { name: '', required: false, readOnly: false, value: part ?? '' }, own);
    const item = /^\[(.+)\]$/.exec(value)?.[1];
    const entry = /^\{(.+)\}$/.exec(value)?.[1];
    const members = types.get(value);
    switch (schema.kind) {
      case 'list':
        if (!schema.joined) {
          if (item === undefined) found.add(`${path} is a list`);
          else ofPart(item, schema.item);
          return;
        }
        // A set in one text, whose combinations a description may list.
        compareTexts(side, path, value.replace(/(^|[|])[^|]+,[^|]+/g, ''), schema.item);
        return;
      case 'map':
        if (schema.item === undefined) {
          if (entry !== 'string') found.add(`${path} is a map of texts`);
        } else ofPart(entry, schema.item);
        return;
      case 'object': {
        if (members === undefined) {
          found.add(`${path} is an object`);
          return;
        }
        const key = `${side} ${value} ${Object.entries(schema.fields).map(([name]) => name)}`;
        if (compared.has(key)) return;
        compared.add(key);
        compareMembers(side, value, members, schema.fields, schema.ignoredMembers);
        return;
      }
      case 'enum':
        compareTexts(side, path, value, schema);
        return;
      case 'string': {
        if (value === 'time' && schema.pattern !== undefined) return;
        if (value !== 'string') found.add(`${path} is a text`);
        else if (length !== undefined && side === 'request') compareLengths(path, length, schema);
        return;
      }
      case 'integer':
      case 'boolean':
      case 'dateTime': {
        const kind = schema.kind === 'dateTime' ? 'date-time' : schema.kind;
        if (value.split(' ')[0] !== kind) found.add(`${path} is ${kind}`);
        return;
      }
      case 'decimal':
      case 'double':
      case 'date':
      case 'binary':
        found.add(`${path} is ${schema.kind}`);
        return;
      default:
        schema satisfies never;
    }
  }

  /** A request accepts texts of every described length. An empty one counts as absent; a pattern or format says more. */
  function compareLengths(path: string, { min, max }: Length, own: StringSchema): void {
    if (own.pattern !== undefined || own.format !== undefined) return;
    const least = own.min ?? 0;
    const most = own.max ?? textLengthMax;
    if (least > Math.max(1, min) || most < max)
      found.add(`${path} has ${least} to ${most} characters, not ${min} to ${max}`);
  }

  /** A request accepts every described text; a response has no other. */
  function compareTexts(side: Side, path: string, value: string, { values: own, anyCase }: EnumSchema): void {
    if (value === 'string') {
      if (side === 'request') found.add(`${path} is one of ${own.join(', ')}`);
      return;
    }
    const described = value.split('|').filter((each) => each !== '');
    const spelling = (text: string) => (side === 'request' && anyCase ? text.toLowerCase() : text);
    const without = (texts: readonly string[], others: readonly string[]) =>
      texts.filter((each) => !others.map(spelling).includes(spelling(each)));
    const absent = without(described, own);
    const more = without(own, described);
    if (side === 'request' && absent.length > 0) found.add(`${path} is never ${absent.join(', ')}`);
    if (more.length > 0) found.add(`${path} is also ${more.join(', ')}`);
  }
}

/** `POST /disable` */
function publicNameOf({ name, http }: Operation): string {
  return http === undefined ? `POST /${name}` : `${http.method} ${http.path}`;
}

const table = join(import.meta.dirname, '../facts/differences.tsv');
const listed = readFileSync(table, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .slice(1)
  .map((line) => {
    const [service = '', versions = '', difference = '', reason = ''] = line.split('\t');
    return { service, versions: versions.split(',').map(Number), difference, reason };
  });

describe.each(publicDescriptions.map((each) => [`${each.service} v${each.version}`, each] as const))(
  '%s',
  (_, each) => {
    test('differs from its public description only as listed', () => {
      const { service, version } = each;
      const ofVersion = listed.filter((one) => one.service === service && one.versions.includes(version));
      expect([...differencesFrom(each)].sort()).toEqual(ofVersion.map(({ difference }) => difference).sort());
    });
  },
);

test('each difference is listed once, with a reason', () => {
  expect(listed.filter(({ reason }) => reason === '')).toEqual([]);
  const names = listed.map(({ service, versions, difference }) => `${service} ${versions} ${difference}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

describe('control: what is described otherwise is found', () => {
  const description = publicDescriptionOf('Recurring', 68);
  const usual = differencesFrom(description);
  const detail = description.types.get('RecurringDetail')!;
  const [first, ...others] = detail.filter(({ name }) => name !== 'card');
  const card = detail.find(({ name }) => name === 'card')!;
  const added = (...members: readonly PublicMember[]) => {
    const types = new Map([...description.types, ['RecurringDetail', members]]);
    return [...differencesFrom({ ...description, types })].filter((each) => !usual.has(each));
  };

  test.each([
    ['a member that the contract has', [first!, ...others], 'response RecurringDetail.card is not described'],
    ['another type', [...others, first!, { ...card, value: 'boolean' }], 'response RecurringDetail.card is an object'],
    [
      'a member that the contract lacks',
      [...detail, { ...card, name: 'other' }],
      'response RecurringDetail.other is absent',
    ],
    [
      'a required member',
      [...others, first!, { ...card, required: true }],
      'response RecurringDetail.card is optional',
    ],
  ])('%s', (_, members, expected) => {
    expect(added(...members)).toEqual([expected]);
  });

  test('an operation', () => {
    const operations = description.operations.map((each) => ({ ...each, name: each.name.replace('disable', 'stop') }));
    const found = [...differencesFrom({ ...description, operations })].filter((each) => !usual.has(each));
    expect(found).toEqual(expect.arrayContaining(['POST /stop is not served', 'POST /disable is not described']));
  });
});

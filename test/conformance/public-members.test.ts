/** Every version accepts requests with all members of its public description, and its errors have those of the description. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contractOf } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { entryOf, itemOf, violations } from '../support/public-answers.ts';
import { publicDescriptionOf, publicVersionsOf } from '../support/public-facts.ts';

const protocols = createProtocols(services);
const versions = publicVersionsOf('Recurring');
const typesOf = (version: number) => publicDescriptionOf('Recurring', version).types;

/** A value with every member of a type, as JSON has it; an enumeration has its first value. */
function sampleOf(type: string, version: number): unknown {
  const item = itemOf(type);
  if (item !== undefined) return [sampleOf(item, version)];
  if (entryOf(type) !== undefined || type === 'any') return { key: '1' };
  const members = typesOf(version).get(type);
  if (members !== undefined)
    return Object.fromEntries(members.map(({ name, value }) => [name, sampleOf(value, version)]));
  if (type === 'boolean') return true;
  if (type === 'date-time') return '2030-12-31T00:00:00Z';
  return type.startsWith('integer') ? 1 : type === 'string' ? '1' : type.split('|')[0];
}

describe.each(versions)('version %i', (version) => {
  const service = contractOf(services, 'Recurring', version)!;
  // The comparison with the description lists those that are not served.
  const served = publicDescriptionOf('Recurring', version).operations.flatMap(({ name, request }) => {
    const operation = service.operations.get(name.replace('POST /', ''));
    return operation === undefined || request === undefined ? [] : [{ name, operation, request }];
  });

  test.each(served)('$name accepts every public member of $request', ({ operation, request }) => {
    const body = Buffer.from(JSON.stringify(sampleOf(request, version)));
    const target = { service, version, operation };
    const { issues } = protocols.json.decode(body, { type: 'application/json', charset: undefined }, target, {
      query: '',
      headers: {},
    });
    const refused = issues.filter(({ kind }) => kind.name === 'unknownField' || kind.name === 'structure');
    expect(refused).toEqual([]);
  });
});

// The description of version 18 has no errors.
const versionsWithErrors = versions.filter((version) => typesOf(version).has('ServiceError'));

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

  test.each(versionsWithErrors)('version %i has the public members, and invalidFields', async (version) => {
    const error = JSON.parse(await refuse(version, 'application/json')) as Record<string, unknown>;
    const { invalidFields, ...others } = error;
    expect(invalidFields).toHaveLength(3);
    expect(violations('ServiceError', others, typesOf(version))).toEqual([]);
    const members = typesOf(version).get('ServiceError')!;
    expect(Object.keys(others).sort()).toEqual(members.map(({ name }) => name).sort());
  });

  test.each([
    [45, ''],
    [
      46,
      'additionalData.merchantAccount=Invalid+Merchant+Account&additionalData.contract=Invalid+contract' +
        '&additionalData.shopperReference=Required+field+%27shopperReference%27+is+not+provided.&',
    ],
  ])('version %i in FORM', async (version, expected) => {
    const body = await refuse(version, 'application/x-www-form-urlencoded');
    expect(body.replace(/^.*&message=[^&]*&/, '').replace(/invalidFields.*$/, '')).toBe(expected);
  });
});

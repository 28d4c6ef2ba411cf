/** Tests that requests of the public description of the balance platform are accepted, and that answers have its members and types. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { entryOf, itemOf, violations } from '../support/public-answers.ts';
import {
  type PublicDescription,
  type PublicMember,
  publicDescriptionOf,
  publicVersionsOf,
} from '../support/public-facts.ts';
import { type Furnished, furnished } from '../support/seeded-platform.ts';
import { publicExamples } from './public-examples.ts';
import { createStartingResources, type Starting } from './starting-resources.ts';

type Path = readonly string[];

/** Values of members that are more than any text; otherwise a member is the text of its name. */
const samples: Readonly<Record<string, unknown>> = {
  accountHolderId: '{holder}',
  balanceAccountId: '{account}',
  balancePlatform: 'DemoPlatform',
  brand: 'visa',
  brandVariant: 'visadebit',
  country: 'NL',
  currency: 'EUR',
  defaultCurrencyCode: 'EUR',
  email: 'anna@example.com',
  formFactor: 'virtual',
  issuingCountryCode: 'NL',
  nationality: 'NL',
  number: '(0031) 611223344',
  phoneCountryCode: '31',
  primaryBalanceAccount: '{account}',
  salesDayClosingTime: '07:00',
  threeDSecure: 'secureCorporate',
  timeZone: 'Europe/Amsterdam',
  usage: 'multiUse',
};
const dateTime = '2026-11-22T08:00:00+01:00';

/** Required here, and not by the description of version 1. */
const narrower: ReadonlySet<string> = new Set(['Contact.address', 'Contact.name']);

/** Values and requests of the types of a description. */
function samplesOf(types: PublicDescription['types']) {
  return { completeValue, enumeratedRequests };

  /** A value with every member; an enumeration has its first value. */
  function completeValue(type: string, name = ''): unknown {
    const item = itemOf(type);
    if (item !== undefined) return [completeValue(item, name)];
    const entry = entryOf(type);
    if (entry !== undefined) return { issueCard: completeValue(entry, name) };
    const members = types.get(type);
    if (members !== undefined)
      return Object.fromEntries(members.map((each) => [each.name, completeValue(each.value, each.name)]));
    switch (type) {
      case 'boolean':
        return true;
      case 'integer int32':
      case 'integer int64':
        return 1;
      case 'date-time':
        return dateTime;
      default:
        return samples[name] ?? (type === 'string' || type === 'time' ? name : type.split('|')[0]);
    }
  }

  /** Each value of each enumeration, in a request with the required members and those on the way to it. */
  function enumeratedRequests(schema: string): readonly { readonly name: string; readonly body: object }[] {
    return enumerations(schema).flatMap(({ path, values }) =>
      values.map((value) => ({ name: `${path.join('.')} ${value}`, body: leanValue(schema, path, value) as object })),
    );
  }

  function enumerations(
    type: string,
    above: Path = [],
  ): readonly { readonly path: Path; readonly values: readonly string[] }[] {
    return (types.get(type) ?? []).flatMap(({ name, value: memberType }) => {
      const path = [...above, name];
      if (memberType.startsWith('{')) return enumerations(memberType.slice(1, -1), [...path, 'issueCard']);
      // Only the platform sets the members in lists.
      if (memberType.startsWith('[')) return [];
      return memberType.includes('|') ? [{ path, values: memberType.split('|') }] : enumerations(memberType, path);
    });
  }

  /** The member at the path with the value, and required members besides those on the way to it. */
  function leanValue(type: string, [step, ...rest]: Path, value: string): unknown {
    if (step === undefined) return value;
    if (type.startsWith('{')) return { [step]: leanValue(type.slice(1, -1), rest, value) };
    const members = types.get(type) ?? [];
    const chosen = members.filter(({ name, required }) => required || name === step || narrower.has(`${type}.${name}`));
    return Object.fromEntries(
      chosen.map((each) => [each.name, each.name === step ? leanValue(each.value, rest, value) : requiredValue(each)]),
    );
  }

  function requiredValue({ name, value: type }: PublicMember): unknown {
    const members = types.get(type);
    if (members === undefined) return completeValue(type, name);
    return Object.fromEntries(
      members.filter(({ required }) => required).map((each) => [each.name, requiredValue(each)]),
    );
  }
}

let gateway: TestGateway;
let ask: Furnished;
beforeAll(async () => {
  gateway = await openGateway();
  // It checks every answer against the schemas of the description.
  ask = furnished(gateway);
});
afterAll(() => gateway.close());

/** Sends a request with the ids of new resources, and reads the resource that it concerns. */
async function send(asks: string, body: object, starting?: Starting, version = 2) {
  const fill = await createStartingResources(ask, starting);
  const [method = '', path = ''] = fill(asks).split(' ');
  const answer = await ask.ask(method, path, fill(body), { version });
  if (answer.status !== 200) throw new Error(answer.text);
  const { body: later } = await ask.get(method === 'POST' ? `${path}/${answer.body.id}` : path, { version });
  return { answer: answer.body, later, fill };
}

describe('request examples', () => {
  test.each(publicExamples)('$name', async ({ asks, body, effect, starting }) => {
    const { answer, later, fill } = await send(asks, body, starting);
    expect(answer).toMatchObject(fill(effect));
    expect(later).toEqual(answer);
  });
});

interface RequestType {
  readonly schema: string;
  readonly asks: string;
  /** Has no influence on the enumerations. */
  readonly without?: string;
}

const requestTypes: readonly RequestType[] = [
  { schema: 'AccountHolderInfo', asks: 'POST /accountHolders' },
  { schema: 'AccountHolderUpdateRequest', asks: 'PATCH /accountHolders/{holder}' },
  { schema: 'BalanceAccountInfo', asks: 'POST /balanceAccounts' },
  { schema: 'BalanceAccountUpdateRequest', asks: 'PATCH /balanceAccounts/{account}' },
  { schema: 'PaymentInstrumentInfo', asks: 'POST /paymentInstruments', without: 'bankAccount' },
  { schema: 'PaymentInstrumentInfo', asks: 'POST /paymentInstruments', without: 'card' },
  { schema: 'PaymentInstrumentUpdateRequest', asks: 'PATCH /paymentInstruments/{instrument}' },
];

/** Only the platform sets these members, or they are not stored: requests may have them. */
const ignored = new Set([
  ...['allowed', 'allowedLevel', 'allowedSettings', 'problems', 'requestedSettings', 'transferInstruments'],
  ...[
    'verificationStatus',
    'verificationDeadlines',
    'migratedAccountCode',
    'migratedAccountHolderCode',
    'personalData',
  ],
]);

/** A request as answers show it: without ignored members, empty objects and ids, and with a mask for the password. */
function storedPart(request: object): object {
  return JSON.parse(JSON.stringify(request), (name, value) => {
    if (name === '') return value;
    if (ignored.has(name) || (typeof value === 'object' && Object.keys(value).length === 0)) return undefined;
    if (typeof value === 'string' && /^\{\w+\}$/.test(value)) return undefined;
    if (name === 'status') return answeredOtherwise[value] ?? value;
    return name === 'password' ? '******' : value;
  });
}

/** What answers of version 1 have in place of what a request said; the page of the documentation has a table of them. */
const answeredOtherwise: Readonly<Record<string, string>> = {
  blocked: 'Suspended',
  discarded: 'Closed',
  Requested: 'Inactive',
};

/** The form factor of a card never changes. No account holder is inactive. */
const refused = /^PaymentInstrumentUpdateRequest card[.]formFactor |^AccountHolderUpdateRequest status Inactive$/;

describe.each(publicVersionsOf('BalancePlatform'))('version %i', (version) => {
  const { completeValue, enumeratedRequests } = samplesOf(publicDescriptionOf('BalancePlatform', version).types);

  test.each(requestTypes)('$schema with every member, not $without', async ({ schema, asks, without = '' }) => {
    const { [without]: _, ...body } = completeValue(schema) as Readonly<Record<string, unknown>>;
    const request = without === 'bankAccount' ? { ...body, type: 'card' } : body;
    const { answer, later, fill } = await send(asks, request, {}, version);
    expect(answer).toMatchObject(storedPart(fill(request)));
    // In version 1 only the response to a change has the comment.
    const { statusComment, ...others } = answer;
    expect(later).toEqual(version === 1 ? others : answer);
  });

  const enumerated = requestTypes
    .filter(({ without }) => without !== 'card')
    .flatMap(({ schema, asks }) =>
      enumeratedRequests(schema).map((each) => ({ ...each, asks, name: `${schema} ${each.name}` })),
    )
    .filter(({ name }) => !refused.test(name));

  test.each(enumerated)('$name', async ({ name, asks, body }) => {
    const starting: Starting = asks.includes('{holder}') ? { holder: 'alone' } : {};
    const request = withCompanions(name, body);
    const { answer } = await send(asks, request, starting, version);
    expect(answer).toMatchObject(storedPart(request));
  });
});

/** A card requires the type of it, and the other way round; the reason `other` requires a comment. */
function withCompanions(name: string, body: object): object {
  const isCard = /^PaymentInstrumentInfo (card[.]|type card)/.test(name);
  const card = { card: { brand: 'visa', brandVariant: 'visadebit', cardholderName: 'Anna', formFactor: 'virtual' } };
  const comment = { statusComment: 'a comment' };
  return {
    ...(isCard && card),
    ...(name.includes('statusReason') && comment),
    ...body,
    ...(isCard && { type: 'card' }),
  };
}

test('control: what the description does not have is found', () => {
  const { types } = publicDescriptionOf('BalancePlatform', 2);
  const platform = { id: 'DemoPlatform', status: 'Active' };
  expect(violations('BalancePlatform', platform, types)).toEqual([]);
  expect(violations('BalancePlatform', { status: 1, timeZone: 'UTC' }, types)).toEqual([
    '.id is missing',
    '.status is not string',
    '.timeZone is unknown',
  ]);
  expect(
    violations('BalanceAccount', { accountHolderId: 'AH', id: 'BA', status: 'open', balances: [{}] }, types),
  ).toEqual([
    '.status is not active|closed|inactive|suspended',
    '.balances[0].available is missing',
    '.balances[0].balance is missing',
    '.balances[0].currency is missing',
    '.balances[0].reserved is missing',
  ]);
});

test('refusals have the members of problem details, and identify their occurrence', async () => {
  const refusals = [
    await ask.get('/balancePlatforms/DemoPlatform', { who: {} }),
    await ask.get('/balancePlatforms/DemoPlatform', { who: callers.demo }),
    await ask.get('/nothing'),
    await ask.ask('DELETE', '/accountHolders/AH1'),
    await ask.post('/accountHolders', '{'),
    await ask.post('/accountHolders', { legalEntityId: 'LE1', timeZone: 'Mars' }),
    await ask.get('/accountHolders/AH1'),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([401, 403, 404, 405, 400, 422, 422]);
  for (const { body } of refusals) expect(body.instance).toBe(`urn:pspReference:${body.requestId}`);
});

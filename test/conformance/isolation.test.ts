/** Isolation: every id in every path and body, asked for by a stranger; answers that tell nothing, and nothing that changes. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BoundOperation, locationOf } from '../../src/contract/operation.ts';
import { boundOperations } from '../../src/contract/service.ts';
import type { ResourceKind, StoredResource } from '../../src/services/balance-platform/resource.ts';
import { ResourceReader, ResourceRepository } from '../../src/services/balance-platform/store/repository.ts';
import { balancePlatformV2 } from '../../src/services/balance-platform/v2.ts';
import type { Store } from '../../src/store/store.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { overrideRepository } from '../support/override.ts';
import type { ReceivedResponse } from '../support/resources.ts';
import { cardInfo, type Furnished, furnished } from '../support/seeded-platform.ts';

type Subject = ResourceKind | 'platform';

/** The kind of resource that each id of a request names; `undefined`: none that is stored here. */
const subjects: Readonly<Record<string, Subject | undefined>> = {
  accountHolderId: 'accountHolder',
  balanceAccountId: 'balanceAccount',
  balancePlatform: 'platform',
  legalEntityId: undefined,
  paymentInstrumentGroupId: undefined,
  primaryBalanceAccount: 'balanceAccount',
  replacementOfId: 'paymentInstrument',
};

/** By the first word of a path. */
const subjectsOfPaths: Readonly<Record<string, Subject>> = {
  accountHolders: 'accountHolder',
  balanceAccounts: 'balanceAccount',
  balancePlatforms: 'platform',
  paymentInstruments: 'paymentInstrument',
};

type Ids = Readonly<Record<Subject, string>>;

/** A body that is accepted, by the name of the operation; ids in it are put there by the test. */
const bodies: Readonly<Record<string, (own: Ids) => Readonly<Record<string, unknown>>>> = {
  createAccountHolder: () => ({ legalEntityId: 'LE1' }),
  updateAccountHolder: () => ({ description: 'changed' }),
  createBalanceAccount: (own) => ({ accountHolderId: own.accountHolder }),
  updateBalanceAccount: () => ({ description: 'changed' }),
  createPaymentInstrument: (own) => ({
    ...{ type: 'card', issuingCountryCode: 'NL', card: cardInfo, balanceAccountId: own.balanceAccount },
  }),
  updatePaymentInstrument: () => ({ status: 'inactive' }),
  cancelPaymentInstrument: () => ({}),
};

interface Place {
  readonly endpoint: BoundOperation;
  /** The field that holds the id. */
  readonly field: string;
  readonly subject: Subject;
  readonly title: string;
}

const endpoints = boundOperations(balancePlatformV2);

const isId = (name: string): boolean => /Id$/.test(name) || name in subjects;

const places: readonly Place[] = endpoints.flatMap((endpoint) =>
  Object.entries(endpoint.input.fields).flatMap(([field, { schema: shape, ...rest }]): readonly Place[] => {
    const inPath = locationOf({ schema: shape, ...rest }) === 'path';
    const subject = inPath ? subjectsOfPaths[endpoint.http.path.split('/')[1]!] : subjects[field];
    return subject === undefined ? [] : [{ endpoint, field, subject, title: `${endpoint.name} ${field}` }];
  }),
);

const unknown: Ids = {
  accountHolder: 'AH3227C223222H5J4DCLW9VBV',
  balanceAccount: 'BA3227C223222H5J4DCLW9VBV',
  paymentInstrument: 'PI3227C223222H5J4DCLW9VBV',
  platform: 'NoSuchPlatform',
};

/** A whole branch, its instrument inactive, so that everything of it may still be asked for. */
const grow = async (by: Furnished, platform: string): Promise<Ids> => {
  const accountHolder = await by.holder();
  const balanceAccount = await by.account(accountHolder);
  const paymentInstrument = await by.instrument(balanceAccount, { status: 'inactive' });
  return { accountHolder, balanceAccount, paymentInstrument, platform };
};

/** The call with the id in its place, and ids of one's own everywhere else. */
const call = (
  by: Furnished,
  { endpoint, field }: Place,
  id: string,
  own: Ids,
  who = callers.platform,
): Promise<ReceivedResponse> => {
  const subject = subjectsOfPaths[endpoint.http.path.split('/')[1]!]!;
  const inPath = endpoint.http.path.includes(`{${field}}`);
  const path = endpoint.http.path.replace('{id}', inPath ? id : own[subject]);
  const body = bodies[endpoint.name]?.(own);
  return by.ask(endpoint.http.method, path, inPath || body === undefined ? body : { ...body, [field]: id }, { who });
};

const withoutReference = ({ status, text, body }: ReceivedResponse): string =>
  `${status} ${text.replaceAll(body.requestId, 'REFERENCE')}`;

interface World {
  readonly gateway: TestGateway;
  readonly mine: Furnished;
  readonly theirs: Furnished;
  /** Whether the store's defect is at work. */
  readonly defect: { on: boolean };
  close(): Promise<void>;
}

type Change = (store: Store, defect: World['defect']) => Store;

const open = async (change: Change = (store) => store): Promise<World> => {
  const defect = { on: false };
  const gateway = await openGateway({ change: (store) => change(store, defect) });
  return {
    gateway,
    defect,
    mine: furnished(gateway),
    theirs: furnished(gateway, callers.otherPlatform, 'OtherPlatform'),
    close: gateway.close,
  };
};

/** What is wrong with how a stranger is answered there; undefined where nothing is. */
const complaintOf = async ({ mine, theirs, defect }: World, place: Place): Promise<string | undefined> => {
  defect.on = false;
  const own = await grow(mine, 'DemoPlatform');
  const foreign = await grow(theirs, 'OtherPlatform');
  defect.on = true;
  const whole = async () => {
    const paths = ['accountHolders', 'balanceAccounts', 'paymentInstruments'];
    const ids = [foreign.accountHolder, foreign.balanceAccount, foreign.paymentInstrument];
    const responses = await Promise.all(paths.map((path, at) => theirs.get(`/${path}/${ids[at]}`)));
    return responses.map(({ text }) => text).join('\n');
  };
  const before = await whole();
  const asked = await call(mine, place, foreign[place.subject], own);
  const missed = await call(mine, place, unknown[place.subject], own);
  if (missed.status !== 422) return `an unknown id is answered ${missed.text}`;
  if (withoutReference(asked) !== withoutReference(missed)) return `another's id is answered ${asked.text}`;
  if ((await whole()) !== before) return 'something of theirs has changed';
  const good = await call(mine, place, own[place.subject], own);
  return good.status === 200 ? undefined : `one's own id is answered ${good.text}`;
};

let world: World;
beforeAll(async () => {
  world = await open();
});
afterAll(() => world.close());

test('every id of every request is known to this test', () => {
  const names = endpoints.flatMap(({ input }) => Object.entries(input.fields));
  const inBodies = names.filter(([name, field]) => locationOf(field) === 'body' && isId(name)).map(([name]) => name);
  expect([...new Set(inBodies)].filter((name) => !(name in subjects))).toEqual([]);
  expect(places.map(({ title }) => title)).toEqual([
    'createAccountHolder balancePlatform',
    'getAccountHolder id',
    'updateAccountHolder id',
    'updateAccountHolder balancePlatform',
    'updateAccountHolder primaryBalanceAccount',
    'listBalanceAccounts id',
    'createBalanceAccount accountHolderId',
    'getBalanceAccount id',
    'updateBalanceAccount id',
    'updateBalanceAccount accountHolderId',
    'listPaymentInstruments id',
    'getBalancePlatform id',
    'listAccountHolders id',
    'createPaymentInstrument balanceAccountId',
    'createPaymentInstrument replacementOfId',
    'getPaymentInstrument id',
    'updatePaymentInstrument id',
    'updatePaymentInstrument balanceAccountId',
    'cancelPaymentInstrument id',
  ]);
});

describe.each(places)('$title', (place) => {
  test('of another platform is answered like one that does not exist', async () => {
    expect(await complaintOf(world, place)).toBeUndefined();
  });
  test.each([
    ['a credential of the platform without the role', callers.platformWithoutRole, 403, '00_403'],
    ['a credential of the company that acts for merchant accounts', callers.demo, 403, '00_403'],
    ['no credential', callers.anonymous, 401, '00_401'],
    ['a wrong one', callers.wrong, 401, '00_401'],
  ])('is refused with %s', async (_, who, status, errorCode) => {
    const own = await grow(world.mine, 'DemoPlatform');
    const answers = [own, unknown].map((ids) => call(world.mine, place, ids[place.subject], own, who as never));
    const [known, missed] = await Promise.all(answers);
    expect(known!.body).toMatchObject({ status, errorCode });
    expect(withoutReference(known!)).toBe(withoutReference(missed!));
  });
});

test('a list of ones own has nothing of others', async () => {
  const own = await grow(world.mine, 'DemoPlatform');
  const foreign = await grow(world.theirs, 'OtherPlatform');
  for (const path of [
    '/balancePlatforms/DemoPlatform/accountHolders',
    `/accountHolders/${own.accountHolder}/balanceAccounts`,
    `/balanceAccounts/${own.balanceAccount}/paymentInstruments`,
  ]) {
    const { text } = await world.mine.get(`${path}?limit=100`);
    for (const id of Object.values(foreign)) expect(text).not.toContain(id);
  }
});

test('control: a store that takes every id and every platform for one’s own is found out', async () => {
  const anyone = (resources: ResourceReader) => ({
    async findPlatform(platform: string) {
      const found = await resources.findPlatform(platform);
      return found && { ...found, id: 'DemoPlatform' };
    },
    findResource: async <K extends ResourceKind>(
      kind: K,
      _platform: string,
      id: string,
    ): Promise<StoredResource<K> | undefined> =>
      (await resources.findResource(kind, 'DemoPlatform', id)) ?? resources.findResource(kind, 'OtherPlatform', id),
  });
  const broken = await open((store, defect) => ({
    read: (work) => store.read((tx) => work(defect.on ? overrideRepository(tx, ResourceReader, anyone) : tx)),
    write: (work) => store.write((tx) => work(defect.on ? overrideRepository(tx, ResourceRepository, anyone) : tx)),
  }));
  const missed: string[] = [];
  for (const place of places) {
    // The foreign keys of the tables are a second wall: what gets past the first one fails there.
    const found = await complaintOf(broken, place).catch((thrown: Error) => {
      expect(thrown.message).toMatch(/FOREIGN KEY/);
      return thrown.message;
    });
    if (found === undefined) missed.push(place.title);
  }
  await broken.close();
  // Beside whose it is, the account has to be one of the holder's.
  expect(missed).toEqual(['updateAccountHolder primaryBalanceAccount']);
});

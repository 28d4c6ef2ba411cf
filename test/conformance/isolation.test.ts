/** Isolation: every id in every path and body, asked for by a stranger; answers that tell nothing, and nothing that changes. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BoundOperation, locationOf } from '../../src/core/contract/operation.ts';
import { boundOperations } from '../../src/core/contract/service.ts';
import type { ResourceKind, ResourceRecord, StoredResource } from '../../src/payments/balance-platform/resource.ts';
import { ResourceReader, ResourceRepository } from '../../src/payments/balance-platform/store/repository.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import type { Store } from '../../src/stores/store.ts';
import { platformResources } from '../resources/index.ts';
import type { PlatformApi } from '../resources/platform-api.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { overrideRepository } from '../support/override.ts';
import type { ReceivedResponse } from '../support/resources.ts';
import { type Furnished, furnished } from '../support/seeded-platform.ts';

const apis = platformResources.map(({ api }) => api);

/** The kind of resource that each id of a request names; `undefined`: none that is stored here. */
const subjects: Readonly<Record<string, string | undefined>> = {
  balancePlatform: 'platform',
  legalEntityId: undefined,
  paymentInstrumentGroupId: undefined,
  replacedById: undefined,
  sameId: undefined,
  ...Object.fromEntries(apis.flatMap(({ kind, fields }) => fields.map((field) => [field, kind.name]))),
};

/** By the first word of a path. */
const subjectsOfPaths: Readonly<Record<string, string>> = {
  balancePlatforms: 'platform',
  ...Object.fromEntries(apis.map(({ kind, path }) => [path.slice(1), kind.name])),
};

/** By the name of the kind, and of the platform. */
type Ids = Readonly<Record<string, string>>;

const parentOf = ({ kind }: PlatformApi): string => kind.parent?.kind.name ?? 'platform';

/** A body that is accepted; ids in it are put there by the test. */
const bodyOf = (operation: string, own: Ids): object | undefined => {
  const api = apis.find(({ writes }) => operation in writes);
  return api?.writes[operation]?.(own[parentOf(api)]!).body;
};

interface Place {
  readonly endpoint: BoundOperation;
  /** The field that holds the id. */
  readonly field: string;
  readonly subject: string;
  readonly title: string;
}

const endpoints = boundOperations(balancePlatformV2);

const isId = (name: string): boolean => /Id$/.test(name) || name in subjects;

const places: readonly Place[] = endpoints.flatMap((endpoint) =>
  Object.entries(endpoint.input.fields).flatMap(([field, { schema: shape, ...rest }]): readonly Place[] => {
    const inPath = locationOf({ schema: shape, ...rest }) === 'path';
    const subject = inPath ? subjectsOfPaths[endpoint.http.path.split('/')[1]!] : subjects[field];
    // Compared with the resource alone, and never looked for.
    const isReadOnly = endpoint.name === 'updatePaymentInstrument' && field === 'replacementOfId';
    return subject === undefined || isReadOnly
      ? []
      : [{ endpoint, field, subject, title: `${endpoint.name} ${field}` }];
  }),
);

const unknown: Ids = {
  platform: 'NoSuchPlatform',
  ...Object.fromEntries(apis.map(({ kind, unknownId }) => [kind.name, unknownId])),
};

/** One of each kind, of which everything may still be asked for. */
const grow = async (by: Furnished, platform: string): Promise<Ids> => {
  const ids: Record<string, string> = { platform };
  for (const api of apis) ids[api.kind.name] = await by.create(api, ids[parentOf(api)]!, api.changeable);
  return ids;
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
  const path = endpoint.http.path.replace('{id}', inPath ? id : own[subject]!);
  const body = bodyOf(endpoint.name, own);
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
    const responses = await Promise.all(apis.map(({ kind, path }) => theirs.get(`${path}/${foreign[kind.name]}`)));
    return responses.map(({ text }) => text).join('\n');
  };
  const before = await whole();
  const asked = await call(mine, place, foreign[place.subject]!, own);
  const missed = await call(mine, place, unknown[place.subject]!, own);
  if (missed.status !== 422) return `an unknown id is answered ${missed.text}`;
  if (withoutReference(asked) !== withoutReference(missed)) return `another's id is answered ${asked.text}`;
  if ((await whole()) !== before) return 'something of theirs has changed';
  const good = await call(mine, place, own[place.subject]!, own);
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
  const written = ['getBalancePlatform id', ...apis.flatMap(({ ids }) => ids)];
  expect(places.map(({ title }) => title).sort()).toEqual(written.sort());
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
    const answers = [own, unknown].map((ids) => call(world.mine, place, ids[place.subject]!, own, who as never));
    const [known, missed] = await Promise.all(answers);
    expect(known!.body).toMatchObject({ status, errorCode });
    expect(withoutReference(known!)).toBe(withoutReference(missed!));
  });
});

test('a list of ones own has nothing of others', async () => {
  const own = await grow(world.mine, 'DemoPlatform');
  const foreign = await grow(world.theirs, 'OtherPlatform');
  const listed = apis.flatMap((api) => {
    const above = apis.find((each) => each.kind === api.kind.parent?.kind)?.path ?? '/balancePlatforms';
    return api.calls.includes(`get ${above}/{id}${api.path}`) ? [{ api, above }] : [];
  });
  expect(listed).not.toHaveLength(0);
  for (const { api, above } of listed) {
    const { path } = api;
    const { text, status } = await world.mine.get(`${above}/${own[parentOf(api)]}${path}?limit=100`);
    expect(status).toBe(200);
    for (const id of Object.values(foreign)) expect(text).not.toContain(id);
  }
});

test('control: a store that takes every id and every platform for one’s own is found out', async () => {
  const anyone = (resources: ResourceReader) => ({
    async findPlatform(platform: string) {
      const found = await resources.findPlatform(platform);
      return found && { ...found, id: 'DemoPlatform' };
    },
    findResource: async <R extends ResourceRecord>(
      kind: ResourceKind<R>,
      _platform: string,
      id: string,
    ): Promise<StoredResource<R> | undefined> =>
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
  // The account must also be one of the holder's.
  expect(missed).toEqual(['updateAccountHolder primaryBalanceAccount']);
});

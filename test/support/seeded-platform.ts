/** Creates a balance platform with resources through API calls. */

import { boundOperations } from '../../src/core/contract/service.ts';
import { ResourceRepository } from '../../src/payments/balance-platform/store/repository.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import { platformResources } from '../resources/index.ts';
import type { PlatformApi } from '../resources/platform-api.ts';
import { callers } from './fixture.ts';
import type { TestGateway } from './gateway.ts';
import { type Asking, type Headers, type ReceivedResponse, type Resources, resourcesOf } from './resources.ts';

export const cardInfo = Object.freeze({
  brand: 'visa',
  brandVariant: 'visadebit',
  cardholderName: 'Anna van Dijk',
  formFactor: 'virtual',
});

export const cardFor = (balanceAccountId: string, also: object = {}) => ({
  type: 'card',
  issuingCountryCode: 'NL',
  balanceAccountId,
  card: cardInfo,
  ...also,
});

export interface Furnished extends Resources {
  /** Each creates a resource and returns its id; throws where it is refused. */
  holder(also?: object): Promise<string>;
  account(accountHolderId: string, also?: object): Promise<string>;
  instrument(balanceAccountId: string, also?: object): Promise<string>;
  /** Creates any resource. `parent`: the id of the resource above it, or the platform. */
  create(resource: PlatformApi, parent: string, also?: object): Promise<string>;
  /** Creates a resource with new ones above it; returns the ids by kind. */
  branch(resource: PlatformApi): Promise<Readonly<Record<string, string>>>;
  /** Writes a resource directly to the store, bypassing all rules. */
  force(kind: string, id: string, changes: object): Promise<void>;
}

/** By the name of its kind. */
export const apis: ReadonlyMap<string, PlatformApi> = new Map(
  platformResources.map(({ api }) => [api.kind.name, api] as const),
);

/** The operation that creates a resource, by the method and the path of its binding. */
const creationOf = ({ path }: PlatformApi): string =>
  boundOperations(balancePlatformV2).find(({ http }) => http.method === 'POST' && http.path === path)!.name;

/** Creates resources of the platform that `who` acts for. */
export const furnished = (
  gateway: TestGateway,
  who: Headers = callers.platform,
  platform = 'DemoPlatform',
): Furnished => {
  const resources = resourcesOf(gateway);
  /** Sends again what is refused for the moment, as a store may refuse on a busy machine. */
  const made = async (path: string, body: object, attemptsLeft = 5): Promise<string> => {
    const received = await resources.post(path, body, { who });
    if (received.status === 503 && attemptsLeft > 0) return made(path, body, attemptsLeft - 1);
    if (received.status !== 200) throw new Error(received.text);
    return received.body.id;
  };
  const as = (asking: Asking = {}): Asking => ({ who, ...asking });
  const ask = (method: string, path: string, body?: unknown, asking?: Asking): Promise<ReceivedResponse> =>
    resources.ask(method, path, body, as(asking));
  return {
    ask,
    get: (path, asking) => ask('GET', path, undefined, asking),
    post: (path, body, asking) => ask('POST', path, body, asking),
    patch: (path, body, asking) => ask('PATCH', path, body, asking),
    holder: (also = {}) => made('/accountHolders', { legalEntityId: 'LE1', ...also }),
    account: (accountHolderId, also = {}) => made('/balanceAccounts', { accountHolderId, ...also }),
    instrument: (balanceAccountId, also = {}) => made('/paymentInstruments', cardFor(balanceAccountId, also)),
    create: (resource, parent, also = {}) =>
      made(resource.path, { ...resource.writes[creationOf(resource)]!(parent).body, ...also }),
    async branch(resource) {
      const above = resource.kind.parent && apis.get(resource.kind.parent.kind.name)!;
      const ids = above === undefined ? {} : await this.branch(above);
      const parent = above === undefined ? platform : ids[above.kind.name]!;
      return { ...ids, [resource.kind.name]: await this.create(resource, parent) };
    },
    async force(kind, id, changes) {
      await gateway.parts.store.write(async (tx) => {
        const before = (await tx.repository(ResourceRepository).findResource(apis.get(kind)!.kind, platform, id))!;
        const record = { ...before.record, ...changes };
        await tx.repository(ResourceRepository).changeResource({ ...before, revision: before.revision + 1, record });
      });
    },
  };
};

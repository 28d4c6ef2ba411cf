/** The balance platform. */

import { defineActions, defineService, type GatewayService } from '../../backend/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import type { Implementation, OperationHandlers, ReadTransaction } from '../../stores/index.ts';
import { tenants } from '../conventions.ts';
import { platformOperations } from './actions/platforms.ts';
import { balancePlatformHandlers } from './balance-platforms/handlers.ts';
import { platformDataTables } from './data-tables.ts';
import { configurationFormat, createEventCompleter, isResourceEvent, resourceEventType } from './events.ts';
import type { PlatformParts } from './parts.ts';
import { resourceKinds, resources } from './resources.ts';
import { createPlatformRegistry, platformRule } from './store/registry.ts';
import { ResourceReader } from './store/repository.ts';
import { balancePlatforms } from './store/tables.ts';
import { balancePlatformV1 } from './v1.ts';
import { handlersOfV1 } from './v1-handlers.ts';
import { balancePlatformV2 } from './v2.ts';

const handlers: readonly OperationHandlers[] = [balancePlatformHandlers, ...resources.map((each) => each.handlers)];

export const platformImplementation: Implementation = Object.freeze({
  service: balancePlatformV2,
  olderVersions: [balancePlatformV1],
  handlers: new Map([...handlers, handlersOfV1].flatMap((each) => [...each])),
});

/** Balance platforms: account holders, their balance accounts and payment instruments. */
export const balancePlatform: GatewayService<PlatformParts> = defineService({
  contract: balancePlatformV2,
  olderVersions: platformImplementation.olderVersions,
  open: ({ engine, store, context, integrity }) => ({
    store,
    vault: context.vault,
    registry: createPlatformRegistry(engine, context.clock, integrity),
  }),
  bind: () => platformImplementation.handlers,
  tenants,
  grants: [platformRule],
  owner: 'balance-platform',
  tables: [balancePlatforms, ...resourceKinds.map(({ table }) => table)],
  keysOpenStoredData: ({ store, vault }) => store.read((tx) => keysOpenResources(tx, vault)),
  webhookFormats: [configurationFormat],
  async findEndpointFault({ registry }, tenant) {
    const platforms = await registry.listBalancePlatforms();
    return platforms.some(({ company }) => company === tenant)
      ? undefined
      : `${tenant} has no balance platform: add one with triglyph credential balance-platform add`;
  },
  summarizeEvent: (data) =>
    isResourceEvent(data) ? { type: resourceEventType(data), owner: { balancePlatform: data.platform } } : undefined,
  completeEvent: createEventCompleter,
  dataTables: ({ store }) => platformDataTables(store),
  hasGuides: true,
  actions: [
    defineActions({
      subject: 'accounts',
      operations: platformOperations,
      load: async () => (await import('./actions/platform-handlers.ts')).platformActionHandlers,
      loadCommands: async () => (await import('./actions/platform-commands.ts')).platformCommands,
    }),
  ],
  commands: {
    platform: {
      doc: 'prints the resources of a balance platform',
      example: 'triglyph platform show AcmePlatform',
    },
    'credential balance-platform': {
      doc: 'adds, changes and lists balance platforms',
      example: 'triglyph credential balance-platform add Acme AcmePlatform --time-zone Europe/Amsterdam',
    },
  },
});

/** Returns whether the keys are those of the sealed numbers; true if there is none. Throws if one does not open. */
async function keysOpenResources(tx: ReadTransaction, vault: Vault): Promise<boolean> {
  const reader = tx.repository(ResourceReader);
  for (const kind of resourceKinds) {
    const sample = kind.sealed && (await reader.findAny(kind));
    if (sample !== undefined && !kind.sealed?.isKnownTo(sample, vault)) return false;
  }
  return true;
}

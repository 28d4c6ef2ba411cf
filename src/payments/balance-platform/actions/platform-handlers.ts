/** Lists and saves balance platforms, and lists their resources. Account and card numbers of resources are not returned. */
import type { ActionHandlers } from '../../../backend/index.ts';
import { refuse } from '../../../operators/index.ts';
import type { PlatformParts } from '../parts.ts';
import type { ResourceKind } from '../resource.ts';
import { resourceKinds } from '../resources.ts';
import { ResourceReader } from '../store/repository.ts';
import type { platformOperations } from './platforms.ts';

export const platformActionHandlers: ActionHandlers<(typeof platformOperations)[number], PlatformParts> = {
  listBalancePlatforms: async (_, { shared }) => ({ platforms: await shared.registry.listBalancePlatforms() }),

  async saveBalancePlatform(
    { company, id, description, status = 'Active', timeZone = 'Europe/Amsterdam' },
    { shared },
  ) {
    await shared.registry.saveBalancePlatform({ id, company, description, status, timeZone });
    return { id, company };
  },

  showPlatform: ({ platform }, { shared }) =>
    shared.store.read(async (tx) => {
      const reader = tx.repository(ResourceReader);
      if ((await reader.findPlatform(platform)) === undefined)
        refuse(
          `${platform}: there is no such balance platform: \`triglyph credential balance-platform list\` prints them`,
        );
      return { resources: await readResources(platform, reader) };
    }),
};

interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly status: string;
  readonly reference?: string | undefined;
  readonly parent?: string | undefined;
}

/** Returns the resources of a platform, each behind its parent, oldest first, and at most `max` of one parent. */
export function readResources(
  platform: string,
  reader: ResourceReader,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly Resource[]> {
  return readBelow(undefined, undefined, { platform, reader, max });
}

const pageSize = 100;

/** `parentKind` and `parent`: undefined for the platform. */
async function readBelow(
  parentKind: ResourceKind | undefined,
  parent: string | undefined,
  selection: { readonly platform: string; readonly reader: ResourceReader; readonly max: number },
): Promise<readonly Resource[]> {
  const { platform, reader, max } = selection;
  const found: Resource[] = [];
  for (const kind of resourceKinds.filter((each) => each.parent?.kind === parentKind))
    for (let offset = 0; offset < max; offset += pageSize) {
      const limit = Math.min(pageSize, max - offset);
      const page = await reader.listResources({ kind, platform, parent: parent ?? platform }, { offset, limit });
      for (const { record } of page) {
        const { id, status, reference } = record;
        found.push({ kind: kind.name, id, status, reference, parent }, ...(await readBelow(kind, id, selection)));
      }
      if (page.length < pageSize) break;
    }
  return found;
}

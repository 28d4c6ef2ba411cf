/** The resources that tests cover: a file for each kind of the balance platform, and the stored details. Parents come first. */

import { kebabCase } from '../../src/documents/names.ts';
import { resourceKinds } from '../../src/services/balance-platform/resources.ts';
import type { PlatformTestResource } from './platform.ts';
import type { TestResource } from './resource.ts';
import { storedDetail } from './stored-detail.ts';

export const platformResources: readonly PlatformTestResource[] = Object.freeze(
  await Promise.all(resourceKinds.map(({ name }) => read(name))),
);

export const resources: readonly TestResource[] = Object.freeze([storedDetail, ...platformResources]);

async function read(name: string): Promise<PlatformTestResource> {
  const module: Readonly<Record<string, PlatformTestResource>> = await import(`./${kebabCase(name)}.ts`);
  const resource = module[name];
  if (resource === undefined) throw new TypeError(`the file of ${name} in test/resources does not export it`);
  return resource;
}

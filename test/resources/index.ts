/** The resources of the balance platform that tests cover: a file for each kind. Parents come first. */

import { kebabCase } from '../../src/documents/names.ts';
import { resourceKinds } from '../../src/payments/balance-platform/resources.ts';
import type { PlatformTestResource } from './platform.ts';

export const platformResources: readonly PlatformTestResource[] = Object.freeze(
  await Promise.all(resourceKinds.map(({ name }) => read(name))),
);

async function read(name: string): Promise<PlatformTestResource> {
  const module: Readonly<Record<string, PlatformTestResource>> = await import(`./${kebabCase(name)}.ts`);
  const resource = module[name];
  if (resource === undefined) throw new TypeError(`the file of ${name} in test/resources does not export it`);
  return resource;
}

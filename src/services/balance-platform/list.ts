/** One page of a list: one item more is asked for than is given, which tells whether there are others. */

import type { Children, Range, ResourceKind, StoredResource } from './resource.ts';
import { limitUsual } from './schemas.ts';
import type { ResourceReader } from './store/repository.ts';

export interface Page<K extends ResourceKind> {
  readonly items: readonly StoredResource<K>[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export const pageOf = async <K extends ResourceKind>(
  children: Children<K>,
  { offset = 0, limit = limitUsual, status }: { [N in keyof Range]?: Range[N] | undefined },
  resources: ResourceReader,
): Promise<Page<K>> => {
  const found = await resources.listResources(children, { offset, limit: limit + 1, status });
  const isAfterSome = async () =>
    found.length > 0 || (await resources.listResources(children, { offset: 0, limit: 1, status })).length > 0;
  return {
    items: found.slice(0, limit),
    hasNext: found.length > limit,
    hasPrevious: offset > 0 && (await isAfterSome()),
  };
};

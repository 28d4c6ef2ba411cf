/** Reads one page of a list. One item more is read, which shows whether a next page exists. */

import type { Children, Range, ResourceRecord, StoredResource } from './resource.ts';
import { limitUsual } from './schemas.ts';
import type { ResourceReader } from './store/repository.ts';

interface Page<R extends ResourceRecord> {
  readonly items: readonly StoredResource<R>[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export async function readPage<R extends ResourceRecord>(
  children: Children<R>,
  { offset = 0, limit = limitUsual, status }: { [N in keyof Range]?: Range[N] | undefined },
  resources: ResourceReader,
): Promise<Page<R>> {
  const found = await resources.listResources(children, { offset, limit: limit + 1, status });
  const hasAny = async () =>
    found.length > 0 || (await resources.listResources(children, { offset: 0, limit: 1, status })).length > 0;
  return {
    items: found.slice(0, limit),
    hasNext: found.length > limit,
    hasPrevious: offset > 0 && (await hasAny()),
  };
}

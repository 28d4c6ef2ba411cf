/** Creates and changes resources, and checks If-Match. */
import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../contract/problem.ts';
import { platformProblems } from './problems.ts';
import type { Records, ResourceKind, StoredResource } from './resource.ts';
import type { ResourceRepository } from './store/repository.ts';

/** Names a state of a resource (RFC 9110, section 8.8.3). */
export const eTagOf = ({ revision }: Pick<StoredResource, 'revision'>): string => `"${revision}"`;

/** Throws changedMeanwhile where If-Match names other states only; compares strongly (RFC 9110, section 13.1.1). */
export const checkIfMatch = (ifMatch: string | undefined, kept: StoredResource): void => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((tag) => tag.trim());
  if (!named.includes(eTagOf(kept))) throw new Problem(platformProblems.changedMeanwhile);
};

/** A record without the members that say nothing. */
export const emptyToUndefined = <R extends object>(record: R): R =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as R;

type New<K extends ResourceKind> = Omit<StoredResource<K>, 'revision'>;

/** Its first state; undefined where its number is one that was given out before. */
export const createWithNumber = async <K extends ResourceKind>(
  resource: New<K>,
  resources: ResourceRepository,
): Promise<StoredResource<K> | undefined> => {
  const kept = { ...resource, revision: 1, record: emptyToUndefined(resource.record) } as StoredResource<K>;
  return (await resources.addResource(kept)) ? kept : undefined;
};

/** The first state of what has no number. */
export const create = async <K extends ResourceKind>(
  resource: New<K>,
  resources: ResourceRepository,
): Promise<StoredResource<K>> => {
  const kept = await createWithNumber(resource, resources);
  if (kept === undefined) throw new Error('an id was given out twice');
  return kept;
};

/** Its next state; what does not differ is no change. */
export const change = async <K extends ResourceKind>(
  before: StoredResource<K>,
  changes: Partial<Records[K]>,
  resources: ResourceRepository,
): Promise<StoredResource<K>> => {
  const record = emptyToUndefined({ ...before.record, ...changes });
  if (isDeepStrictEqual(record, before.record)) return before;
  const kept = { ...before, record, revision: before.revision + 1 };
  await resources.changeResource(kept);
  return kept;
};

/** The members with a value: what a PATCH leaves out stays as it is. */
export const omitUndefined = <C extends object>(changes: C): { [N in keyof C]?: Exclude<C[N], undefined> } =>
  emptyToUndefined(changes) as { [N in keyof C]?: Exclude<C[N], undefined> };

/** No entries and nothing said of entries are shown alike. */
export const entries = (metadata: Readonly<Record<string, string>> | undefined) =>
  metadata !== undefined && Object.keys(metadata).length === 0 ? undefined : metadata;

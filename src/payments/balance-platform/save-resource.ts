/** Creates and changes resources, and checks If-Match. */
import { isDeepStrictEqual } from 'node:util';
import { describe, Problem, type Transitions } from '../../core/contract/index.ts';
import { platformProblems } from './problems.ts';
import type { ResourceRecord, StoredResource } from './resource.ts';
import type { ResourceRepository } from './store/repository.ts';

type NewResource<R extends ResourceRecord> = Omit<StoredResource<R>, 'revision'>;

/** Saves the first state; returns undefined where its number was issued before. */
export async function createWithNumber<R extends ResourceRecord>(
  resource: NewResource<R>,
  resources: ResourceRepository,
): Promise<StoredResource<R> | undefined> {
  const created = { ...resource, revision: 1, record: withoutUndefined(resource.record) };
  return (await resources.addResource(created)) ? created : undefined;
}

/** Saves the first state of a resource without a number. */
export async function create<R extends ResourceRecord>(
  resource: NewResource<R>,
  resources: ResourceRepository,
): Promise<StoredResource<R>> {
  const created = await createWithNumber(resource, resources);
  if (created === undefined) throw new Error('an id was generated twice');
  return created;
}

/** Saves the next state; without a difference nothing is saved. */
export async function change<R extends ResourceRecord>(
  before: StoredResource<R>,
  changes: Partial<R>,
  resources: ResourceRepository,
): Promise<StoredResource<R>> {
  const record = withoutUndefined({ ...before.record, ...changes });
  if (isDeepStrictEqual(record, before.record)) return before;
  const changed = { ...before, record, revision: before.revision + 1 };
  await resources.changeResource(changed);
  return changed;
}

/** Identifies a state of a resource (RFC 9110, section 8.8.3). */
export function eTagOf({ revision }: Pick<StoredResource, 'revision'>): string {
  return `"${revision}"`;
}

/** Throws changedMeanwhile where If-Match names other states only; compares strongly (RFC 9110, section 13.1.1). */
export function checkIfMatch(ifMatch: string | undefined, resource: StoredResource): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((tag) => tag.trim());
  if (!named.includes(eTagOf(resource))) throw new Problem(platformProblems.changedMeanwhile);
}

/** The members with a value: what a PATCH leaves out stays as it is. */
export function omitUndefined<C extends object>(changes: C): { [N in keyof C]?: Exclude<C[N], undefined> } {
  return withoutUndefined(changes) as { [N in keyof C]?: Exclude<C[N], undefined> };
}

/** An empty text and empty metadata are stored as absent. */
export function emptyToUndefined<V extends string | Readonly<Record<string, string>>>(value: V | undefined) {
  return value !== undefined && Object.keys(value).length === 0 ? undefined : value;
}

function withoutUndefined<R extends object>(record: R): R {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as R;
}

/** Throws illegalMove where the lifecycle has no such transition, and finallyClosed for any change of a closed resource. */
export function checkTransition<R extends ResourceRecord>(
  { kind, record }: StoredResource<R>,
  to: R['status'] | undefined,
): void {
  const from = record.status;
  if (from === 'closed') throw new Problem(platformProblems.finallyClosed);
  const lifecycle: Transitions = kind.lifecycle;
  if (to === undefined || to === from || lifecycle[from]?.[to] !== undefined) return;
  throw new Problem(platformProblems.illegalMove, describe(platformProblems.illegalMove, from, to));
}

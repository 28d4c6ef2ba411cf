/** The keys of records in Redis. A record and the list of pending requests beside it are in one slot of a cluster. */
import type { NewPendingRequest, PendingName } from '../../core/idempotency/index.ts';

/** The keys of a record, and of the list of pending requests and the marker of its slot. */
export interface RecordPlace {
  readonly record: string;
  readonly list: string;
  readonly marker: string;
}

/** So many hash tags spread the records over the nodes of a cluster, and so many lists have all pending requests. */
const tags: readonly string[] = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));

/** The lists of all pending requests. */
export const pendingLists: readonly string[] = tags.map(listOf);

/** The markers of the store: see `RecordMarker`. */
export const markers: readonly string[] = tags.map(markerOf);

/** A request without a key has a record under its own id. */
export function placeOf({ id, recordKey }: PendingName): RecordPlace {
  const name = recordKey ?? `unkeyed ${id}`;
  const tag = tagOf(name);
  return { record: `idem:r1:{${tag}}:${name}`, list: listOf(tag), marker: markerOf(tag) };
}

/** What the list has of a request. None of its parts has a line break: names are single lines, and the rest is made here. */
export function memberOf({ id, recordKey = '', tenant, credential }: NewPendingRequest): string {
  return [id, recordKey, tenant, credential].map((part) => part.replaceAll('\n', ' ')).join('\n');
}

function listOf(tag: string): string {
  return `idem:p1:{${tag}}`;
}

function markerOf(tag: string): string {
  return `idem:m1:{${tag}}`;
}

/** FNV-1a: the same at every gateway and in every release. */
function tagOf(name: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return tags[(hash >>> 24) ^ ((hash >>> 16) & 0xff) ^ ((hash >>> 8) & 0xff) ^ (hash & 0xff)] ?? '00';
}

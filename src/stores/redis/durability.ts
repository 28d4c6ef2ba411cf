/** Finds out whether a Redis keeps what it has confirmed, as a reservation needs where the other server has every request anew. */
import type { Redis } from 'ioredis';
import { StoreUnavailable } from '../errors.ts';
import { parseAddress } from './address.ts';
import type { Copies } from './confirmed-script.ts';
import { reasonOf } from './failure.ts';
import { field, majorVersionMin, mastersOf } from './inspect.ts';
import type { Connection } from './open.ts';

/** With the copies that a reservation needs. */
export interface Durability extends Copies {
  /** Why reservations may be lost, each with its correction. */
  readonly faults: readonly string[];
}

interface DurabilityOptions {
  /** See `parseAddress`. */
  readonly url: string;
  /** Whether the operator answers for settings that the server does not show. */
  readonly isAssumed: boolean;
  /** By default `min-replicas-to-write` of the master. */
  readonly replicas: number | undefined;
}

const names = ['appendonly', 'appendfsync', 'maxmemory-policy', 'min-replicas-to-write'] as const;

type Settings = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** Asks each master. Throws StoreUnavailable where one does not answer. */
export async function inspectDurability(client: Connection, options: DurabilityOptions): Promise<Durability> {
  const nodes = mastersOf(client);
  if (nodes.length === 0) throw new StoreUnavailable('the store in Redis cannot answer now: no master is known');
  try {
    const found = await Promise.all(nodes.map((node) => inspectNode(node, options)));
    const faults = new Set(found.flatMap((each) => each.faults));
    return {
      faults: [...faults],
      replicas: Math.max(...found.map(({ replicas }) => replicas)),
      toFiles: found.every(({ toFiles }) => toFiles),
    };
  } catch (thrown) {
    throw new StoreUnavailable(`the store in Redis cannot answer now: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

async function inspectNode(node: Redis, { url, isAssumed, replicas }: DurabilityOptions): Promise<Durability> {
  const info = await node.info();
  const shown = await readSettings(node);
  return durabilityOf(info, shown, { isSentinel: parseAddress(url).kind === 'sentinel', isAssumed, replicas });
}

/** `shown`: undefined where the server refuses CONFIG GET. */
export function durabilityOf(
  info: string,
  shown: Settings | undefined,
  { isSentinel, isAssumed, replicas: wanted }: Omit<DurabilityOptions, 'url'> & { readonly isSentinel: boolean },
): Durability {
  const [version = 0, minor = 0] = (field(info, 'redis_version') ?? '').split('.').map(Number);
  const hasFile = shown?.appendonly ?? (field(info, 'aof_enabled') === '1' ? 'yes' : 'no');
  const policy = shown?.['maxmemory-policy'] ?? field(info, 'maxmemory_policy');
  const isReplicated = isSentinel || Number(field(info, 'connected_slaves') ?? 0) > 0;
  // INFO has this line only where the setting is 1 or more.
  const atLeast = shown?.['min-replicas-to-write'] ?? (field(info, 'min_slaves_good_slaves') === undefined ? '0' : '1');
  const replicas = Math.max(wanted ?? 0, Number(atLeast));
  // Where the settings are not shown, replicas may well have no file.
  const toFiles = shown !== undefined && (version > 7 || (version === 7 && minor >= 2));
  const faults: string[] = [];
  if (version < majorVersionMin) faults.push(`its version is older than ${majorVersionMin}.0`);
  if (policy !== undefined && policy !== 'noeviction')
    faults.push(`maxmemory-policy is ${policy}, so records may be evicted: set noeviction`);
  // Where the server shows neither, the operator answers for both.
  if (shown === undefined && isAssumed) return { faults, replicas, toFiles };
  if (hasFile !== 'yes') faults.push('appendonly is no, so a restart loses records: set yes');
  if (shown === undefined)
    faults.push(
      'CONFIG GET is refused, so whether appendfsync is always is not known: permit `+config|get`, or set REDIS_STORE_DURABLE=assumed',
    );
  else if (shown.appendfsync !== 'always')
    faults.push(`appendfsync is ${shown.appendfsync}, so a crash loses records: set always`);
  if (isReplicated && Number(atLeast) < 1)
    faults.push(
      'it has replicas, and min-replicas-to-write is 0, so a master that is cut off takes records: set 1 or more',
    );
  return { faults, replicas, toFiles };
}

async function readSettings(node: Redis): Promise<Settings | undefined> {
  try {
    const reply = (await node.config('GET', ...names)) as readonly unknown[];
    const entries = reply.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(reply[at + 1])]] : []));
    return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Settings);
  } catch (thrown) {
    // NOPERM, or a service that has renamed or removed the command.
    if (/^(?:NOPERM|ERR)/.test(reasonOf(thrown))) return undefined;
    throw thrown;
  }
}

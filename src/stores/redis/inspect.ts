/** Checks the version and settings of the Redis servers; the findings are only logged. */
import { Cluster, type Redis } from 'ioredis';
import type { Connection } from './open.ts';

/** The first release with `SET ... NX GET`. */
export const majorVersionMin = 7;

/** Warnings from the INFO of a server. Empty where INFO lacks the fields. */
export function warningsOf(info: string): readonly string[] {
  const version = field(info, 'redis_version');
  const policy = field(info, 'maxmemory_policy');
  const warnings: string[] = [];
  if (version !== undefined && Number.parseInt(version, 10) < majorVersionMin)
    warnings.push(
      `Redis ${version} is too old to refuse duplicates in flight: use ${majorVersionMin}.0 or newer. Until then only the store refuses them.`,
    );
  if (policy !== undefined && policy !== 'noeviction')
    warnings.push(
      `Redis may evict idempotency records (maxmemory-policy ${policy}): set noeviction. Retries stay right, but cost more.`,
    );
  return warnings;
}

/** Asks each master once. Never rejects: a server that does not answer has no warnings. */
export async function inspectServers(client: Connection): Promise<readonly string[]> {
  const answers = await Promise.allSettled(mastersOf(client).map((node) => node.info()));
  return answers.flatMap((each) => (each.status === 'fulfilled' ? warningsOf(each.value) : []));
}

/** The masters that are known now. */
export function mastersOf(client: Connection): readonly Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** A line of INFO. */
export function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:([\\w.-]{1,40})\\r?$`, 'm').exec(info)?.[1];
}

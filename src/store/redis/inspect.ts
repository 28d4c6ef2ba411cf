/** Whether the servers are fit for the gate; what is not is told, and nothing depends on it. */
import { Cluster } from 'ioredis';
import type { Connection } from './open.ts';

/** `SET ... NX GET` is of this release. */
const majorVersionMin = 7;

const field = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:([\\w.-]{1,40})\\r?$`, 'm').exec(info)?.[1];

/** What to mend, from a server's INFO. Empty where there is nothing, or nothing can be told. */
export const adviceOn = (info: string): readonly string[] => {
  const version = field(info, 'redis_version');
  const policy = field(info, 'maxmemory_policy');
  const advice: string[] = [];
  if (version !== undefined && Number.parseInt(version, 10) < majorVersionMin)
    advice.push(
      `Redis ${version} is too old to turn away duplicates: use ${majorVersionMin}.0 or newer. Until then only the journal does.`,
    );
  if (policy !== undefined && policy !== 'noeviction')
    advice.push(
      `Redis may evict idempotency records (maxmemory-policy ${policy}): set noeviction. Retries stay right, but cost more.`,
    );
  return advice;
};

/** Asks each master once; never rejects, and a server that does not tell is not asked again. */
export const inspectServers = async (client: Connection): Promise<readonly string[]> => {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  const told = await Promise.allSettled(nodes.map((node) => node.info()));
  return told.flatMap((each) => (each.status === 'fulfilled' ? adviceOn(each.value) : []));
};

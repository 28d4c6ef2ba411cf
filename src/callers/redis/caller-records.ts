/** Caller records in Redis, for gateways without a database. Each gateway adds what it has recorded in batches. */
import { randomUUID } from 'node:crypto';
import type { RecordCommands } from '../../store/redis/record-commands.ts';
import {
  type CallerUpdate,
  type CallerUse,
  type DayCounts,
  defaultLimits,
  idOf,
  otherOfAll,
  otherOfCredential,
  type RecordedUse,
  type SealedRequest,
  type StoredCallerRecords,
} from '../caller-record.ts';
import type { CallerKeys } from './keys.ts';
import { addScript, deleteScript } from './record-scripts.ts';

/** What the stores of callers share. */
export interface RedisCallerParts {
  readonly commands: Pick<RecordCommands, 'run'>;
  readonly keys: CallerKeys;
}

export interface RedisRecordParts extends RedisCallerParts {
  /** How long records live after the last use of any of them, and counts after their day. */
  readonly lifeMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Fields of one command. */
const fieldsMax = 500;
/** Records that one script deletes. */
const deletedMax = 500;

/** Returns the caller records of a Redis. Its methods throw StoreUnavailable. */
export function createRedisCallerRecords(
  { commands, keys, lifeMs }: RedisRecordParts,
  limits = defaultLimits,
): StoredCallerRecords {
  const recordKeys = [keys.records, keys.lastUses, keys.requests, keys.credentials];
  const fieldsOf = async (key: string, fields: readonly string[]): Promise<readonly (string | null)[]> => {
    const found: (string | null)[] = [];
    for (let from = 0; from < fields.length; from += fieldsMax)
      found.push(...(await commands.run((client) => client.hmget(key, ...fields.slice(from, from + fieldsMax)))));
    return found;
  };
  const daysOf = (from: number | string, to: number | string): Promise<readonly number[]> =>
    commands.run(async (client) => (await client.zrangebyscore(keys.days, from, to)).map(Number));
  return Object.freeze<StoredCallerRecords>({
    async add(updates) {
      if (updates.length === 0) return;
      const days = [...new Set(updates.flatMap((update) => update.days.map(({ day }) => day)))];
      const touched = [...recordKeys, keys.days, keys.batch(randomUUID()), ...days.map(keys.day)];
      const described = JSON.stringify(updates.map((update) => describeUpdate(update, days)));
      const parameters = [limits.max, limits.perCredential, lifeMs, JSON.stringify(days), described];
      await commands.run((client) => client.eval(addScript, touched.length, ...touched, ...parameters));
    },
    async listUses(since) {
      const scores = await commands.run((client) => client.zrangebyscore(keys.lastUses, since, '+inf', 'WITHSCORES'));
      const lastUses = scores.flatMap((id, at) => (at % 2 === 0 ? [{ id, lastUsedAt: Number(scores[at + 1]) }] : []));
      const texts = await fieldsOf(
        keys.records,
        lastUses.map(({ id }) => id),
      );
      // A record may have been deleted meanwhile.
      return lastUses
        .flatMap((each, at) => (texts[at] == null ? [] : [{ ...each, ...parseRecord(texts[at]) }]))
        .toSorted((one, other) => other.lastUsedAt - one.lastUsedAt || (one.id < other.id ? -1 : 1));
    },
    async listDays(records, since) {
      const ids = records.map(({ id }) => id);
      const found = new Map<string, DayCounts[]>();
      for (const day of await daysOf(Math.floor(since / dayMs), '+inf'))
        for (const [at, text] of (await fieldsOf(keys.day(day), ids)).entries()) {
          const id = ids[at];
          if (text === null || id === undefined) continue;
          const counts = found.get(id) ?? [];
          counts.push(parseCounts(day, text));
          found.set(id, counts);
        }
      return found;
    },
    async findUse(id) {
      const text = await commands.run((client) => client.hget(keys.records, id));
      return text === null ? undefined : parseRecord(text).use;
    },
    async hasCredential(credential) {
      const owners = await commands.run((client) => client.hkeys(keys.credentials));
      return owners.some((owner) => owner.slice(owner.indexOf('\n') + 1) === credential);
    },
    async findRequest(id) {
      const text = await commands.run((client) => client.hget(keys.requests, id));
      return text === null ? undefined : (JSON.parse(text) as SealedRequest);
    },
    async deleteBefore(moment) {
      for (const day of await daysOf('-inf', `(${Math.floor(moment / dayMs)}`))
        await commands.run(async (client) => {
          await client.del(keys.day(day));
          await client.zrem(keys.days, day);
        });
      for (;;) {
        const parameters = [moment, deletedMax];
        const deleted = await commands.run((client) =>
          client.eval(deleteScript, recordKeys.length, ...recordKeys, ...parameters),
        );
        if (Number(deleted) < deletedMax) return;
      }
    },
  });
}

/** What the script reads of an update. `days`: in the order of their keys. */
function describeUpdate(update: CallerUpdate, days: readonly number[]) {
  const { id, use, firstUsedAt, lastUsedAt, lastOutcome, request } = update;
  return {
    ...describeUse(use, id),
    first: firstUsedAt,
    last: lastUsedAt,
    outcome: lastOutcome,
    request: request && JSON.stringify(request),
    counts: update.days.map(({ day, succeeded, refused, failed, switchedOff, exempt }) => ({
      key: days.indexOf(day) + 1,
      counts: [succeeded, refused, failed, switchedOff, exempt],
    })),
    otherOfCredential: describeUse(otherOfCredential(use)),
    otherOfAll: describeUse(otherOfAll),
  };
}

function describeUse(use: CallerUse, id = idOf(use)) {
  return { id, use: JSON.stringify({ ...use, version: use.version ?? null }) };
}

function parseRecord(text: string): Pick<RecordedUse, 'firstUsedAt' | 'lastOutcome' | 'use'> {
  const [first = '', lastOutcome = '', use = ''] = text.split('\n', 3);
  const { version, ...names } = JSON.parse(use) as CallerUse & { readonly version: number | null };
  return { firstUsedAt: Number(first), lastOutcome, use: { ...names, version: version ?? undefined } };
}

function parseCounts(day: number, text: string): DayCounts {
  const [succeeded = 0, refused = 0, failed = 0, switchedOff = 0, exempt = 0] = text.split(' ').map(Number);
  return { day, succeeded, refused, failed, switchedOff, exempt };
}

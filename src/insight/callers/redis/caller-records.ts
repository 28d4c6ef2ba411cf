/** Caller records in Redis, for gateways without a database. Each gateway adds what it has recorded in batches. */
import { randomUUID } from 'node:crypto';
import type { RecordCommands } from '../../../stores/redis/index.ts';
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

/** The scripts change a record and all that counts it at once. KEYS: 1 records, 2 last uses, 3 last requests, 4 numbers of records by credential; see `createCallerKeys`. */
const scriptHead = `
local function integer(number) return string.format('%.0f', number) end
local function owner_of(use)
  local decoded = cjson.decode(use)
  return decoded.tenant .. '\\n' .. decoded.credential
end
`;

/**
 * Adds updates. KEYS: 5 days, 6 batch, then a hash of counts for each day. ARGV: records at most, of one credential at most, ms to live, days
 * as JSON in the order of their keys, updates as JSON. A batch that was added is not added again.
 */
const addScript = `${scriptHead}
if not redis.call('SET', KEYS[6], '', 'NX', 'PX', 60000) then return 0 end
local max, max_of_credential, life_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local total = redis.call('HLEN', KEYS[1])

local function target_of(update)
  if redis.call('HEXISTS', KEYS[1], update.id) == 1 or update.id == update.otherOfAll.id then return update end
  local count = tonumber(redis.call('HGET', KEYS[4], owner_of(update.use)) or '0')
  if count >= max_of_credential then return update.otherOfCredential end
  if total >= max then return update.otherOfAll end
  total = total + 1
  return update
end

local function save(id, use, update)
  local first, last, outcome = update.first, update.last, update.outcome
  local known = redis.call('HGET', KEYS[1], id)
  if known then
    local known_first, known_outcome = string.match(known, '^(%d+)\\n([^\\n]*)\\n')
    local known_last = tonumber(redis.call('ZSCORE', KEYS[2], id))
    first = math.min(first, tonumber(known_first))
    if known_last > last then last, outcome = known_last, known_outcome end
  else
    redis.call('HINCRBY', KEYS[4], owner_of(use), 1)
  end
  redis.call('HSET', KEYS[1], id, integer(first) .. '\\n' .. outcome .. '\\n' .. use)
  redis.call('ZADD', KEYS[2], integer(last), id)
end

local function count(id, key, more)
  local sums, known = {}, string.gmatch(redis.call('HGET', key, id) or '', '%d+')
  for at, each in ipairs(more) do sums[at] = integer(tonumber(known() or '0') + each) end
  redis.call('HSET', key, id, table.concat(sums, ' '))
end

for _, update in ipairs(cjson.decode(ARGV[5])) do
  local target = target_of(update)
  save(target.id, target.use, update)
  if update.request and target == update then redis.call('HSET', KEYS[3], update.id, update.request) end
  for _, each in ipairs(update.counts) do count(target.id, KEYS[6 + each.key], each.counts) end
end
for at, day in ipairs(cjson.decode(ARGV[4])) do
  redis.call('ZADD', KEYS[5], day, day)
  redis.call('PEXPIRE', KEYS[6 + at], life_ms)
end
for at = 1, 5 do redis.call('PEXPIRE', KEYS[at], life_ms) end
return 1
`;

/** Deletes records that were last used before a moment. ARGV: the moment, records at most. Returns their number. */
const deleteScript = `${scriptHead}
local ids = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  local known = redis.call('HGET', KEYS[1], id)
  local owner = owner_of(string.match(known, '^%d+\\n[^\\n]*\\n(.*)$'))
  if redis.call('HINCRBY', KEYS[4], owner, -1) <= 0 then redis.call('HDEL', KEYS[4], owner) end
  redis.call('HDEL', KEYS[1], id)
  redis.call('HDEL', KEYS[3], id)
  redis.call('ZREM', KEYS[2], id)
end
return #ids
`;

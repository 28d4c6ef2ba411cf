/**
 * The Lua scripts of idempotency records in Redis. Each touches one record and the list of pending requests of its slot, and compares what it
 * expects before it changes anything. Each may be sent again: it then finds its own work. Times are those of Redis.
 *
 * KEYS[1] record: a hash while its request is pending, then a text with a time to live. KEYS[2] pending requests: a sorted set by the time
 * from which each is unknown, negative for those that were reported.
 */

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
local function kind() return redis.call('TYPE', KEYS[1]).ok end
local function state(in_flight, repeatable)
  if tonumber(in_flight) > now then return 'inFlight' end
  if tonumber(repeatable) > now then return 'repeatable' end
  return 'unknown'
end
`;

/** `{'D', text, ms to live}`, or `{'P', request hash, id, attempt, state, ms since it was in flight, upstream}`. */
const record = `
local function record(found)
  if found == 'string' then return {'D', redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])} end
  local row = redis.call('HMGET', KEYS[1], 'hash', 'id', 'attempt', 'inFlight', 'repeatable', 'upstream')
  return {'P', row[1], row[2], row[3], state(row[4], row[5]), now - row[4], row[6]}
end
`;

/** Returns the record; nil where there is none. */
const find = `${now}${record}
local found = kind()
if found == 'none' then return false end
return record(found)
`;

/** Returns the fields of a pending request, its state, and for how long it has not been in flight; nil for another record. */
const show = `${now}
if kind() ~= 'hash' then return false end
local row = redis.call('HGETALL', KEYS[1])
local times = redis.call('HMGET', KEYS[1], 'inFlight', 'repeatable')
row[#row + 1] = 'state'
row[#row + 1] = state(times[1], times[2])
row[#row + 1] = 'idle'
row[#row + 1] = text(now - times[1])
return row
`;

/**
 * Adds a record with its pending request. ARGV: id, ms in flight, ms repeatable, member of the list, epoch of the marker or an empty text, the
 * count that the marker must have reached, then names and values of fields. KEYS[3] marker. Returns the new count of the marker (1 without an
 * epoch), the record that another request has, or 0 where the marker is missing or behind.
 */
const reserve = `
if #KEYS == 0 then return 1 end
${now}${record}
local found = kind()
if found == 'hash' then
  local row = redis.call('HMGET', KEYS[1], 'id', 'attempt')
  if row[1] == ARGV[1] and row[2] == ARGV[1] then return 1 end
end
if found ~= 'none' then return record(found) end
local count = 1
if ARGV[5] ~= '' then
  count = redis.call('HINCRBY', KEYS[3], ARGV[5], 1)
  if count <= tonumber(ARGV[6]) then
    if count == 1 then redis.call('HDEL', KEYS[3], ARGV[5]) else redis.call('HINCRBY', KEYS[3], ARGV[5], -1) end
    return 0
  end
end
local in_flight = now + ARGV[2]
local repeatable = now + ARGV[3]
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'attempt', ARGV[1], 'startedAt', text(now), 'inFlight', text(in_flight),
  'repeatable', text(repeatable), 'member', ARGV[4], unpack(ARGV, 7))
redis.call('ZADD', KEYS[2], text(math.max(in_flight, repeatable)), ARGV[4])
return count
`;

/** ARGV: id, attempt, attempt that takes over, ms in flight. Returns 0 where another request has done so, or the request is in flight. */
const takeOver = `${now}
if kind() ~= 'hash' then return 0 end
local row = redis.call('HMGET', KEYS[1], 'id', 'attempt', 'inFlight', 'repeatable', 'member')
if row[1] ~= ARGV[1] then return 0 end
if row[2] == ARGV[3] then return 1 end
if row[2] ~= ARGV[2] or tonumber(row[3]) > now then return 0 end
local in_flight = now + ARGV[4]
redis.call('HSET', KEYS[1], 'attempt', ARGV[3], 'inFlight', text(in_flight))
redis.call('HDEL', KEYS[1], 'failure')
redis.call('ZADD', KEYS[2], text(math.max(in_flight, tonumber(row[4]))), row[5])
return 1
`;

/** ARGV: id, attempt, failure. The request of this attempt is no longer in flight. */
const leave = `${now}
if kind() ~= 'hash' then return 0 end
local row = redis.call('HMGET', KEYS[1], 'id', 'attempt', 'repeatable', 'member')
if row[1] ~= ARGV[1] or row[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'inFlight', text(now), 'failure', ARGV[3])
redis.call('ZADD', KEYS[2], text(math.max(now, tonumber(row[3]))), row[4])
return 1
`;

/**
 * Removes a pending request. ARGV: id, attempt or an empty text for any, `idle` where it must not be in flight, ms to live of the record,
 * outcome. Without an outcome, the record is removed, too. Returns 0 where there is no such request.
 */
const settle = `${now}
if kind() ~= 'hash' then return 0 end
local row = redis.call('HMGET', KEYS[1], 'id', 'attempt', 'inFlight', 'member', 'hash', 'operation', 'startedAt')
if row[1] ~= ARGV[1] or (ARGV[2] ~= '' and row[2] ~= ARGV[2]) then return 0 end
if ARGV[3] == 'idle' and tonumber(row[3]) > now then return 0 end
redis.call('ZREM', KEYS[2], row[4])
redis.call('DEL', KEYS[1])
if ARGV[5] ~= '' and row[5] ~= '' then
  redis.call('SET', KEYS[1], table.concat({row[5], row[6], row[1], row[7], ARGV[5]}, '\\n'), 'PX', ARGV[4])
end
return 1
`;

/** ARGV: member of the list. Returns 1 where the request is unknown and was not reported, and it is from now on. Removes a member without a request. */
const report = `${now}
local row = redis.call('HMGET', KEYS[1], 'member', 'inFlight', 'repeatable')
if row[1] ~= ARGV[1] then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 0
end
local score = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
if score < 0 or state(row[2], row[3]) ~= 'unknown' then return 0 end
redis.call('ZADD', KEYS[2], text(-math.max(row[2], row[3])), ARGV[1])
return 1
`;

/** Returns the number of unknown requests of a slot. KEYS[1] pending requests. */
const countUnknown = `
local time = redis.call('TIME')
return redis.call('ZCOUNT', KEYS[1], '-inf', time[1] * 1000 + math.floor(time[2] / 1000))
`;

/** The process that answers, and the history that it had before it was promoted. */
const identity = `
local function identity()
  local server = string.match(redis.call('INFO', 'server'), 'run_id:([%w.-]+)') or ''
  return server .. ':' .. (string.match(redis.call('INFO', 'replication'), 'master_replid2:([%w.-]+)') or '')
end
`;

/** KEYS markers, ARGV `1` to name the server. Returns the server, then the epoch, the examined server and the count of each marker. */
const readMarkers = `${identity}
local found = {ARGV[1] == '1' and identity() or ''}
for _, key in ipairs(KEYS) do
  local marker = redis.call('HMGET', key, 'epoch', 'server')
  found[#found + 1] = marker[1] or ''
  found[#found + 1] = marker[2] or ''
  found[#found + 1] = marker[1] and redis.call('HGET', key, marker[1]) or '0'
end
return found
`;

/**
 * Changes markers. ARGV: change, epoch. `create` adds those that are missing, with the epoch. `trust` names the server in those of the epoch.
 * `lose` replaces those of the epoch, and those that are missing, by one that no gateway accepts. `accept` replaces all by new ones. Returns
 * the epoch of the first.
 */
const mark = `${identity}
local server = identity()
for _, key in ipairs(KEYS) do
  local epoch = redis.call('HGET', key, 'epoch')
  if ARGV[1] == 'trust' then
    if epoch == ARGV[2] then redis.call('HSET', key, 'server', server) end
  elseif ARGV[1] == 'lose' then
    if not epoch or epoch == ARGV[2] then
      redis.call('DEL', key)
      redis.call('HSET', key, 'epoch', 'lost', 'server', server)
    end
  elseif ARGV[1] == 'accept' or not epoch then
    redis.call('DEL', key)
    redis.call('HSET', key, 'epoch', ARGV[2], 'server', server, ARGV[2], '1')
  end
end
return redis.call('HGET', KEYS[1], 'epoch')
`;

/** By the names of their commands. */
export const recordScripts = Object.freeze({
  recordFind: { lua: find, numberOfKeys: 1, readOnly: true },
  recordShow: { lua: show, numberOfKeys: 1, readOnly: true },
  recordReserve: { lua: reserve, numberOfKeys: 3 },
  recordTakeOver: { lua: takeOver, numberOfKeys: 2 },
  recordLeave: { lua: leave, numberOfKeys: 2 },
  recordSettle: { lua: settle, numberOfKeys: 2 },
  recordReport: { lua: report, numberOfKeys: 2 },
  pendingUnknown: { lua: countUnknown, numberOfKeys: 1, readOnly: true },
  recordMarkers: { lua: readMarkers, readOnly: true },
  recordMark: { lua: mark },
});

/** The commands that the scripts add to the client. */
export interface RecordScripted {
  recordFind(record: string): Promise<unknown>;
  recordShow(record: string): Promise<unknown>;
  recordReserve(record: string, list: string, marker: string, ...parameters: readonly string[]): Promise<unknown>;
  recordTakeOver(record: string, list: string, id: string, attempt: string, by: string, ms: number): Promise<unknown>;
  recordLeave(record: string, list: string, id: string, attempt: string, failure: string): Promise<unknown>;
  recordSettle(
    record: string,
    list: string,
    id: string,
    attempt: string,
    condition: 'any' | 'idle',
    lifeMs: number,
    outcome: string,
  ): Promise<unknown>;
  recordReport(record: string, list: string, member: string): Promise<unknown>;
  pendingUnknown(list: string): Promise<unknown>;
  recordMarkers(keys: number, ...parameters: readonly string[]): Promise<unknown>;
  recordMark(keys: number, ...parameters: readonly string[]): Promise<unknown>;
}

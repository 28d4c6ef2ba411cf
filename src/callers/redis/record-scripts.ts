/**
 * The Lua scripts of caller records in Redis. A script changes a record and all that counts it at once.
 *
 * KEYS: 1 records, 2 last uses, 3 last requests, 4 numbers of records by credential; see `createCallerKeys`.
 */

const common = `
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
export const addScript = `${common}
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
export const deleteScript = `${common}
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

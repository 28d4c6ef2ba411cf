/** The Lua scripts that reserve and release a key atomically. Each has one key, so a cluster runs them too. */

/**
 * KEYS[1] entry, ARGV[1] pending value, ARGV[2] lease in ms, ARGV[3] bytes of the longest entry.
 * Returns `{'N'}` where the key is now reserved; otherwise `{'O', the value, its ms to live}`. A value that is too long is
 * returned as an empty text.
 */
const reserve = `
local there = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if not there then return {'N'} end
if #there > tonumber(ARGV[3]) then there = '' end
return {'O', there, redis.call('PTTL', KEYS[1])}
`;

/** KEYS[1] entry, ARGV[1] pending value. Removes the entry only while it has this value. */
const release = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/** By the names of their commands. The client sends a script once per connection, then only its hash. */
export const scripts = Object.freeze({
  idemReserve: { lua: reserve, numberOfKeys: 1 },
  idemRelease: { lua: release, numberOfKeys: 1 },
});

/** The commands that the scripts add to the client. */
export interface Scripted {
  idemReserve(key: string, pending: string, leaseMs: number, entryBytesMax: number): Promise<unknown>;
  idemRelease(key: string, pending: string): Promise<unknown>;
}

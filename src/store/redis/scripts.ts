/** What Redis runs for the gate in one step: taking a record, and giving it up. One key each, so a cluster runs them too. */

/**
 * KEYS[1] record, ARGV[1] pending value, ARGV[2] lease in ms, ARGV[3] bytes of the longest record.
 * `{'N'}` where it was taken; otherwise `{'O', what is there, its ms to live}`. What is too long is not sent over.
 */
const claim = `
local there = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if not there then return {'N'} end
if #there > tonumber(ARGV[3]) then there = '' end
return {'O', there, redis.call('PTTL', KEYS[1])}
`;

/** KEYS[1] record, ARGV[1] token. Removes the record only while it is pending under this token. */
const release = `
local there = redis.call('GET', KEYS[1])
if there and there == 'P:' .. string.sub(there, 3, 45) .. ':' .. ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/** By the names they are called by; sent once per connection, then named by their hash. */
export const scripts = Object.freeze({
  idemClaim: { lua: claim, numberOfKeys: 1 },
  idemRelease: { lua: release, numberOfKeys: 1 },
});

/** What the client can do once the scripts are defined. */
export interface Scripted {
  idemClaim(key: string, pending: string, leaseMs: number, recordBytesMax: number): Promise<unknown>;
  idemRelease(key: string, token: string): Promise<unknown>;
}

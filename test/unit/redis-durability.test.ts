/** What makes a Redis lose reservations, by its INFO and CONFIG GET. */
import { expect, test } from '@jest/globals';
import { durabilityOf } from '../../src/stores/redis/durability.ts';

const info = ({ version = '7.0.15', replicas = 0, file = 1, policy = 'noeviction', good = '' } = {}): string =>
  [
    `redis_version:${version}`,
    `aof_enabled:${file}`,
    `maxmemory_policy:${policy}`,
    `connected_slaves:${replicas}`,
    ...(good === '' ? [] : [`min_slaves_good_slaves:${good}`]),
    '',
  ].join('\r\n');
const durable = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
  'min-replicas-to-write': '0',
};
const options = { isSentinel: false, isAssumed: false, replicas: undefined };

test.each([
  ['a durable server', info(), durable, options, []],
  ['no file', info(), { ...durable, appendonly: 'no' }, options, [/appendonly is no/]],
  ['a file of every second', info(), { ...durable, appendfsync: 'everysec' }, options, [/set always/]],
  ['eviction', info(), { ...durable, 'maxmemory-policy': 'allkeys-lru' }, options, [/set noeviction/]],
  ['an old server', info({ version: '6.2.1' }), durable, options, [/older than 7/]],
  ['a replica that writes do not wait for', info({ replicas: 1 }), durable, options, [/min-replicas-to-write is 0/]],
  [
    'a Sentinel set without a replica now',
    info(),
    durable,
    { ...options, isSentinel: true },
    [/min-replicas-to-write/],
  ],
  ['settings that nobody sees', info(), undefined, options, [/REDIS_STORE_DURABLE=assumed/]],
  ['settings that the operator knows', info({ file: 0 }), undefined, { ...options, isAssumed: true }, []],
  [
    'visible faults are faults, whatever is assumed',
    info(),
    { ...durable, appendfsync: 'no' },
    { ...options, isAssumed: true },
    [/set always/],
  ],
  [
    'eviction is seen in INFO',
    info({ policy: 'volatile-ttl' }),
    undefined,
    { ...options, isAssumed: true },
    [/set noeviction/],
  ],
])('%s', (_, text, shown, given, expected) => {
  const { faults } = durabilityOf(text, shown, given);
  expect(faults).toHaveLength(expected.length);
  for (const [at, pattern] of expected.entries()) expect(faults[at]).toMatch(pattern);
});

test('so many replicas must have a reservation as the master wants, or the setting', () => {
  const two = { ...durable, 'min-replicas-to-write': '2' };
  expect(durabilityOf(info({ replicas: 2 }), two, options)).toEqual({ faults: [], replicas: 2, toFiles: false });
  expect(durabilityOf(info({ replicas: 2 }), two, { ...options, replicas: 3 }).replicas).toBe(3);
  expect(durabilityOf(info({ replicas: 2, good: '2' }), undefined, { ...options, isAssumed: true }).replicas).toBe(1);
});

test('replicas confirm with their files from 7.2 on, where the settings are shown', () => {
  const confirms = (version: string, shown: typeof durable | undefined) =>
    durabilityOf(info({ version }), shown, { ...options, isAssumed: true }).toFiles;
  for (const version of ['7.2.4', '7.10.0', '8.0.1']) expect(confirms(version, durable)).toBe(true);
  for (const version of ['7.0.15', '7.1.9']) expect(confirms(version, durable)).toBe(false);
  expect(confirms('8.0.1', undefined)).toBe(false);
});

/** Tests the entries in Redis and the settings of the connection. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Address, parseAddress } from '../../src/stores/redis/address.ts';
import { done, entryBytesMax, keyOf, parseEntry, printPending } from '../../src/stores/redis/cache.ts';
import { reasonOf } from '../../src/stores/redis/failure.ts';
import { warningsOf } from '../../src/stores/redis/inspect.ts';
import { readConfig } from '../support/services.ts';

const token = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const printed = printPending('0123456789abcdef');

describe('an entry', () => {
  test('has the agreed form', () => {
    expect(keyOf(createHmac('sha256', 'a key').update('a scope').digest('base64url'))).toMatch(
      /^idem:v2:\{[\w-]{43}\}$/,
    );
    expect(printed).toBe('P:0123456789abcdef');
    expect(done).toBe('D');
    expect(printed.length).toBeLessThanOrEqual(entryBytesMax);
  });
  test('survives a round trip', () => {
    expect(parseEntry(done)).toEqual({ kind: 'done' });
    fc.assert(
      fc.property(token, (ownToken) => {
        expect(parseEntry(printPending(ownToken))).toEqual({ kind: 'pending', token: ownToken });
      }),
    );
  });
  test('with a character added, removed or changed to no digit is invalid', () => {
    fc.assert(
      fc.property(fc.nat(printed.length - 1), fc.string({ maxLength: 2 }), (at, put) => {
        fc.pre(!/^[0-9a-f:P]$/.test(put));
        expect(parseEntry(printed.slice(0, at) + put + printed.slice(at + 1))).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
  test.each<[string, string]>([
    ['nothing', ''],
    ['any text', 'hello'],
    ['a pending one without a token', 'P:'],
    ['a pending one with a token in capitals', 'P:0123456789ABCDEF'],
    ['a pending one with a longer token', 'P:0123456789abcdef0'],
    ['a pending one with a line after it', 'P:0123456789abcdef\n'],
    ['a done one with an outcome', 'D:{}'],
    ['a done one with a line after it', 'D\n'],
    ['another letter', 'E'],
    ['two entries', `${printed}${printed}`],
  ])('rejects %s', (_, text) => expect(parseEntry(text)).toBeUndefined());
});

describe('REDIS_URL', () => {
  const single = { kind: 'single', tls: false, db: 0, hosts: [{ host: 'h', port: 6379 }] };
  const good: [string, object][] = [
    ['redis://h', single],
    ['redis://h/', single],
    ['redis://h:7000/3', { ...single, db: 3, hosts: [{ host: 'h', port: 7000 }] }],
    ['rediss://h', { ...single, tls: true }],
    ['redis://[::1]:7000', { ...single, hosts: [{ host: '::1', port: 7000 }] }],
    ['redis://:p%40ss@h', { ...single, password: 'p@ss' }],
    ['redis://ann:p:w@h', { ...single, username: 'ann', password: 'p:w' }],
    [
      'redis+sentinel://ann:pw@h1:26380,h2/main/2',
      {
        kind: 'sentinel',
        tls: false,
        master: 'main',
        db: 2,
        username: 'ann',
        password: 'pw',
        hosts: [
          { host: 'h1', port: 26380 },
          { host: 'h2', port: 26379 },
        ],
      },
    ],
    [
      'redis+cluster://h1:7000,h2:7001',
      {
        kind: 'cluster',
        tls: false,
        hosts: [
          { host: 'h1', port: 7000 },
          { host: 'h2', port: 7001 },
        ],
      },
    ],
    ['rediss+cluster://h1', { kind: 'cluster', tls: true, hosts: [{ host: 'h1', port: 6379 }] }],
    [
      'rediss+sentinel://h1/main',
      { kind: 'sentinel', tls: true, master: 'main', db: 0, hosts: [{ host: 'h1', port: 26379 }] },
    ],
  ];
  test.each(good)('%s', (url, address) => {
    expect(parseAddress(url)).toEqual(address as Address);
    expect(readConfig('demo', { REDIS_URL: url }).redisUrl).toBe(url);
  });
  test.each([
    'h:6379',
    'http://:top-secret@h',
    'redis://',
    'redis://h1:1,h2:2',
    'redis://h:0',
    'redis://h:65536',
    'redis://h/name',
    'redis://h?password=top-secret',
    'redis://top-secret@h',
    'redis://ann:@h',
    'redis://:%zz-top-secret@h',
    'redis://:top-secret/word@h',
    'redis+sentinel://h1,h2',
    'redis+sentinel://:top-secret@h1,h2/a/b',
    'redis+cluster://h1,,h2',
    'redis+cluster://h1/0',
  ])('rejects %s with a message that shows no password', (url) => {
    let message = '';
    try {
      parseAddress(url);
    } catch (thrown) {
      message = String(thrown);
    }
    expect(message).toMatch(/^Error: REDIS_URL: give redis:/);
    expect(message).not.toMatch(/secret/);
  });
  test('the configuration refuses it without showing the password', () => {
    expect(() => readConfig('demo', { REDIS_URL: 'http://:top-secret@h' })).toThrow(/^REDIS_URL: give redis:/);
    expect(() => readConfig('demo', { REDIS_URL: 'http://:top-secret@h' })).not.toThrow(/secret/);
  });
});

describe('diagnostics', () => {
  test.each<[unknown, string]>([
    [Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6379'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new Error("WRONGPASS invalid username-password pair 'top-secret'"), 'WRONGPASS'],
    [new Error("ERR unknown command 'HELLO', with args beginning with: 'AUTH' 'top-secret'"), 'ERR'],
    [new Error('Command timed out'), 'timeout'],
    [new TypeError('top-secret'), 'TypeError'],
    ['top-secret', 'unknown'],
  ])('name the reason of a failure in one word: %s', (thrown, word) => expect(reasonOf(thrown)).toBe(word));
  const info = (version: string, policy: string) =>
    `# Server\r\nredis_version:${version}\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;
  test('advise on the settings of a server', () => {
    expect(warningsOf(info('7.0.15', 'noeviction'))).toEqual([]);
    expect(warningsOf(info('10.0.0', 'noeviction'))).toEqual([]);
    expect(warningsOf(info('6.2.7', 'noeviction'))).toEqual([expect.stringMatching(/^Redis 6\.2\.7 is too old/)]);
    expect(warningsOf(info('7.2.4', 'allkeys-lru'))).toEqual([expect.stringMatching(/allkeys-lru.*set noeviction/)]);
    expect(warningsOf('')).toEqual([]);
  });
});

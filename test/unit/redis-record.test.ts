/** Tests the records in Redis: they survive a round trip, and any changed character makes them invalid. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readConfig } from '../../src/app/config.ts';
import { type Address, parseAddress } from '../../src/store/redis/address.ts';
import { reasonOf } from '../../src/store/redis/failure.ts';
import { warningsOf } from '../../src/store/redis/inspect.ts';
import { keyOf, parseRecord, printDone, printPending, recordBytesMax } from '../../src/store/redis/record.ts';

const mac = (text: string): string => createHmac('sha256', 'a key').update(text).digest('base64url');
const others = (text: string): string => createHmac('sha256', 'another key').update(text).digest('base64url');

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64url'));
const token = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const outcome = fc.json({ maxDepth: 3 });

const fingerprint = mac('a command');
const key = keyOf(mac('a scope'));
const stored = { requestHash: fingerprint, outcome: '{"pspReference":"8515131751004933","text":"ünï\\n😀"}' };
const printed = printDone(mac, key, stored)!;

describe('a record', () => {
  test('has the agreed form', () => {
    expect(key).toMatch(/^idem:v1:\{[\w-]{43}\}$/);
    expect(printPending(fingerprint, '0123456789abcdef')).toBe(`P:${fingerprint}:0123456789abcdef`);
    expect(printed.slice(0, 46)).toBe(`D:${fingerprint}:`);
    expect(printed.slice(46)).toMatch(/^[\w-]{22}:\{"pspReference"/);
  });
  test('survives a round trip', () => {
    fc.assert(
      fc.property(hash, hash, token, outcome, (scope, print, ownToken, json) => {
        const at = keyOf(scope);
        const done = { requestHash: print, outcome: json };
        expect(parseRecord(mac, at, printDone(mac, at, done)!)).toEqual({ kind: 'done', stored: done });
        const pending = { kind: 'pending', requestHash: print, token: ownToken };
        expect(parseRecord(mac, at, printPending(print, ownToken))).toEqual(pending);
      }),
    );
  });
  test('with a character changed, added or removed is invalid', () => {
    fc.assert(
      fc.property(fc.nat(printed.length - 1), fc.string({ maxLength: 2 }), (at, put) => {
        const text = printed.slice(0, at) + put + printed.slice(at + 1);
        fc.pre(text !== printed);
        expect(parseRecord(mac, key, text)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
  test('is valid only with its own key, request hash and MAC', () => {
    expect(parseRecord(mac, keyOf(mac('another scope')), printed)).toBeUndefined();
    expect(parseRecord(mac, key, printed.replace(fingerprint, mac('another command')))).toBeUndefined();
    expect(parseRecord(mac, key, printDone(others, key, stored)!)).toBeUndefined();
    expect(parseRecord(mac, key, printed)).toEqual({ kind: 'done', stored });
  });
  test.each<[string, string]>([
    ['nothing', ''],
    ['any text', 'hello'],
    ['a pending one without a token', `P:${fingerprint}:`],
    ['a pending one with a token in capitals', `P:${fingerprint}:0123456789ABCDEF`],
    ['a pending one with a longer token', `P:${fingerprint}:0123456789abcdef0`],
    ['a pending one with a line after it', `P:${fingerprint}:0123456789abcdef\n`],
    ['a pending one with a short fingerprint', `P:${fingerprint.slice(1)}:0123456789abcdef`],
    ['a done one without an outcome', `D:${fingerprint}:${mac(`${key}\n${fingerprint}\n`).slice(0, 22)}:`],
    ['a done one without a hash', `D:${fingerprint}::{}`],
    ['another letter', `E${printed.slice(1)}`],
    ['two records', `${printed}${printed}`],
  ])('rejects %s', (_, text) => expect(parseRecord(mac, key, text)).toBeUndefined());
  test('of up to 16 KiB, counted in bytes, is stored; a longer one is neither printed nor read', () => {
    const frame = Buffer.byteLength(printed) - Buffer.byteLength(stored.outcome);
    const most = { requestHash: fingerprint, outcome: `"${'é'.repeat((recordBytesMax - frame - 2) / 2)}"` };
    const longest = printDone(mac, key, most)!;
    expect(recordBytesMax - Buffer.byteLength(longest)).toBeLessThan(2);
    expect(parseRecord(mac, key, longest)).toEqual({ kind: 'done', stored: most });
    const more = { requestHash: fingerprint, outcome: `${most.outcome}  ` };
    expect(printDone(mac, key, more)).toBeUndefined();
    const text = `D:${fingerprint}:${mac(`${key}\n${fingerprint}\n${more.outcome}`).slice(0, 22)}:${more.outcome}`;
    expect(parseRecord(mac, key, text)).toBeUndefined();
  });
  test.each<[string, { requestHash: string; outcome: string }]>([
    ['half a character', { requestHash: fingerprint, outcome: '"\ud800"' }],
    ['no outcome', { requestHash: fingerprint, outcome: '' }],
    ['a fingerprint of another length', { requestHash: 'short', outcome: '{}' }],
  ])('is not printed from %s, which would not survive a round trip', (_, given) => {
    expect(printDone(mac, key, given)).toBeUndefined();
  });
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

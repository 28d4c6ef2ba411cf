/** Finds the special range of addresses: the first and the last one of each range of the registries, and those just outside. */
import { describe, expect, test } from '@jest/globals';
import { specialRangeOf } from '../../src/core/lib/special-addresses.ts';

const networkOf = (address: string) => specialRangeOf(address)?.network;
const outside = '::/0';

/** The network, its first and last address, and what the addresses before and after it are in: a network, or nothing. */
type Row = readonly [
  network: string,
  first: string,
  last: string,
  before?: readonly string[],
  after?: readonly string[],
];

const free = (address: string) => [address] as const;

describe.each<Row>([
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', [], free('1.0.0.0')],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', free('9.255.255.255'), free('11.0.0.0')],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', free('100.63.255.255'), free('100.128.0.0')],
  [
    '100.100.100.200/32',
    '100.100.100.200',
    '100.100.100.200',
    ['100.100.100.199', '100.64.0.0/10'],
    ['100.100.100.201', '100.64.0.0/10'],
  ],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', free('126.255.255.255'), free('128.0.0.0')],
  ['168.63.129.16/32', '168.63.129.16', '168.63.129.16', free('168.63.129.15'), free('168.63.129.17')],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', free('169.253.255.255'), free('169.255.0.0')],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', free('172.15.255.255'), free('172.32.0.0')],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', free('191.255.255.255'), free('192.0.1.0')],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', free('192.0.1.255'), free('192.0.3.0')],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', free('192.31.195.255'), free('192.31.197.0')],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', free('192.52.192.255'), free('192.52.194.0')],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', free('192.88.98.255'), free('192.88.100.0')],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', free('192.167.255.255'), free('192.169.0.0')],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', free('192.175.47.255'), free('192.175.49.0')],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', free('198.17.255.255'), free('198.20.0.0')],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', free('198.51.99.255'), free('198.51.101.0')],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', free('203.0.112.255'), free('203.0.114.0')],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', free('223.255.255.255'), ['240.0.0.0', '240.0.0.0/4']],
  [
    '240.0.0.0/4',
    '240.0.0.0',
    '255.255.255.254',
    ['239.255.255.255', '224.0.0.0/4'],
    ['255.255.255.255', '255.255.255.255/32'],
  ],
  ['::/128', '::', '::', [], ['::1', '::1/128']],
  ['::1/128', '::1', '::1', ['::', '::/128'], ['::2', '::/96']],
  ['::/96', '::2', '::ffff:ffff', ['::1', '::1/128'], ['::1:0:0', outside]],
  [
    '::ffff:0:0:0/96',
    '::ffff:0:0:0',
    '::ffff:0:ffff:ffff',
    ['::fffe:ffff:ffff:ffff', outside],
    ['::ffff:1:0:0', outside],
  ],
  [
    '64:ff9b:1::/48',
    '64:ff9b:1::',
    '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
    ['64:ff9b:0:ffff:ffff:ffff:ffff:ffff', outside],
    ['64:ff9b:2::', outside],
  ],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff', ['ff:ffff::', outside], ['100:0:0:1::', '100:0:0:1::/64']],
  [
    '100:0:0:1::/64',
    '100:0:0:1::',
    '100:0:0:1:ffff:ffff:ffff:ffff',
    ['100::ffff:ffff:ffff:ffff', '100::/64'],
    ['100:0:0:2::', outside],
  ],
  [
    '2001::/32',
    '2001::',
    '2001:0:ffff:ffff:ffff:ffff:ffff:ffff',
    free('2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
    ['2001:1::', '2001::/23'],
  ],
  [
    '2001:2::/48',
    '2001:2::',
    '2001:2:0:ffff:ffff:ffff:ffff:ffff',
    ['2001:1:ffff::', '2001::/23'],
    ['2001:2:1::', '2001::/23'],
  ],
  [
    '2001:10::/28',
    '2001:10::',
    '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff',
    ['2001:f:ffff::', '2001::/23'],
    ['2001:20::', '2001:20::/28'],
  ],
  [
    '2001:20::/28',
    '2001:20::',
    '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff',
    ['2001:1f:ffff::', '2001:10::/28'],
    ['2001:30::', '2001:30::/28'],
  ],
  [
    '2001:30::/28',
    '2001:30::',
    '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff',
    ['2001:2f:ffff::', '2001:20::/28'],
    ['2001:40::', '2001::/23'],
  ],
  [
    '2001::/23',
    '2001:1::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    ['2001:0:ffff::', '2001::/32'],
    free('2001:200::'),
  ],
  [
    '2001:db8::/32',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    free('2001:db7:ffff:ffff:ffff:ffff:ffff:ffff'),
    free('2001:db9::'),
  ],
  [
    '2002::/16',
    '2002::',
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    free('2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
    free('2003::'),
  ],
  [
    '2620:4f:8000::/48',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    free('2620:4f:7fff:ffff:ffff:ffff:ffff:ffff'),
    free('2620:4f:8001::'),
  ],
  [
    '3fff::/20',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    free('3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
    free('3fff:1000::'),
  ],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['5eff:ffff::', outside], ['5f01::', outside]],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['fbff:ffff::', outside], ['fe00::', outside]],
  [
    'fd00:ec2::/32',
    'fd00:ec2::',
    'fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff',
    ['fd00:ec1:ffff::', 'fc00::/7'],
    ['fd00:ec3::', 'fc00::/7'],
  ],
  ['fd20:ce::254/128', 'fd20:ce::254', 'fd20:ce::254', ['fd20:ce::253', 'fc00::/7'], ['fd20:ce::255', 'fc00::/7']],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['fe7f:ffff::', outside], ['fec0::', 'fec0::/10']],
  [
    'fec0::/10',
    'fec0::',
    'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    ['febf:ffff::', 'fe80::/10'],
    ['ff00::', 'ff00::/8'],
  ],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['feff:ffff::', 'fec0::/10'], []],
])('%s', (network, first, last, before = [], after = []) => {
  test('has its first and last address', () => {
    expect([networkOf(first), networkOf(last)]).toEqual([network, network]);
  });

  test('ends there', () => {
    for (const [address, other] of [before, after]) if (address !== undefined) expect(networkOf(address)).toBe(other);
  });

  if (!network.includes('.')) return;
  test('has its addresses as mapped ones and behind NAT64', () => {
    for (const address of [first, last])
      for (const form of [`::ffff:${address}`, `64:ff9b::${address}`, `0:0:0:0:0:FFFF:${address}`])
        expect(networkOf(form)).toBe(network);
    for (const [address, other] of [before, after])
      if (address !== undefined)
        expect([networkOf(`::ffff:${address}`), networkOf(`64:ff9b::${address}`)]).toEqual([other, other]);
  });
});

test.each([
  ['0.0.0.0', '0.0.0.0/8'],
  ['192.0.0.7', '192.0.0.0/24'],
  ['192.0.0.8', '192.0.0.0/24'],
  ['192.0.0.9', '192.0.0.0/24'],
  ['192.0.0.10', '192.0.0.0/24'],
  ['192.0.0.170', '192.0.0.0/24'],
  ['192.0.0.171', '192.0.0.0/24'],
  ['192.88.99.2', '192.88.99.0/24'],
  ['255.255.255.255', '255.255.255.255/32'],
  ['2001:1::1', '2001::/23'],
  ['2001:1::2', '2001::/23'],
  ['2001:1::3', '2001::/23'],
  ['2001:3::', '2001::/23'],
  ['2001:4:112::', '2001::/23'],
])('%s, which the registries list by itself, is in %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '4000::',
  '8000::1',
  'c000::1',
  'f000::1',
  '64:ff9b:0:1::',
  '::fffe:0:0',
])('%s is outside of global unicast', (address) => {
  expect(networkOf(address)).toBe(outside);
});

test.each([
  '2000::',
  '2606:4700:4700::1111',
  '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => {
  expect(specialRangeOf(address)).toBeUndefined();
});

test('the zone of an address is ignored, and a name is in no range', () => {
  expect(networkOf('fe80::1%eth0')).toBe('fe80::/10');
  expect(networkOf('shop.example.com')).toBeUndefined();
  expect(networkOf('')).toBeUndefined();
});

test('each range says what it is for', () => {
  expect(specialRangeOf('fd00:ec2::254')).toMatchObject({ name: 'Metadata of Amazon', use: 'metadata' });
  expect(['127.0.0.1', '::1', '10.0.0.1', 'fd00::1', '192.0.0.1'].map((each) => specialRangeOf(each)?.use)).toEqual([
    'loopback',
    'loopback',
    'private',
    'private',
    'reserved',
  ]);
});

/** Tests the pace of answers to addresses without a credential. */
import { describe, expect, test } from '@jest/globals';
import { createAnswerPace } from '../../src/access/limits/answer-pace.ts';
import { addressGroup } from '../../src/core/lib/networks.ts';

describe('answers to one address', () => {
  function open(perSecond: number) {
    const clock = { ms: 0 };
    let slowed = 0;
    const pace = createAnswerPace({ perSecond, now: () => clock.ms, random: () => 0.5, onSlowed: () => (slowed += 1) });
    const waits = (count: number, address = '192.0.2.1') =>
      Array.from({ length: count }, () => pace(address)).filter((ms) => ms > 0).length;
    return { clock, pace, waits, slowed: () => slowed };
  }

  test('do not wait up to the limit of a second, and the others wait for a second', () => {
    const { pace, waits, slowed } = open(10);
    expect(waits(10)).toBe(0);
    expect(pace('192.0.2.1')).toBe(1_000);
    expect(slowed()).toBe(1);
  });

  test('do not wait again as time passes', () => {
    const { clock, waits } = open(10);
    expect(waits(30)).toBe(20);
    clock.ms += 500;
    expect(waits(30)).toBe(25);
    clock.ms += 60_000;
    expect(waits(30)).toBe(20);
  });

  test('concern no other address, and all of one IPv6 network', () => {
    const { waits } = open(10);
    expect(waits(30, '2001:db8::1')).toBe(20);
    expect(waits(10, '2001:db8:0:0:1::2')).toBe(10);
    expect(waits(10, '2001:db8:0:1::1')).toBe(0);
  });

  test('an address is remembered among twenty thousand others, while it sends', () => {
    const { waits, pace } = open(10);
    expect(waits(30)).toBe(20);
    for (let at = 0; at < 20_000; at += 1) {
      pace(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
      if (at % 1_000 === 0) expect(waits(1)).toBe(1);
    }
  });

  test('control: without a limit none waits', () => expect(open(0).waits(1_000)).toBe(0));
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['2001:0DB8:0000:0000:0001::', '2001:db8:0:0::'],
  ['::1', '0:0:0:0::'],
  ['fe80::1:2:3:4', 'fe80:0:0:0::'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
])('%s is one caller with %s', (address, group) => expect(addressGroup(address)).toBe(group));

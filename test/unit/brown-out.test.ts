/** Brown-outs: when a window is open, and until when. */
import { describe, expect, test } from '@jest/globals';
import { type BrownOut, compileBrownOut } from '../../src/insight/callers/brown-out.ts';

/** The end of the window that is open at the moment, or `closed`. */
const at = (brownOut: BrownOut, moment: string): string => {
  const end = compileBrownOut(brownOut)(Date.parse(moment));
  return end === undefined ? 'closed' : new Date(end).toISOString();
};

test.each([
  ['2026-12-01T08:59:59.999Z', 'closed'],
  ['2026-12-01T09:00:00.000Z', '2026-12-01T10:00:00.000Z'],
  ['2026-12-01T09:59:59.999Z', '2026-12-01T10:00:00.000Z'],
  ['2026-12-01T10:00:00.000Z', 'closed'],
])('a single window at %s: %s', (moment, expected) => {
  expect(at({ from: '2026-12-01T10:00:00+01:00', to: '2026-12-01T10:00:00Z' }, moment)).toBe(expected);
});

describe('a window that repeats', () => {
  test.each<[string, BrownOut, string, string]>([
    ['daily, before', { every: 'day', from: '09:00', to: '09:30' }, '2026-12-01T08:59:59.999Z', 'closed'],
    ['daily', { every: 'day', from: '09:00', to: '09:30' }, '2026-12-01T09:00:00Z', '2026-12-01T09:30:00.000Z'],
    [
      'daily, the last minute',
      { every: 'day', from: '09:00', to: '09:30' },
      '2026-12-05T09:29:59.999Z',
      '2026-12-05T09:30:00.000Z',
    ],
    ['daily, after', { every: 'day', from: '09:00', to: '09:30' }, '2026-12-01T09:30:00Z', 'closed'],
    // 1 December 2026 is a Tuesday.
    ['weekly', { every: 'tuesday', from: '09:00', to: '10:00' }, '2026-12-01T09:15:30Z', '2026-12-01T10:00:00.000Z'],
    ['weekly, another day', { every: 'tuesday', from: '09:00', to: '10:00' }, '2026-12-02T09:15:00Z', 'closed'],
    [
      'in summer time',
      { every: 'day', from: '09:00', to: '09:30', timeZone: 'Europe/Amsterdam' },
      '2026-07-01T07:10:00Z',
      '2026-07-01T07:30:00.000Z',
    ],
    [
      'in winter time',
      { every: 'day', from: '09:00', to: '09:30', timeZone: 'Europe/Amsterdam' },
      '2026-12-01T07:10:00Z',
      'closed',
    ],
    [
      'overnight, before midnight',
      { every: 'monday', from: '23:30', to: '00:30' },
      '2026-11-30T23:45:00Z',
      '2026-12-01T00:30:00.000Z',
    ],
    [
      'overnight, after midnight',
      { every: 'monday', from: '23:30', to: '00:30' },
      '2026-12-01T00:29:00Z',
      '2026-12-01T00:30:00.000Z',
    ],
    ['overnight, the day before', { every: 'monday', from: '23:30', to: '00:30' }, '2026-11-30T00:10:00Z', 'closed'],
    [
      'overnight from Sunday',
      { every: 'sunday', from: '23:30', to: '00:30' },
      '2026-11-30T00:10:00Z',
      '2026-11-30T00:30:00.000Z',
    ],
    [
      'overnight, every day',
      { every: 'day', from: '23:30', to: '00:30' },
      '2026-11-30T00:10:00Z',
      '2026-11-30T00:30:00.000Z',
    ],
  ])('%s', (_, brownOut, moment, expected) => expect(at(brownOut, moment)).toBe(expected));

  test('opens and closes for one that is asked again and again', () => {
    const find = compileBrownOut({ every: 'day', from: '09:00', to: '09:01' });
    const open = ['08:59:59', '09:00:00', '09:00:59', '09:01:00'].map((time) =>
      find(Date.parse(`2026-12-01T${time}Z`)),
    );
    expect(open.map((end) => end !== undefined)).toEqual([false, true, true, false]);
  });
});

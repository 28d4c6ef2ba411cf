/**
 * Fails the way to an upstream in every way, for reads and writes with and without a key, in several formats: no effect doubled, a
 * success only where there is one, an unknown outcome answered and listed. Seeded defects are found.
 */
import { expect, test } from '@jest/globals';
import { faultNames } from './faults.ts';
import { findingsOf, modes } from './matrix.ts';

test.each(faultNames)('%s', async (fault) => {
  // They wait for most of their time.
  const findings = await Promise.all(modes.map((mode) => findingsOf(fault, mode)));
  expect(Object.fromEntries(modes.map((mode, at) => [mode, findings[at]]))).toEqual({ header: [], none: [] });
});

test.each([
  ['sends twice', 'none', 'reset after the effect', 'the effect is doubled'],
  ['a key for each attempt', 'header', 'reset after the effect', 'the effect is doubled'],
  ['failures are successes', 'header', 'reset after the effect', 'a success without an effect'],
  [
    'failures are final',
    'header',
    '503 of the application after the effect',
    'refused for good, and the effect is there',
  ],
] as const)('seeded defect: %s', async (defect, mode, fault, text) => {
  const findings = await findingsOf(fault, mode, defect);
  expect(findings).toContainEqual(expect.stringContaining(text));
});

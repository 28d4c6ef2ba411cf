/** The faults of `deprecations` in a configuration: all of them at once, each in a sentence. */

import { expect, test } from '@jest/globals';
import { deprecationFaults } from '../../src/backend/deprecation-faults.ts';
import { protocolNames } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';

const faultsOf = (...rules: readonly unknown[]) => deprecationFaults(rules, services);
const since = { deprecatedSince: '2026-11-01' };

test('rules without faults', () => {
  expect(
    faultsOf(
      {
        format: ['soap11', 'soap12'],
        except: ['a'],
        ...since,
        sunset: '2027-01-31T00:00:00+01:00',
        refuseAfterSunset: true,
      },
      { service: 'Recurring', version: [12, 25], operation: 'disable', credential: 'abc', ...since },
      { format: 'form', ...since, link: 'https://example.com/form?a=1,2', brownOuts: [] },
      {
        format: 'adapter',
        ...since,
        brownOuts: [
          { from: '2026-12-01T09:00Z', to: '2026-12-01T10:00Z' },
          { every: 'day', from: '09:00', to: '09:30' },
          { every: 'friday', from: '23:30', to: '00:30', timeZone: 'Europe/Amsterdam' },
        ],
      },
    ),
  ).toEqual([]);
});

test.each<[string, unknown, readonly string[]]>([
  ['no object', 3, ['deprecations[0] is not an object.']],
  [
    'no calls, no time',
    {},
    [
      'deprecations[0] names no calls: give at least one of format, version, service, operation, credential.',
      'deprecations[0].deprecatedSince is missing: give the day from which on the calls are deprecated, like 2026-12-01.',
    ],
  ],
  [
    'unknown names',
    { formt: 'soap11', format: 'soap', service: 'Recuring', version: 99, operation: [], credential: 7, ...since },
    [
      'deprecations[0].formt is not a member of a deprecation: did you mean format?',
      `deprecations[0].format: "soap" is not a format: choose among ${protocolNames.join(', ')}.`,
      'deprecations[0].service: "Recuring" is not a service: did you mean Recurring?',
      'deprecations[0].version: 99 is not a version of these services: give a number, like 12.',
      'deprecations[0].credential: 7 is not the id of a credential.',
      'deprecations[0].operation is empty: leave it out.',
    ],
  ],
  [
    'an operation of another service',
    { service: 'Recurring', operation: 'getAccountHolder', version: '25', ...since },
    [
      expect.stringMatching(
        /operation: "getAccountHolder" is not an operation of these services: choose among .*disable/,
      ) as unknown as string,
      'deprecations[0].version: "25" is not a version of these services: give a number, like 12.',
    ],
  ],
  [
    'times',
    { format: 'form', deprecatedSince: '2026-06-31', sunset: 'soon', refuseAfterSunset: 'yes' },
    [
      'deprecations[0].deprecatedSince: "2026-06-31" is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.',
      'deprecations[0].sunset: "soon" is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.',
      'deprecations[0].refuseAfterSunset is neither true nor false.',
    ],
  ],
  [
    'a sunset before the deprecation',
    { format: 'form', ...since, sunset: '2026-10-01' },
    ['deprecations[0].sunset is before deprecatedSince.'],
  ],
  [
    'a refusal without a sunset, a local time',
    { format: 'form', deprecatedSince: '2026-12-01T09:00:00', refuseAfterSunset: true },
    [
      'deprecations[0].deprecatedSince: "2026-12-01T09:00:00" is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.',
      'deprecations[0].refuseAfterSunset needs a sunset: give the moment from which on the calls are refused.',
    ],
  ],
  [
    'links and exemptions',
    { format: 'form', ...since, link: 'https://example.com/a>; rel="x"', except: 'abc' },
    [
      'deprecations[0].except is not a list of ids of credentials.',
      'deprecations[0].link is not the URL of a page, like https://example.com/end-of-soap.',
    ],
  ],
  [
    'brown-outs',
    {
      format: 'form',
      ...since,
      brownOuts: [
        { from: '2026-12-01T10:00Z', to: '2026-12-01T10:00Z' },
        { every: 'tusday', from: '9:00', to: '24:00', timezone: 'UTC' },
        { every: 'day', from: '09:00', to: '09:00', timeZone: 'Europe/Amstredam' },
        { from: '09:00', until: '10:00' },
      ],
    },
    [
      'deprecations[0].brownOuts[0].to is not after from.',
      'deprecations[0].brownOuts[1].timezone is not a member of this brown-out: did you mean timeZone?',
      'deprecations[0].brownOuts[1].every: "tusday" is neither day nor a day of the week: did you mean tuesday?',
      'deprecations[0].brownOuts[1].from: "9:00" is not a time of the day like 09:30.',
      'deprecations[0].brownOuts[1].to: "24:00" is not a time of the day like 09:30.',
      'deprecations[0].brownOuts[2].to is not after from.',
      'deprecations[0].brownOuts[2].timeZone: "Europe/Amstredam" is not a time zone like Europe/London.',
      'deprecations[0].brownOuts[3].until is not a member of this brown-out: choose among from, to.',
      'deprecations[0].brownOuts[3].from: "09:00" is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.',
      'deprecations[0].brownOuts[3].to: undefined is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.',
    ],
  ],
])('%s', (_, rule, faults) => expect(faultsOf(rule)).toEqual(faults));

test('no list', () => expect(deprecationFaults({}, services)).toEqual(['deprecations is not a list.']));

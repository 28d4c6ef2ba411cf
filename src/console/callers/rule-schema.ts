/** Deprecations in the service of the console. */
import { repetitions } from '../../callers/brown-out.ts';
import { boolean, integer, list, object, oneOf, optional, required } from '../../contract/schema.ts';
import { text } from '../schemas.ts';

export const name = text(200, 'Orders');
export const longText = text(4_000, 'deprecation.sunset is before deprecatedSince.');

const brownOut = object('BrownOut', {
  every: optional(
    oneOf('Repetition', ...(repetitions as readonly [string, ...string[]])),
    'How often a window repeats; absent for one window.',
  ),
  from: required(
    text(40, '2027-03-02T09:00:00Z'),
    'The moment; the time of the day, `09:00`, of a window that repeats.',
  ),
  to: required(text(40, '2027-03-02T09:15:00Z'), 'The moment, or the time of the day.'),
  timeZone: optional(text(60, 'Europe/Amsterdam'), 'Of a window that repeats; UTC where it is absent.'),
});

const names = (item: string) => list(name, item, { max: 100 });

/** The members of a deprecation, as the configuration has them. The server checks what they mean. */
export const rule = object('DeprecationRule', {
  format: optional(names('format'), 'The formats: `soap11`, `soap12`, `json`, `form`, `adapter`, `rest`.'),
  version: optional(list(integer(0, 100_000, 12), 'version', { max: 100 }), 'The versions in the address.'),
  service: optional(names('service'), 'The services.'),
  operation: optional(names('operation'), 'The operations.'),
  credential: optional(list(name, 'credential', { max: 1_000 }), 'The ids of credentials.'),
  except: optional(list(name, 'credential', { max: 2_000 }), 'The ids of credentials that it does not concern.'),
  deprecatedSince: required(text(40, '2026-12-01'), 'Since when: a day, or a moment.'),
  sunset: optional(text(40, '2027-06-30'), 'When the calls may end.'),
  refuseAfterSunset: optional(boolean(false), 'Whether they are refused after the sunset.'),
  link: optional(text(2_000, 'https://pay.example.com/end-of-soap'), 'The page that says what to do instead.'),
  brownOuts: optional(list(brownOut, 'brownOut', { max: 100 }), 'When they are refused.'),
});

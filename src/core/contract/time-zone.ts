/** Time zones: their names, as the IANA database spells them, and their offsets. */
import { BoundedMap } from '../lib/index.ts';

/** Names of zones without an area, from the IANA database; `Intl` takes more (PST, IST), which mean something else elsewhere. */
const zonesWithoutArea: ReadonlySet<string> = new Set(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran
  Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore
  Turkey UCT UTC Universal W-SU WET Zulu`.split(/\s+/),
);

const areas =
  /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)(?:\/[A-Z][A-Za-z0-9+_-]*)+$/;

/** Names that `Intl` still takes and the IANA database has dropped. */
const dropped: ReadonlySet<string> = new Set(['Canada/East-Saskatchewan', 'US/Pacific-New']);

/**
 * The names found to be good; there are about 600. Asking `Intl` takes 0.1 ms, and 15 ms for the first time. Every platform
 * knows the zone of account holders without one.
 */
const known = new Set(['Europe/Amsterdam']);

/** A name of the IANA time zone database, spelt as there, older names included (`Europe/Kyiv`, `Europe/Kiev`, `UTC`); not an offset. */
export function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  const good = spelt(name) && !dropped.has(name) && knownToPlatform(name);
  if (good) known.add(name);
  return good;
}

/** `Intl` takes a name in any case; others who read it do not. No place is written in four capitals. */
function spelt(name: string): boolean {
  return zonesWithoutArea.has(name) || (areas.test(name) && !/[A-Z]{4}/.test(name));
}

/** Also in another case, and names such as PST. */
export function knownToPlatform(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

/**
 * Returns a function from moments to what `create` makes of the offset of the zone from UTC then, in milliseconds. It is cached by hour:
 * offsets change on the hour (UTC), and `Intl` costs more than the rest of a response.
 */
export function cacheOffsets<T extends NonNullable<unknown>>(
  timeZone: string,
  create: (ms: number) => T,
): (moment: number) => T {
  const readOffset = offsetReader(timeZone);
  const offsets = new BoundedMap<number, T>(cachedMax);
  const read = (hour: number): T => create(readOffset(hour * hourMs));
  return (moment) => offsets.getOrCreate(Math.floor(moment / hourMs), read);
}

function offsetReader(timeZone: string): (moment: number) => number {
  // Created for the first moment: it loads 15 ms of data.
  let zone: Intl.DateTimeFormat | undefined;
  return (moment) => {
    zone ??= new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const name = zone.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    // Before 1937 offsets had seconds.
    const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    if (sign === undefined) return 0;
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -ms : ms;
  };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const cachedMax = 10_000;

/**
 * Returns a function from local times, as milliseconds of the same time in UTC, to moments. A time that a clock shows twice is the
 * first one. A time that it skips is as much later as it skips (RFC 5545, section 3.3.5).
 */
export function localTimeReader(timeZone: string): (local: number) => number {
  const offsetAt = cacheOffsets(timeZone, (ms) => ms);
  return (local) => {
    const before = local - offsetAt(local - dayMs);
    const after = local - offsetAt(local + dayMs);
    if (before === after || offsetAt(before) === local - before) return before;
    return offsetAt(after) === local - after ? after : before;
  };
}

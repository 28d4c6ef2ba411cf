/** Brown-outs: windows of time in which what is deprecated is refused, so that its callers notice. */

/** How often a window repeats. */
export type Repetition = 'day' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

/** `day`, then the days of the week in their order. */
export const repetitions: readonly Repetition[] = Object.freeze([
  'day',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
]);

/** One window: `{ from: '2026-12-01T09:00:00Z', to: '2026-12-01T10:00:00Z' }`. */
export interface SingleBrownOut {
  readonly from: string;
  readonly to: string;
}

/** A window that repeats: `{ every: 'tuesday', from: '09:00', to: '09:30', timeZone: 'Europe/Amsterdam' }`. */
export interface RepeatedBrownOut {
  readonly every: Repetition;
  /** The time of the day, to the minute. */
  readonly from: string;
  /** Before `from` for a window that ends on the next day. */
  readonly to: string;
  /** UTC where it is absent. */
  readonly timeZone?: string;
}

/** When what is deprecated is refused. */
export type BrownOut = SingleBrownOut | RepeatedBrownOut;

/** Returns when the window ends that the moment is in, or undefined outside of it. Milliseconds since the epoch. */
export type FindWindow = (now: number) => number | undefined;

/** Takes a valid brown-out. */
export function compileBrownOut(brownOut: BrownOut): FindWindow {
  return 'every' in brownOut ? compileRepeated(brownOut) : compileSingle(brownOut);
}

/** Returns `tuesday 09:00-09:30 Europe/Amsterdam`, or `2026-12-01T09:00:00Z/2026-12-01T10:00:00Z`. */
export function describeBrownOut(brownOut: BrownOut): string {
  if (!('every' in brownOut)) return `${brownOut.from}/${brownOut.to}`;
  const { every, from, to, timeZone } = brownOut;
  return `${every} ${from}-${to}${timeZone === undefined ? '' : ` ${timeZone}`}`;
}

/** Minutes since midnight; undefined for what is no time of a day. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

function compileSingle({ from, to }: SingleBrownOut): FindWindow {
  const start = Date.parse(from);
  const end = Date.parse(to);
  return (now) => (start <= now && now < end ? end : undefined);
}

const minuteMs = 60_000;
const minutesPerDay = 24 * 60;

function compileRepeated({ every, from, to, timeZone = 'UTC' }: RepeatedBrownOut): FindWindow {
  const start = parseTimeOfDay(from)!;
  const end = parseTimeOfDay(to)!;
  const isOvernight = end <= start;
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  /** Minutes until the end of the window. */
  const minutesLeft = (minute: number): number | undefined => {
    const parts = new Map(format.formatToParts(minute * minuteMs).map(({ type, value }) => [type, value]));
    const day = repetitions.indexOf(parts.get('weekday')!.toLowerCase() as Repetition);
    const at = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
    // The part after midnight belongs to the day before.
    const isLate = isOvernight && at < end;
    if (!isLate && (at < start || (!isOvernight && at >= end))) return undefined;
    const startDay = isLate ? ((day + 5) % 7) + 1 : day;
    if (every !== 'day' && repetitions[startDay] !== every) return undefined;
    return end - at + (isOvernight && !isLate ? minutesPerDay : 0);
  };
  // Formatting costs more than all else, and its result holds for a minute.
  let lastMinute = Number.NaN;
  let lastLeft: number | undefined;
  return (now) => {
    const minute = Math.floor(now / minuteMs);
    if (minute !== lastMinute) {
      lastLeft = minutesLeft(minute);
      lastMinute = minute;
    }
    return lastLeft === undefined ? undefined : (minute + lastLeft) * minuteMs;
  };
}

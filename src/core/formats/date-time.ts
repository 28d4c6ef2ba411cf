/** Formats date and time as the local time of a time zone with its offset. */

import { cacheOffsets } from '../contract/index.ts';
import { BoundedMap } from '../lib/index.ts';

/**
 * Formats milliseconds since the epoch: `2017-03-01T11:53:11+01:00`, percent-encoded for FORM; with a fraction where it is not 0. SOAP
 * always has milliseconds. In UTC it ends with `Z`.
 */
export type FormatDateTime = (moment: number, style: 's' | 'ms' | 'form') => string;

/** All formats of a server share the cached offsets of its time zone. `fractions`: `absent` for whole seconds in JSON and FORM. */
export function dateTimeFormat(timeZone: string, fractions?: 'absent'): FormatDateTime {
  const printFraction = fractions === 'absent' ? () => '' : fractionText;
  return formats.getOrCreate(`${timeZone} ${fractions}`, () =>
    createFormat(timeZone === 'UTC' ? () => zulu : cacheOffsets(timeZone, printOffset), printFraction),
  );
}

const dayMs = 86_400_000;
const cachedMax = 10_000;
const formats = new BoundedMap<string, FormatDateTime>(100);

interface Offset {
  readonly ms: number;
  readonly text: string;
  /** In a form. */
  readonly encoded: string;
}

const zulu: Offset = { ms: 0, text: 'Z', encoded: 'Z' };
/** The offset of a time zone that is not UTC, at a time when it has none. */
const utc: Offset = { ms: 0, text: '+00:00', encoded: '%2B00%3A00' };

function createFormat(offsetAt: (moment: number) => Offset, printFraction: (ms: number) => string): FormatDateTime {
  return (moment, style) => {
    const offset = offsetAt(moment);
    const local = moment + offset.ms;
    const day = Math.floor(local / dayMs);
    const ms = local - day * dayMs;
    const seconds = Math.floor(ms / 1000);
    const minutes = Math.floor(seconds / 60);
    // Most responses have four of these, and a Date for each costs three times as much.
    const colon = style === 'form' ? '%3A' : ':';
    const text = `${days.getOrCreate(day, printDay)}${two[Math.floor(minutes / 60)]}${colon}${two[minutes % 60]}${colon}${two[seconds % 60]}`;
    switch (style) {
      case 's':
        return text + printFraction(ms % 1000) + offset.text;
      case 'ms':
        return `${text}.${three[ms % 1000]}${offset.text}`;
      case 'form':
        return text + printFraction(ms % 1000) + offset.encoded;
      default:
        return style satisfies never;
    }
  };
}

function fractionText(ms: number): string {
  return ms === 0 ? '' : `.${three[ms]}`;
}

function printOffset(ms: number): Offset {
  // The format cannot express seconds; such a time is printed in UTC.
  if (ms === 0 || ms % 60_000 !== 0) return utc;
  const minutes = Math.abs(ms) / 60_000;
  const [hour, minute] = [two[Math.floor(minutes / 60)], two[minutes % 60]];
  return {
    ms,
    text: `${ms < 0 ? '-' : '+'}${hour}:${minute}`,
    encoded: `${ms < 0 ? '-' : '%2B'}${hour}%3A${minute}`,
  };
}

const days = new BoundedMap<number, string>(cachedMax);

function printDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
}

function padded(length: number, count: number) {
  return Array.from({ length: count }, (_, number) => String(number).padStart(length, '0'));
}
const two = padded(2, 60);
const three = padded(3, 1000);

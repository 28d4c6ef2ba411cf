/** Checks deprecations of a configuration or of an operator, and says everything that is wrong with them. */

import { closest } from '../config/index.ts';
import { knownToPlatform, type Service } from '../core/contract/index.ts';
import { protocolNames } from '../core/formats/index.ts';
import { isMembers, type Members } from '../core/lib/index.ts';
import { type DeprecationRule, type FormatName, parseTimeOfDay, repetitions, selectors } from '../insight/index.ts';

/** Returns a sentence for each fault. `services`: those that are served, in all versions. */
export function deprecationFaults(rules: unknown, services: readonly Service[]): readonly string[] {
  if (!Array.isArray(rules)) return ['deprecations is not a list.'];
  return rules.flatMap((rule: unknown, index) => deprecationRuleFaults(rule, `deprecations[${index}]`, services));
}

/**
 * Returns a sentence for each fault of one rule. `place` stands before the names of members. Without `services` the names of
 * services, operations and versions are not checked: those of an earlier release match no call.
 */
export function deprecationRuleFaults(
  rule: unknown,
  place: string,
  services: readonly Service[] | undefined,
): readonly string[] {
  return isMembers(rule) ? ruleFaults(rule, place, services) : [`${place} is not an object.`];
}

const members = Object.keys({
  format: true,
  version: true,
  service: true,
  operation: true,
  credential: true,
  except: true,
  deprecatedSince: true,
  sunset: true,
  refuseAfterSunset: true,
  link: true,
  brownOuts: true,
} satisfies Required<Record<keyof DeprecationRule, true>>);

function ruleFaults(rule: Members, place: string, services: readonly Service[] | undefined): readonly string[] {
  const { except = [], deprecatedSince, sunset, refuseAfterSunset = false, link, brownOuts = [] } = rule;
  const selected = selectors.filter((name) => rule[name] !== undefined);
  return [
    ...Object.keys(rule).flatMap((name) =>
      members.includes(name) ? [] : [`${place}.${name} is not a member of a deprecation${suggest(name, members)}`],
    ),
    ...(selected.length === 0 ? [`${place} names no calls: give at least one of ${selectors.join(', ')}.`] : []),
    ...selectorFaults(rule, place, services),
    ...(isTexts(except) ? [] : [`${place}.except is not a list of ids of credentials.`]),
    ...(deprecatedSince === undefined
      ? [`${place}.deprecatedSince is missing: give the day from which on the calls are deprecated, like 2026-12-01.`]
      : momentFaults(deprecatedSince, `${place}.deprecatedSince`)),
    ...(sunset === undefined ? [] : momentFaults(sunset, `${place}.sunset`)),
    ...sunsetFaults(deprecatedSince, sunset, place),
    ...(typeof refuseAfterSunset === 'boolean' ? [] : [`${place}.refuseAfterSunset is neither true nor false.`]),
    ...(refuseAfterSunset === true && sunset === undefined
      ? [`${place}.refuseAfterSunset needs a sunset: give the moment from which on the calls are refused.`]
      : []),
    ...(link === undefined || isLink(link)
      ? []
      : [`${place}.link is not the URL of a page, like https://example.com/end-of-soap.`]),
    ...(Array.isArray(brownOuts)
      ? brownOuts.flatMap((each: unknown, index) => brownOutFaults(each, `${place}.brownOuts[${index}]`))
      : [`${place}.brownOuts is not a list.`]),
  ];
}

function selectorFaults(rule: Members, place: string, services: readonly Service[] | undefined): readonly string[] {
  return [
    ...unknownNames(rule, 'format', place, protocolNames satisfies readonly FormatName[], 'a format'),
    ...(services === undefined ? [] : servedFaults(rule, place, services)),
    ...valuesOf(rule, 'credential').flatMap((value) =>
      typeof value === 'string' && value !== ''
        ? []
        : [`${place}.credential: ${print(value)} is not the id of a credential.`],
    ),
    ...selectors.flatMap((name) =>
      Array.isArray(rule[name]) && valuesOf(rule, name).length === 0
        ? [`${place}.${name} is empty: leave it out.`]
        : [],
    ),
  ];
}

function servedFaults(rule: Members, place: string, services: readonly Service[]): readonly string[] {
  const names = [...new Set(services.map(({ name }) => name))];
  const chosen = services.filter(({ name }) => rule.service === undefined || valuesOf(rule, 'service').includes(name));
  const operations = [...new Set(chosen.flatMap((service) => [...service.operations.keys()]))];
  return [
    ...unknownNames(rule, 'service', place, names, 'a service'),
    ...unknownNames(rule, 'operation', place, operations, 'an operation of these services'),
    ...valuesOf(rule, 'version').flatMap((value) => {
      const isServed = chosen.some(({ answers: { from, to } }) => Number(value) >= from && Number(value) <= to);
      if (typeof value === 'number' && isServed) return [];
      return [`${place}.version: ${print(value)} is not a version of these services: give a number, like 12.`];
    }),
  ];
}

function unknownNames(
  rule: Members,
  name: string,
  place: string,
  known: readonly string[],
  noun: string,
): readonly string[] {
  return valuesOf(rule, name).flatMap((value) => {
    if (typeof value === 'string' && known.includes(value)) return [];
    return [`${place}.${name}: ${print(value)} is not ${noun}${suggest(value, known)}`];
  });
}

function valuesOf(rule: Members, name: string): readonly unknown[] {
  return rule[name] === undefined ? [] : [rule[name]].flat();
}

/** A day, or a moment with its offset from UTC. */
const moment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/;

function isMoment(value: unknown): value is string {
  if (typeof value !== 'string' || !moment.test(value)) return false;
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  // JavaScript takes 31 June for 1 July.
  return !Number.isNaN(Date.parse(value)) && day.toISOString().startsWith(value.slice(0, 10));
}

function momentFaults(value: unknown, place: string): readonly string[] {
  return isMoment(value)
    ? []
    : [`${place}: ${print(value)} is neither a day like 2026-12-01 nor a moment like 2026-12-01T09:00:00Z.`];
}

function sunsetFaults(deprecatedSince: unknown, sunset: unknown, place: string): readonly string[] {
  if (!isMoment(deprecatedSince) || !isMoment(sunset)) return [];
  // RFC 9745, section 4.
  return Date.parse(sunset) < Date.parse(deprecatedSince) ? [`${place}.sunset is before deprecatedSince.`] : [];
}

function brownOutFaults(brownOut: unknown, place: string): readonly string[] {
  if (!isMembers(brownOut)) return [`${place} is not an object.`];
  const { every, from, to, timeZone } = brownOut;
  const known = every === undefined ? ['from', 'to'] : ['every', 'from', 'to', 'timeZone'];
  const unknown = Object.keys(brownOut).flatMap((name) =>
    known.includes(name) ? [] : [`${place}.${name} is not a member of this brown-out${suggest(name, known)}`],
  );
  if (every === undefined) {
    const faults = [...momentFaults(from, `${place}.from`), ...momentFaults(to, `${place}.to`)];
    const isEmpty = isMoment(from) && isMoment(to) && Date.parse(to) <= Date.parse(from);
    return [...unknown, ...faults, ...(isEmpty ? [`${place}.to is not after from.`] : [])];
  }
  const timeFaults = (['from', 'to'] as const).flatMap((name) => {
    const value = brownOut[name];
    return typeof value === 'string' && parseTimeOfDay(value) !== undefined
      ? []
      : [`${place}.${name}: ${print(value)} is not a time of the day like 09:30.`];
  });
  return [
    ...unknown,
    ...(repetitions.some((each) => each === every)
      ? []
      : [`${place}.every: ${print(every)} is neither day nor a day of the week${suggest(every, repetitions)}`]),
    ...timeFaults,
    ...(timeFaults.length === 0 && from === to ? [`${place}.to is not after from.`] : []),
    ...(timeZone === undefined || (typeof timeZone === 'string' && knownToPlatform(timeZone))
      ? []
      : [`${place}.timeZone: ${print(timeZone)} is not a time zone like Europe/London.`]),
  ];
}

/** The end of a sentence: the name that was meant, or all of a few. */
function suggest(value: unknown, known: readonly string[]): string {
  const upper = new Map(known.map((name) => [name.toUpperCase(), name]));
  const found = typeof value === 'string' ? closest(value, new Set(upper.keys())) : undefined;
  if (found !== undefined) return `: did you mean ${upper.get(found)}?`;
  return known.length <= listedMax ? `: choose among ${known.join(', ')}.` : '.';
}

const listedMax = 20;

function print(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

function isLink(value: unknown): boolean {
  // What may stand in the header Link.
  return typeof value === 'string' && /^https?:\/\/[!#-;=?-~]+$/.test(value) && URL.canParse(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
}

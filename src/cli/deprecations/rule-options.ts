/** The options that describe a deprecation, and the rule that they make. */
import { type Command, InvalidArgumentError } from 'commander';
import type { BrownOut, Repetition } from '../../callers/brown-out.ts';
import type { DeprecationRule, FormatName } from '../../callers/deprecation.ts';

export interface RuleOptions {
  readonly format?: string;
  readonly version?: string;
  readonly service?: string;
  readonly operation?: string;
  readonly credential?: string;
  readonly since?: string;
  readonly sunset?: string;
  readonly refuseAfterSunset?: boolean;
  readonly link?: string;
  readonly brownOut?: readonly (BrownOut | Removal)[];
}

/** Removes a member. */
export const removal = 'none';
type Removal = typeof removal;

/** `forChanges`: what is not given stays. */
export function addRuleOptions(command: Command, forChanges = false): Command {
  const orNone = forChanges ? '; none: all' : '';
  const noneAtAll = forChanges ? '; none removes it' : '';
  const result = command
    .option('--format <formats>', `calls in these formats, with commas between them${orNone}`)
    .option('--service <services>', `calls of these services${orNone}`)
    .option('--operation <operations>', `calls of these operations${orNone}`)
    .option('--version <versions>', `calls with these versions in the address${orNone}`)
    .option('--credential <credentials>', `calls of these credentials, by id or username${orNone}`)
    .option('--since <time>', `since when they are deprecated${forChanges ? '' : '; by default today'}: 2026-12-01`)
    .option('--sunset <time>', `when they may end: 2027-06-30, or 2027-06-30T22:00:00Z${noneAtAll}`)
    .option('--refuse-after-sunset', 'refuses them after the sunset')
    .option('--link <url>', `the page that says what to do instead${noneAtAll}`)
    .option(
      '--brown-out <window>',
      `when they are refused; repeat it for more${forChanges ? ', instead of those before; none removes all' : ''}`,
      (text: string, before: readonly (BrownOut | Removal)[] = []) => [...before, parseBrownOut(text)],
    );
  return forChanges ? result.option('--no-refuse-after-sunset', 'serves them after the sunset') : result;
}

/** Throws InvalidArgumentError for a text that is no window. Faults of its parts are found with those of the rule. */
export function parseBrownOut(text: string): BrownOut | Removal {
  if (text === removal) return removal;
  const [, from, to] = /^(\S+)\/(\S+)$/.exec(text.trim()) ?? [];
  if (from !== undefined && to !== undefined && /^\d/.test(from)) return { from, to };
  const [, every, start, end, timeZone] = /^([a-z]+) +([\d:]+) *- *([\d:]+)(?: +(\S+))?$/i.exec(text.trim()) ?? [];
  if (every === undefined || start === undefined || end === undefined)
    throw new InvalidArgumentError('Give a window like "tuesday 09:00-09:30 Europe/Amsterdam".');
  return {
    every: every.toLowerCase() as Repetition,
    from: start,
    to: end,
    ...(timeZone !== undefined && { timeZone }),
  };
}

/** Returns the rule that the options describe, on top of another one. It may have faults. */
export function ruleOf(options: RuleOptions, before: Partial<DeprecationRule>, credentials: CredentialNames) {
  const { since, sunset, link, refuseAfterSunset, brownOut } = options;
  const names = (text: string | undefined) =>
    text === removal ? removal : text?.split(',').map((each) => each.trim());
  const versions = names(options.version?.replace(/\bv(?=\d)/gi, ''));
  const credential = names(options.credential);
  const given = {
    format: names(options.format) as readonly FormatName[] | Removal | undefined,
    service: names(options.service),
    operation: names(options.operation),
    version: versions === removal ? removal : versions?.map(Number),
    credential: credential === removal ? removal : credential?.map((name) => credentials.get(name) ?? name),
    deprecatedSince: since,
    sunset,
    refuseAfterSunset,
    link,
    brownOuts: brownOut?.includes(removal) ? removal : brownOut,
  };
  const kept = Object.entries({ ...before, ...withoutUndefined(given) }).filter(([, value]) => value !== removal);
  return Object.fromEntries(kept) as Partial<DeprecationRule>;
}

/** Ids by username. */
export type CredentialNames = ReadonlyMap<string, string>;

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

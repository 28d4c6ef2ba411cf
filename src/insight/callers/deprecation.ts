/** Deprecations: which calls are deprecated, what their answers say, and when they are refused. Compiled once. */

import { type DeprecationNotice, deprecationHeaders, describe, Problem } from '../../core/contract/index.ts';
import type { ProtocolName } from '../../core/formats/index.ts';
import type { CallFacts, Deprecation, Deprecations } from '../../core/gateway/index.ts';
import { type Clock, memoize } from '../../core/lib/index.ts';
import { type BrownOut, compileBrownOut, type FindWindow } from './brown-out.ts';

/** A wire format. */
export type FormatName = ProtocolName;

/** One value, or several. */
export type OneOrMore<T> = T | readonly T[];

/** Calls that are deprecated. A call matches if it has one of the values of each member that is given; at least one is. */
export interface DeprecationRule {
  readonly format?: OneOrMore<FormatName>;
  /** The version in the address. */
  readonly version?: OneOrMore<number>;
  readonly service?: OneOrMore<string>;
  readonly operation?: OneOrMore<string>;
  /** The id of the credential. */
  readonly credential?: OneOrMore<string>;
  /** Ids of credentials that the rule does not concern. */
  readonly except?: readonly string[];
  /** `2026-12-01`, or `2026-12-01T09:00:00Z`. May be in the future. */
  readonly deprecatedSince: string;
  /** When the calls may end. They are refused from then on only with `refuseAfterSunset`. */
  readonly sunset?: string;
  readonly refuseAfterSunset?: boolean;
  /** The URL of a page that says what to do instead. */
  readonly link?: string;
  readonly brownOuts?: readonly BrownOut[];
}

/** The members of a rule that a call is compared with. */
export const selectors = ['format', 'version', 'service', 'operation', 'credential'] as const;

/** `rules`: without faults. Returns undefined where there are none, so that calls cost nothing. */
export function compileDeprecations(rules: readonly DeprecationRule[], clock: Clock): Deprecations | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map(compileRule);
  const rulesOf = memoize((format: string) => compiled.filter(({ formats }) => formats?.has(format) ?? true));
  return Object.freeze<Deprecations>({
    find(call) {
      const candidates = rulesOf(call.format);
      if (candidates.length === 0) return undefined;
      const matching = candidates.filter((rule) => rule.matches(call));
      if (matching.length === 0) return undefined;
      const binding = matching.filter(({ except }) => !except.has(call.credential ?? ''));
      return binding.length === 0 ? exempt : combine(binding, clock.now());
    },
  });
}

/** Returns `format soap11, soap12, credential cr_x`. */
export function describeCalls(rule: DeprecationRule): string {
  return selectors
    .flatMap((name) => (rule[name] === undefined ? [] : `${name} ${[rule[name]].flat().join(', ')}`))
    .join(', ');
}

const exempt: Deprecation = Object.freeze({ headers: Object.freeze({}) });

interface CompiledRule {
  readonly formats: ReadonlySet<string> | undefined;
  readonly except: ReadonlySet<string>;
  readonly notice: DeprecationNotice;
  /** `format soap11, version 25`. */
  readonly subject: string;
  readonly refusesAfterSunset: boolean;
  readonly windows: readonly FindWindow[];
  matches(call: CallFacts): boolean;
}

function compileRule(rule: DeprecationRule): CompiledRule {
  const { except = [], deprecatedSince, sunset, refuseAfterSunset = false, link, brownOuts = [] } = rule;
  const wanted = selectors.flatMap((name) => {
    const value = rule[name];
    return value === undefined ? [] : [{ name, values: new Set<unknown>([value].flat()) }];
  });
  // Exemptions name credentials, so the caller must be known.
  const needsCredential = except.length > 0;
  return {
    formats: rule.format === undefined ? undefined : new Set([rule.format].flat()),
    except: new Set(except),
    notice: {
      deprecatedSince: Date.parse(deprecatedSince),
      sunset: sunset === undefined ? undefined : Date.parse(sunset),
      links: link === undefined ? [] : [link],
    },
    subject: wanted
      .map(({ name, values }) => (name === 'credential' ? 'this credential' : `${name} ${[...values].join(', ')}`))
      .join(', '),
    refusesAfterSunset: refuseAfterSunset,
    windows: brownOuts.map(compileBrownOut),
    matches: (call) =>
      (!needsCredential || call.credential !== undefined) && wanted.every(({ name, values }) => values.has(call[name])),
  };
}

/** The earliest dates count, and every link. */
function combine(rules: readonly CompiledRule[], now: number): Deprecation {
  const sunsets = rules.flatMap(({ notice }) => notice.sunset ?? []);
  const notice: DeprecationNotice = {
    deprecatedSince: Math.min(...rules.map((rule) => rule.notice.deprecatedSince)),
    sunset: sunsets.length === 0 ? undefined : Math.min(...sunsets),
    links: [...new Set(rules.flatMap((rule) => rule.notice.links))],
  };
  return { notice, headers: deprecationHeaders(notice), refusal: refusalOf(rules, now) };
}

/** What has ended for good comes before what is off for an hour. */
function refusalOf(rules: readonly CompiledRule[], now: number): Problem | undefined {
  for (const { notice, refusesAfterSunset, subject } of rules)
    if (refusesAfterSunset && notice.sunset !== undefined && notice.sunset <= now)
      return new Problem('retired', describe('retired', print(notice.sunset), explain(subject, notice)));
  for (const { windows, notice, subject } of rules)
    for (const find of windows) {
      const end = find(now);
      if (end !== undefined) return new Problem('brownOut', describe('brownOut', print(end), explain(subject, notice)));
    }
  return undefined;
}

function explain(subject: string, { links: [link] }: DeprecationNotice): string {
  return link === undefined ? subject : `${subject}; see ${link}`;
}

/** `2026-12-01T10:00:00Z`. */
function print(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

interface DeprecationState {
  readonly state: /** Its calls are deprecated at a later time, which answers already say. */
    | 'scheduled'
    /** Its calls are served, and answers say that they are deprecated. */
    | 'announced'
    /** Its calls are refused until the moment. */
    | 'brownOut'
    /** Its calls are refused for good. */
    | 'retired';
  /** The end of a brown-out, in milliseconds since the epoch. */
  readonly until?: number;
}

/** Returns what a deprecation means for its calls at a moment. */
export function stateAt(rule: DeprecationRule, now: number): DeprecationState {
  const { deprecatedSince, sunset, refuseAfterSunset, brownOuts = [] } = rule;
  if (refuseAfterSunset && sunset !== undefined && Date.parse(sunset) <= now) return { state: 'retired' };
  for (const brownOut of brownOuts) {
    const until = compileBrownOut(brownOut)(now);
    if (until !== undefined) return { state: 'brownOut', until };
  }
  return { state: now < Date.parse(deprecatedSince) ? 'scheduled' : 'announced' };
}

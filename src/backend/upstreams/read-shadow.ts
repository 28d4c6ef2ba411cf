/** Reads the shadow of an upstream: its members as an upstream, and which requests are copied to it. */

import type { VariableSources } from '../../config/index.ts';
import { fallbackFormats } from '../../core/formats/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import {
  type ShadowOptions as CopyOptions,
  compileRules,
  RuleError,
  type Rules,
  type RuleTexts,
} from '../../forward/index.ts';
import { MemberReader } from './members.ts';
import type { ShadowOptions, UpstreamOptions, Upstreams } from './options.ts';
import { type ConfiguredUpstream, type ReadUpstream, readMembers, upstreamMembers } from './read-upstream.ts';

/** A shadow, complete. Its upstream is named after the one that it stands next to: `erp.shadow`. */
export interface ConfiguredShadow extends CopyOptions {
  readonly upstream: ConfiguredUpstream;
  readonly rulesOf: (operation: string) => Rules;
  readonly rules: RuleTexts;
}

/** A shadow as read: contracts say later whether its log-in fits. */
interface ReadShadow extends Omit<ConfiguredShadow, 'upstream'> {
  readonly upstream: ReadUpstream;
}

type OwnMember = Exclude<keyof ShadowOptions, keyof UpstreamOptions>;

const members: Readonly<Record<OwnMember, true>> = {
  share: true,
  callers: true,
  operations: true,
  writes: true,
  rules: true,
  concurrency: true,
  bytesMax: true,
  cpuPercent: true,
  spread: true,
  rollback: true,
};

/** Names of upstreams have no dot, so that no other has this one. */
export function shadowName(upstream: string): string {
  return `${upstream}.shadow`;
}

/** What operators see of a shadow. */
export interface ShadowAbout {
  readonly upstream: string;
  readonly url: string;
  readonly format: string;
  /** Percent of the requests. */
  readonly copied: number;
  readonly copiesWrites: boolean;
  readonly mayAnswer: boolean;
  readonly rulesOf: (operation: string) => Rules;
}

/** Describes the shadows of a configuration without reading their secrets. The configuration has no faults. */
export function describeShadows(upstreams: Upstreams): readonly ShadowAbout[] {
  return Object.entries(upstreams).flatMap(([upstream, { shadow, credentials }]) => {
    if (shadow === undefined) return [];
    const { url, format = fallbackFormats.other, share: copied = 100, writes, credentials: own, rules = {} } = shadow;
    const may = mayAnswer(credentials, own);
    const rulesOf = compileRules(rules);
    return { upstream, url, format, copied, copiesWrites: writes === 'sandbox', mayAnswer: may, rulesOf };
  });
}

/** The same of a plan. */
export function shadowsOf(shadows: ReadonlyMap<string, ConfiguredShadow>): readonly ShadowAbout[] {
  return [...shadows].map(([upstream, shadow]) => {
    const { percent, copiesWrites, mayAnswer: may, rulesOf } = shadow;
    const { url, format } = shadow.upstream;
    return { upstream, url, format, copied: percent, copiesWrites, mayAnswer: may, rulesOf };
  });
}

/** Whether a shadow may answer callers: not where the upstream decides about credentials of callers that the shadow does not get. */
function mayAnswer(upstreamCredentials: unknown, shadowCredentials: unknown): boolean {
  return upstreamCredentials !== 'forward' || shadowCredentials === 'forward';
}

/** Reads the member `shadow` of the upstream `name`. Returns undefined where it has none. `given`: the upstream as configured. */
export function readShadow(
  name: string,
  given: unknown,
  variables: VariableSources,
  faults: string[],
): ReadShadow | undefined {
  if (!isMembers(given) || given.shadow === undefined) return undefined;
  const around = new MemberReader(given, `upstreams.${name}`, faults);
  const reader = around.object('shadow');
  // A retry that the shadow has not answered is settled by an operator.
  const { shadow: _, lookups: __, lookupHeader: ___, ...allowed } = upstreamMembers;
  reader.allow(...Object.keys(allowed), ...Object.keys(members));
  const credentials = reader.value('credentials');
  const writes = reader.choice('writes', ['never', 'sandbox'], 'never');
  const rules = readRules(reader);
  return Object.freeze<ReadShadow>({
    upstream: readMembers(shadowName(name), reader, variables),
    percent: reader.wholeNumber('share', 0, 100, 100),
    callers: readNames(reader, 'callers'),
    operations: readNames(reader, 'operations'),
    copiesWrites: writes === 'sandbox',
    spread: reader.choice('spread', ['caller', 'request'], 'caller'),
    mayAnswer: mayAnswer(around.value('credentials'), credentials),
    getsCredentials: credentials === 'forward',
    getsSecrets: credentials !== 'none',
    queueMax: reader.wholeNumber('queueMax', 1, 100_000, 256),
    concurrency: reader.wholeNumber('concurrency', 1, 1_000, 4),
    bytesMax: reader.wholeNumber('bytesMax', 1024, 1 << 30, 16 << 20),
    cpuPercent: reader.wholeNumber('cpuPercent', 1, 100, 5),
    rollback: readRollback(reader.object('rollback')),
    ...rules,
  });
}

function readRollback(rollback: MemberReader): ReadShadow['rollback'] {
  rollback.allow('differences', 'errors', 'requestsMin', 'seconds');
  return {
    differences: rollback.wholeNumber('differences', 0, 100, 1),
    errors: rollback.wholeNumber('errors', 0, 100, 1),
    requestsMin: rollback.wholeNumber('requestsMin', 1, 1_000_000, 20),
    windowMs: rollback.wholeNumber('seconds', 1, 86_400, 60) * 1_000,
  };
}

function readNames(reader: MemberReader, name: 'callers' | 'operations'): readonly string[] | undefined {
  const value = reader.value(name);
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
  if (!isList) reader.fault(name, 'is no list of names');
  return isList ? value : [];
}

function readRules(reader: MemberReader): Pick<ReadShadow, 'rules' | 'rulesOf'> {
  const value = reader.value('rules') ?? {};
  if (!isMembers(value)) reader.fault('rules', 'is no object of rules');
  const rules = (isMembers(value) ? value : {}) as RuleTexts;
  try {
    return { rules, rulesOf: compileRules(rules) };
  } catch (thrown) {
    if (!(thrown instanceof RuleError)) throw thrown;
    reader.fault('rules', `is wrong: ${thrown.message}`);
    return { rules: {}, rulesOf: compileRules({}) };
  }
}

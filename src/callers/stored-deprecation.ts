/** Deprecations that operators set while servers run: how a store holds them, and what it refuses. */
import { randomBytes } from 'node:crypto';
import type { AuditActor, AuditDetail } from '../audit/audit-event.ts';
import { describeBrownOut } from './brown-out.ts';
import { type DeprecationRule, describeCalls } from './deprecation.ts';

export interface StoredDeprecation {
  readonly id: string;
  /** Was valid when it was saved, and may be from another release. Without `except`: exemptions have rows of their own. */
  readonly rule: unknown;
  /** The revision of the store that saved it. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** `credential cr_x`, or `user anna`. */
  readonly changedBy: string;
}

/** A credential that a deprecation does not concern, whether the configuration or the store holds the deprecation. */
export interface Exemption {
  /** The id of the deprecation. */
  readonly deprecation: string;
  /** The id of the credential. */
  readonly credential: string;
  readonly exemptedAt: number;
  readonly exemptedBy: string;
}

/** Every change is recorded in the audit log. The methods throw `DeprecationRefused`. */
export interface DeprecationStore {
  /** Another number after each change. */
  revision(): Promise<number>;
  load(): Promise<StoredDeprecations>;
  /** Returns the id. The rule has no faults. */
  add(rule: DeprecationRule, by: AuditActor): Promise<string>;
  /** `seen`: the revision of the deprecation that is replaced; absent for whatever it is now. */
  replace(id: string, rule: DeprecationRule, by: AuditActor, seen?: number): Promise<void>;
  /** Removes its exemptions as well. */
  remove(id: string, by: AuditActor, seen?: number): Promise<void>;
  /** `id`: of a stored deprecation, or of one of the configuration. Does nothing for a credential that is exempt. */
  exempt(id: string, credential: string, by: AuditActor): Promise<void>;
  endExemption(id: string, credential: string, by: AuditActor): Promise<void>;
}

/** Everything that the store holds of deprecations. */
export interface StoredDeprecations {
  /** Another one after each change. */
  readonly revision: number;
  /** Oldest first. */
  readonly deprecations: readonly StoredDeprecation[];
  readonly exemptions: readonly Exemption[];
}

export const storedDeprecationsMax = 100;
export const exemptionsMax = 1_000;
/** Characters of a rule in the store. */
export const ruleLengthMax = 16_384;

/** Why a change was refused. */
export type DeprecationRefusal =
  /** No deprecation, or no exemption, has this id. */
  | 'unknown'
  /** Another operator has changed it meanwhile. */
  | 'changed'
  /** One of the limits above. */
  | 'tooMany';

/** A change of the stored deprecations that the store refuses. */
export class DeprecationRefused extends Error {
  override readonly name = 'DeprecationRefused';
  readonly reason: DeprecationRefusal;
  constructor(reason: DeprecationRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws DeprecationRefused where a store with so many deprecations takes no other one. */
export function requireSpace(stored: number): void {
  if (stored >= storedDeprecationsMax)
    throw new DeprecationRefused('tooMany', `the store holds ${stored} deprecations: remove one first`);
}

/** Throws DeprecationRefused where a deprecation would have too many exemptions. */
export function requireExemptions(id: string, stored: number): void {
  if (stored > exemptionsMax)
    throw new DeprecationRefused('tooMany', `${id} would exempt more than ${exemptionsMax} credentials`);
}

/** Returns the deprecation that was found. Throws DeprecationRefused where there is none, or it is not the one that was `seen`. */
export function requireUnchanged<D extends Pick<StoredDeprecation, 'revision' | 'changedBy'>>(
  id: string,
  found: D | undefined,
  seen: number | undefined,
): D {
  if (found === undefined) throw new DeprecationRefused('unknown', `no deprecation in the store has the id ${id}`);
  if (seen !== undefined && found.revision !== seen)
    throw new DeprecationRefused('changed', `${found.changedBy} has changed ${id} meanwhile: look at it again`);
  return found;
}

/** The refusal to end an exemption that is not in the store. */
export function noSuchExemption(id: string, credential: string): DeprecationRefused {
  return new DeprecationRefused('unknown', `${credential} has no exemption from ${id} in the store`);
}

/** A random id of a deprecation. */
export function createDeprecationId(): string {
  return `dp_${randomBytes(9).toString('base64url')}`;
}

/** Returns the name of an actor, as stored deprecations have it. */
export function nameOf({ type, name }: AuditActor): string {
  return `${type} ${name}`;
}

/** Returns what the audit log says of a rule. */
export function describeRule(rule: unknown): AuditDetail {
  if (typeof rule !== 'object' || rule === null) return {};
  const { deprecatedSince, sunset, refuseAfterSunset, brownOuts = [] } = rule as DeprecationRule;
  return {
    calls: describeCalls(rule as DeprecationRule).slice(0, detailMax),
    deprecatedSince,
    sunset,
    refuseAfterSunset,
    brownOuts: brownOuts.map(describeBrownOut).join(', ').slice(0, detailMax) || undefined,
  };
}

/** Returns credentials as one text for the audit log. */
export function listText(credentials: readonly string[]): string | undefined {
  return credentials.join(' ').slice(0, detailMax) || undefined;
}

/** Characters of a value in the audit log. */
const detailMax = 500;

/** Deprecations that operators set while servers run: how a store holds them, and what it refuses. */
import { randomBytes } from 'node:crypto';
import { type AuditActor, type AuditDetail, type AuditedKind, actorName } from '../../access/index.ts';
import { type Clock, compareTexts } from '../../core/lib/index.ts';
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
type DeprecationRefusal =
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

/** The deprecations and exemptions, without their revision. */
export type DeprecationContents = Omit<StoredDeprecations, 'revision'>;

/** What a change makes of the stored state. */
interface ChangedState extends DeprecationContents {
  readonly kind: AuditedKind;
  /** The id of the deprecation. */
  readonly subject: string;
  readonly detail: AuditDetail;
}

/** Stores what `work` makes of the state, and records it. `revision`: that of the change. */
export type ChangeDeprecations = (by: AuditActor, work: (stored: StoredDeprecations) => ChangedState) => Promise<void>;

/** How a store holds the state. */
interface DeprecationStorage extends Pick<DeprecationStore, 'revision' | 'load'> {
  readonly change: ChangeDeprecations;
  readonly clock: Clock;
}

/** Returns the deprecations of a storage. */
export function createDeprecations({ revision, load, change, clock }: DeprecationStorage): DeprecationStore {
  const exempt = (exemptions: readonly Exemption[], id: string, credentials: readonly string[], by: AuditActor) => {
    const known = new Set(exemptions.flatMap((each) => (each.deprecation === id ? [each.credential] : [])));
    const added = [...new Set(credentials)].filter((credential) => !known.has(credential));
    requireExemptions(id, known.size + added.length);
    const facts = { deprecation: id, exemptedAt: clock.now(), exemptedBy: actorName(by) };
    return [...exemptions, ...added.map((credential) => ({ ...facts, credential }))].toSorted(
      (one, other) =>
        compareTexts(one.deprecation, other.deprecation) ||
        one.exemptedAt - other.exemptedAt ||
        compareTexts(one.credential, other.credential),
    );
  };
  const describe = (id: string, rule: unknown, revision: number, by: AuditActor): StoredDeprecation => ({
    ...{ id, rule, revision, changedAt: clock.now(), changedBy: actorName(by) },
  });
  return Object.freeze<DeprecationStore>({
    revision,
    load,
    async add({ except = [], ...rule }, by) {
      const id = `dp_${randomBytes(9).toString('base64url')}`;
      await change(by, ({ deprecations, exemptions, revision: next }) => {
        requireSpace(deprecations.length);
        return {
          // A change whose answer was lost may be there, and behind another one.
          deprecations: [...deprecations.filter((each) => each.id !== id), describe(id, rule, next, by)],
          exemptions: exempt(exemptions, id, except, by),
          ...{ kind: 'deprecationAdded', subject: id },
          detail: { ...describeRule(rule), exempt: listText(except) },
        };
      });
      return id;
    },
    replace: (id, { except = [], ...rule }, by, seen) =>
      change(by, ({ deprecations, exemptions, revision: next }) => {
        const replaced = requireUnchanged(id, findIn(deprecations, id), seen);
        return {
          deprecations: [...deprecations.filter((each) => each !== replaced), describe(id, rule, next, by)],
          exemptions: exempt(exemptions, id, except, by),
          ...{ kind: 'deprecationChanged', subject: id },
          detail: { ...describeRule(rule), exempt: listText(except) },
        };
      }),
    remove: (id, by, seen) =>
      change(by, ({ deprecations, exemptions }) => {
        const removed = requireUnchanged(id, findIn(deprecations, id), seen);
        return {
          deprecations: deprecations.filter((each) => each !== removed),
          exemptions: exemptions.filter(({ deprecation }) => deprecation !== id),
          ...{ kind: 'deprecationRemoved', subject: id },
          detail: describeRule(removed.rule),
        };
      }),
    exempt: (id, credential, by) =>
      change(by, ({ deprecations, exemptions }) => ({
        deprecations,
        exemptions: exempt(exemptions, id, [credential], by),
        ...{ kind: 'exemptionAdded', subject: id },
        detail: { credential },
      })),
    endExemption: (id, credential, by) =>
      change(by, ({ deprecations, exemptions }) => {
        const left = exemptions.filter((each) => each.deprecation !== id || each.credential !== credential);
        if (left.length === exemptions.length) throw noSuchExemption(id, credential);
        return {
          deprecations,
          exemptions: left,
          ...{ kind: 'exemptionRemoved', subject: id },
          detail: { credential },
        };
      }),
  });
}

function findIn(deprecations: readonly StoredDeprecation[], id: string): StoredDeprecation | undefined {
  return deprecations.find((each) => each.id === id);
}

/** Throws DeprecationRefused where a store with so many deprecations takes no other one. */
function requireSpace(stored: number): void {
  if (stored >= storedDeprecationsMax)
    throw new DeprecationRefused('tooMany', `the store holds ${stored} deprecations: remove one first`);
}

/** Throws DeprecationRefused where a deprecation would have too many exemptions. */
function requireExemptions(id: string, stored: number): void {
  if (stored > exemptionsMax)
    throw new DeprecationRefused('tooMany', `${id} would exempt more than ${exemptionsMax} credentials`);
}

/** Returns the deprecation that was found. Throws DeprecationRefused where there is none, or it is not the one that was `seen`. */
function requireUnchanged(
  id: string,
  found: StoredDeprecation | undefined,
  seen: number | undefined,
): StoredDeprecation {
  if (found === undefined) throw new DeprecationRefused('unknown', `no deprecation in the store has the id ${id}`);
  if (seen !== undefined && found.revision !== seen)
    throw new DeprecationRefused('changed', `${found.changedBy} has changed ${id} meanwhile: look at it again`);
  return found;
}

/** The refusal to end an exemption that is not in the store. */
function noSuchExemption(id: string, credential: string): DeprecationRefused {
  return new DeprecationRefused('unknown', `${credential} has no exemption from ${id} in the store`);
}

/** Returns what the audit log says of a rule. */
function describeRule(rule: unknown): AuditDetail {
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
function listText(credentials: readonly string[]): string | undefined {
  return credentials.join(' ').slice(0, detailMax) || undefined;
}

/** Characters of a value in the audit log. */
const detailMax = 500;

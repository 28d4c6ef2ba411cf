/** The second factor of people who log in to the console: the one-time codes of an app (RFC 6238), and recovery codes. */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../core/lib/index.ts';
import type { SealScope, Vault } from '../../core/vault/index.ts';
import { type Engine, type RowOf, type Session, statement } from '../../stores/index.ts';
import type { AuditedWrite } from '../audit/audited-write.ts';
import type { secondFactors } from '../tables.ts';
import { findLive } from './credential-registry.ts';
import { RegistryError } from './credential-rules.ts';
import { dropSecondFactor } from './credential-statements.ts';
import type { Credentials, Verification } from './credentials.ts';

/** A new second factor. It is shown only once. */
export interface IssuedSecondFactor {
  /** The secret in Base32, for an app into which it is typed. */
  readonly key: string;
  /** The same as an `otpauth:` URI. */
  readonly uri: string;
  readonly recoveryCodes: readonly string[];
}

/** What the store holds, sealed. */
interface Factor {
  readonly key: string;
  /** The time step of the last code that was accepted. Neither it nor an earlier one is accepted again. */
  readonly lastStep: number;
  /** The SHA-256 hashes of recovery codes that were not used. Each code has 80 random bits, so its hash needs no key. */
  readonly recoveryHashes: readonly string[];
  /** Wrong codes since the last one that was accepted. No time resets them: a code that is wrong now may be right later. */
  readonly wrongCodes?: number;
}

/** `none`: the credential has no second factor. */
type CodeResult = 'accepted' | 'refused' | 'none';

type SecondFactors = ReturnType<typeof createSecondFactors>;

const keyBytes = 20;
const recoveryCodeBytes = 10;
const recoveryCodeCount = 10;
/** The clock of the app may be one step (30 s) behind or ahead. */
const driftSteps = 1;
/** After so many wrong codes the app's are refused until a recovery code is used or an operator replaces something. Together they guess one of 16,000 factors. */
const wrongCodesMax = 20;

type FactorRow = RowOf<typeof secondFactors>;

const find = statement<FactorRow>(
  'find-second-factor',
  'select * from second_factor where tenant = $1 and credential_id = $2',
);
const set = statement(
  'set-second-factor',
  `insert into second_factor (tenant, credential_id, key_id, data_key, sealed_factor, revision, created_at)
   values ($1, $2, $3, $4, $5, 1, $6)
   on conflict (tenant, credential_id) do update
      set key_id = excluded.key_id, data_key = excluded.data_key, sealed_factor = excluded.sealed_factor,
          revision = second_factor.revision + 1, created_at = excluded.created_at`,
);
/** Writes no row where another process was faster. */
const change = statement(
  'change-second-factor',
  `update second_factor set key_id = $3, data_key = $4, sealed_factor = $5, revision = revision + 1
    where tenant = $1 and credential_id = $2 and revision = $6`,
);

interface SecondFactorParts {
  readonly engine: Engine;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly write: AuditedWrite;
}

export function createSecondFactors({ engine, vault, clock, write }: SecondFactorParts) {
  const seal = (tenant: string, id: string, factor: Factor) => {
    const { keyId, dataKey, payload = '' } = vault.seal(scopeOf(tenant, id), { payload: JSON.stringify(factor) });
    return [tenant, id, keyId, dataKey, payload];
  };
  const open = ({ tenant, credential_id, key_id, data_key, sealed_factor }: FactorRow): Factor => {
    const sealed = { keyId: key_id, dataKey: data_key, payload: sealed_factor };
    return JSON.parse(vault.open(scopeOf(tenant, credential_id), sealed, 'payload'));
  };
  const save = async (session: Session, row: FactorRow, factor: Factor): Promise<boolean> =>
    (await session.execute(change, [...seal(row.tenant, row.credential_id, factor), row.revision])) > 0;
  return Object.freeze({
    /** Sets up a second factor, or replaces it. Throws `RegistryError`. */
    set: (id: string): Promise<IssuedSecondFactor> =>
      write(async (session, record) => {
        const { tenant, kind, username } = await findLive(session, id);
        if (kind !== 'basic' || username === null)
          throw new RegistryError(`${id} has no username: people log in with a username, a password and a code`);
        const { Secret, TOTP } = await import('otpauth');
        const totp = new TOTP({ issuer: 'Triglyph', label: username, secret: new Secret({ size: keyBytes }) });
        const { codes, hashes } = await generateRecoveryCodes();
        const key = totp.secret.base32;
        await session.execute(set, [...seal(tenant, id, { key, lastStep: 0, recoveryHashes: hashes }), clock.now()]);
        record('secondFactorChanged', id, { change: 'set' });
        return { key, uri: totp.toString(), recoveryCodes: codes };
      }),
    /** Throws `RegistryError` where there is none. */
    remove: (id: string): Promise<void> =>
      write(async (session, record) => {
        const { tenant } = await findLive(session, id);
        if ((await session.execute(dropSecondFactor, [tenant, id])) === 0) throw new RegistryError(noFactor(id));
        record('secondFactorChanged', id, { change: 'removed' });
      }),
    /** Returns new recovery codes. The previous ones end. Throws `RegistryError`. */
    replaceRecoveryCodes: (id: string): Promise<readonly string[]> =>
      write(async (session, record) => {
        const { tenant } = await findLive(session, id);
        const [row] = await session.query(find, [tenant, id]);
        if (row === undefined) throw new RegistryError(noFactor(id));
        const { codes, hashes } = await generateRecoveryCodes();
        if (!(await save(session, row, { ...open(row), recoveryHashes: hashes, wrongCodes: 0 })))
          throw new RegistryError(`the second factor of ${id} was used meanwhile: try again`);
        record('secondFactorChanged', id, { change: 'recoveryCodesReplaced' });
        return codes;
      }),
    /** Accepts a code of the app or a recovery code, and never accepts it again. Counts a wrong one. `now`: the time of the codes. */
    async use(tenant: string, id: string, code: string | undefined, now: number): Promise<CodeResult> {
      const [known] = await engine.read((session) => session.query(find, [tenant, id]));
      if (known === undefined) return 'none';
      if (code === undefined) return 'refused';
      const otpauth = await import('otpauth');
      // Codes at the same time are compared one after the other, so none escapes the count.
      return write(async (session, record) => {
        const [row] = await session.query(find, [tenant, id]);
        if (row === undefined) return 'refused';
        const before = open(row);
        const { wrongCodes = 0 } = before;
        const after = useCode(otpauth, before, code, now);
        if (after === undefined) {
          if (wrongCodes >= wrongCodesMax) return 'refused';
          await save(session, row, { ...before, wrongCodes: wrongCodes + 1 });
          if (wrongCodes + 1 === wrongCodesMax) record('secondFactorChanged', id, { change: 'locked' });
          return 'refused';
        }
        if (!(await save(session, row, { ...after, wrongCodes: 0 }))) return 'refused';
        const { length: left } = after.recoveryHashes;
        if (left < before.recoveryHashes.length)
          record('secondFactorChanged', id, { change: 'recoveryCodeUsed', recoveryCodes: left });
        return 'accepted';
      });
    },
  });
}

function scopeOf(tenant: string, id: string): SealScope {
  return { tenant, record: `second factor ${id}` };
}

function noFactor(id: string): string {
  return `${id} has no second factor`;
}

/** Returns the factor after the code was used. Undefined for a wrong code, for one that was used before, and for the app's after too many wrong ones. */
function useCode(
  { Secret, TOTP }: typeof import('otpauth'),
  factor: Factor,
  given: string,
  now: number,
): Factor | undefined {
  const code = given.replace(/[\s-]/g, '').toUpperCase();
  const totp = new TOTP({ secret: Secret.fromBase32(factor.key) });
  const delta = totp.validate({ token: code, timestamp: now, window: driftSteps });
  if (delta !== null) {
    if ((factor.wrongCodes ?? 0) >= wrongCodesMax) return undefined;
    const step = totp.counter({ timestamp: now }) + delta;
    return step > factor.lastStep ? { ...factor, lastStep: step } : undefined;
  }
  const hash = hashOf(code);
  const recoveryHashes = factor.recoveryHashes.filter((each) => each !== hash);
  return recoveryHashes.length < factor.recoveryHashes.length ? { ...factor, recoveryHashes } : undefined;
}

async function generateRecoveryCodes() {
  const { Secret } = await import('otpauth');
  const codes = Array.from({ length: recoveryCodeCount }, () => new Secret({ size: recoveryCodeBytes }).base32);
  return {
    codes: codes.map((code) => code.replace(/....(?=.)/g, '$&-')),
    hashes: codes.map(hashOf),
  };
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

/** How long the refusal of a log-in takes. */
export const refusalMs = 300;

export interface SecondFactorRules {
  readonly factors: Pick<SecondFactors, 'use'>;
  /** The clock of the codes. */
  readonly clock: Clock;
  /** Credentials with one of these roles are refused without a second factor. */
  readonly requiredFor?: readonly string[] | undefined;
  readonly refusalMs?: number | undefined;
}

/**
 * Requires the code of a credential that has a second factor, beside its secret. Refusals take the same time, whether the name, the
 * secret or the code was wrong: the time is longer than the work for any of them.
 */
export function withSecondFactor(credentials: Credentials, rules: SecondFactorRules): Credentials {
  const { factors, clock, requiredFor = [], refusalMs: refusedAfterMs = refusalMs } = rules;
  const verify: Credentials['verify'] = async (presented, origin) => {
    const verification = await credentials.verify(presented, origin);
    if (verification.caller === undefined) return verification;
    const { credential, tenant, roles } = verification.caller;
    const result = await factors.use(tenant, credential, origin?.code, clock.now());
    const isEnough = result === 'none' ? !requiredFor.some((role) => roles.has(role)) : result === 'accepted';
    return isEnough ? verification : ({ refusal: 'secondFactor', credential, tenant } satisfies Verification);
  };
  return Object.freeze<Credentials>({
    async verify(presented, origin) {
      const startedAt = performance.now();
      const verification = await verify(presented, origin);
      const leftMs = refusedAfterMs - (performance.now() - startedAt);
      if (verification.caller === undefined && leftMs > 0) await setTimeout(leftMs);
      return verification;
    },
  });
}

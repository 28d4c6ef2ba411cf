/** Refuses log-ins that are over a limit before their secret is compared, and reports every refusal. */

import { Problem } from '../core/contract/index.ts';
import type { CredentialRefusal, Verification } from './credentials/credentials.ts';
import type { LoginAttempt, LoginLimits } from './limits/login-limits.ts';

/** A log-in that was refused. */
export interface LoginRefused {
  /** `locked`, or why the credential was refused. */
  readonly reason: CredentialRefusal | 'locked';
  /** The keyed hash of the name; absent where the secret is all there is. */
  readonly nameHash: string | undefined;
  /** Absent where there is no connection. */
  readonly address: string | undefined;
  /** The credential that has the name, where it is known. */
  readonly credential?: string | undefined;
}

export interface LoginGuard {
  /** Throws `tooManyRequests` for an attempt that may not be verified now, or whose result may not be told. */
  check(attempt: LoginAttempt): void;
  /**
   * Counts a refusal of the store. Resolves before the caller may learn of it: a restart must not forget it. Returns the hash of the name, for the log.
   * Never rejects.
   */
  refused(
    attempt: LoginAttempt,
    refusal: Extract<Verification, { readonly refusal: unknown }>,
  ): Promise<string | undefined>;
  /** Reports the refusal of a certificate, which cannot be guessed and is not counted. */
  refusedCertificate(address: string | undefined, refusal: Extract<Verification, { readonly refusal: unknown }>): void;
  accepted(attempt: LoginAttempt): void;
}

export function createLoginGuard(limits: LoginLimits, report: (refused: LoginRefused) => void): LoginGuard {
  return Object.freeze<LoginGuard>({
    check(attempt) {
      const ms = limits.lockedMs(attempt);
      if (ms === 0) return;
      const nameHash = limits.nameHash(attempt);
      report({ reason: 'locked', nameHash, address: attempt.address });
      throw new Problem('tooManyRequests', undefined, {
        retryAfterSeconds: Math.ceil(ms / 1000),
        reason: 'locked',
        nameHash,
      });
    },
    async refused(attempt, { refusal, credential }) {
      // Right secrets that are bound to something else count, too: the time of the lock would tell them from wrong ones.
      const counted = limits.countFailure(attempt);
      const nameHash = limits.nameHash(attempt);
      report({ reason: refusal, nameHash, address: attempt.address, credential });
      await counted;
      return nameHash;
    },
    refusedCertificate: (address, { refusal, credential }) =>
      report({ reason: refusal, nameHash: undefined, address, credential }),
    accepted: (attempt) => limits.accepted(attempt),
  });
}

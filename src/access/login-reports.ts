/** Counts refused log-ins in the metrics, and records them in the audit log, summed up so that an attack does not flood it. */
import { gatewayActor } from './audit/audit-event.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { LoginRefused } from './login-guard.ts';

/** The metric that counts refused log-ins by their reason. */
export const loginCounter = {
  name: 'triglyph_logins_refused_total',
  help: 'Refused log-ins by reason: unknownName (API keys, too), wrongSecret, expired, otherAddress, otherCertificate, secondFactor, locked.',
};

interface LoginReports {
  report(refused: LoginRefused): void;
  /** Records what was summed up. */
  flush(): void;
}

interface Sum {
  attempts: number;
  locked: number;
  readonly addresses: Set<string>;
  /** Of the last refusal. */
  address: string | undefined;
  reason: string;
  credential: string | undefined;
}

const intervalMs = 10_000;
/** More names than this in an interval are summed up as one, and more addresses of a name are not told apart. */
const sumsMax = 100;
const addressesMax = 100;
const others = 'others';

/** One event for each name, or for each address where there is no name, in ten seconds. */
export function createLoginReports(audit: AuditTrail, count: (reason: string) => void): LoginReports {
  const sums = new Map<string, Sum>();
  const flush = (): void => {
    for (const [subject, { attempts, locked, addresses, address, reason, credential }] of sums)
      audit.record({
        kind: 'loginRefused',
        actor: gatewayActor,
        subject,
        detail: { attempts, locked, addresses: addresses.size, address, reason, credential },
      });
    sums.clear();
  };
  return Object.freeze<LoginReports>({
    report({ reason, nameHash, address, credential }) {
      count(reason);
      if (sums.size === 0) setTimeout(flush, intervalMs).unref();
      const subject = nameHash ?? address ?? 'no address';
      const sum = sumOf(sums, sums.has(subject) || sums.size < sumsMax ? subject : others);
      sum.attempts += 1;
      if (reason === 'locked') sum.locked += 1;
      if (address !== undefined && sum.addresses.size < addressesMax) sum.addresses.add(address);
      sum.address = address;
      sum.reason = reason;
      sum.credential ??= credential;
    },
    flush,
  });
}

function sumOf(sums: Map<string, Sum>, subject: string): Sum {
  const known = sums.get(subject);
  if (known !== undefined) return known;
  const sum: Sum = {
    attempts: 0,
    locked: 0,
    addresses: new Set(),
    address: undefined,
    reason: '',
    credential: undefined,
  };
  sums.set(subject, sum);
  return sum;
}

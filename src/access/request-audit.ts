/** Records what requests do that the audit log must show: first uses of credentials, and card data that was returned. */

import { type Operation, partsIn } from '../core/contract/index.ts';
import type { WireRequest } from '../core/formats/index.ts';
import type { Answer, RequestObserver } from '../core/gateway/index.ts';
import { memoize } from '../core/lib/index.ts';
import { credentialActor } from './audit/audit-event.ts';
import type { AuditTrail } from './audit/audit-trail.ts';

export interface RequestAudit extends RequestObserver {
  /** Neither waits nor throws. */
  answered(request: WireRequest, answer: Pick<Answer, 'entry' | 'decoded'>): void;
  /** Records the card data that was returned since the last time, one event for each credential and operation. */
  recordCounts(): void;
}

interface Reads {
  readonly service: string;
  readonly tenant: string | undefined;
  count: number;
}

/** Credentials in memory. Beyond it the gateway starts over: the log itself holds each first use once. */
const credentialsMax = 10_000;

export function createRequestAudit(audit: AuditTrail): RequestAudit {
  const credentials = new Map<string, Map<Operation, Reads>>();
  const returnsSecrets = memoize(returnsSensitive);

  const meet = (credential: string, tenant: string | undefined): Map<Operation, Reads> => {
    if (credentials.size >= credentialsMax) recordCounts(true);
    const reads = new Map<Operation, Reads>();
    credentials.set(credential, reads);
    const actor = credentialActor(credential);
    audit.recordOnce({ kind: 'credentialFirstUsed', actor, subject: credential, detail: { tenant } });
    return reads;
  };

  function recordCounts(forget = false): void {
    for (const [credential, reads] of credentials)
      for (const [{ name }, counted] of reads) {
        const { service, tenant, count } = counted;
        if (count === 0) continue;
        counted.count = 0;
        const detail = { service, tenant, reads: count };
        audit.record({ kind: 'cardDataRead', actor: credentialActor(credential), subject: name, detail });
      }
    if (forget) credentials.clear();
  }

  return Object.freeze<RequestAudit>({
    answered(_request, { entry, decoded }) {
      const { credential, problem } = entry;
      if (problem !== undefined || credential === undefined || decoded === undefined) return;
      const reads = credentials.get(credential) ?? meet(credential, entry.tenant);
      const { operation } = decoded;
      const known = reads.get(operation);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      if (returnsSecrets(operation))
        reads.set(operation, { service: entry.service ?? '', tenant: entry.tenant, count: 1 });
    },
    recordCounts: () => recordCounts(),
  });
}

/** Whether the contract calls a part of the output sensitive. */
export function returnsSensitive({ output }: Operation): boolean {
  return partsIn(output).some(({ schema }) => schema.kind === 'string' && schema.sensitive === true);
}

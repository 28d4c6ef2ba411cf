/** Dead letters: webhooks that could not be delivered. `triglyph webhooks` and the console list and retry them. */
import type { DeadJob } from '../jobs/job.ts';
import { webhookJobKind } from '../jobs/webhooks/deliver.ts';
import type { Endpoint } from '../jobs/webhooks/ports.ts';
import { redact } from '../lib/redact.ts';
import type { Backend } from './backend.ts';
import type { Services } from './compose-services.ts';

export interface DeadLetter {
  readonly id: string;
  readonly company: string;
  readonly type: string;
  /** What the event belongs to: `merchantAccount` or `balancePlatform`. */
  readonly owner: Readonly<Record<string, string>>;
  /** Without the query, which may hold a secret of the receiver. */
  readonly endpoint: string;
  /** Milliseconds since the epoch, as the next one. */
  readonly happenedAt: number;
  readonly givenUpAt: number;
  readonly attempts: number;
  readonly because: string;
}

/** Dead letters that are retried from one read. */
const pageSize = 1_000;

type DeadLetterParts = Pick<Backend, 'endpoints' | 'inspection' | 'services' | 'jobs'>;

/** Those of one company or of all, the longest dead first. */
export async function listDeadLetters(
  { endpoints, inspection, services }: DeadLetterParts,
  { company, max }: { readonly company?: string | undefined; readonly max: number },
): Promise<readonly DeadLetter[]> {
  const addresses = new Map((await endpoints.list()).map((each) => [each.endpointId, addressOf(each)]));
  const jobs = await inspection.findDead(webhookJobKind, { tenant: company, max });
  return jobs.map((job) => toDeadLetter(job, addresses, services));
}

/** Makes the servers deliver a dead letter again. Returns false where there is none with this id. */
export async function retryDeadLetter(
  { inspection, jobs }: DeadLetterParts,
  id: string,
  company?: string,
): Promise<boolean> {
  // The ids of webhook jobs have a slash. Other jobs must not be revived here.
  if (!id.includes('/')) return false;
  if (company !== undefined) return jobs.revive(company, id);
  for (const tenant of await inspection.findDeadTenants(webhookJobKind)) if (await jobs.revive(tenant, id)) return true;
  return false;
}

/** Makes the servers deliver all dead letters again, and returns their number. */
export async function retryAllDeadLetters({ inspection, jobs }: DeadLetterParts): Promise<number> {
  let revived = 0;
  for (let more = true; more; ) {
    const letters = await inspection.findDead(webhookJobKind, { max: pageSize });
    for (const { tenant, jobId } of letters) if (await jobs.revive(tenant, jobId)) revived += 1;
    more = letters.length === pageSize;
  }
  return revived;
}

function toDeadLetter(job: DeadJob, addresses: ReadonlyMap<string, string>, services: Services): DeadLetter {
  const { at, type, owner } = services.summarizeEvent(job.payload);
  const endpointId = job.jobId.slice(job.jobId.indexOf('/') + 1);
  return {
    id: job.jobId,
    company: job.tenant,
    type,
    owner,
    endpoint: addresses.get(endpointId) ?? redact(endpointId),
    happenedAt: at,
    givenUpAt: job.deadSince,
    attempts: job.attempts,
    because: redact(job.lastFailure),
  };
}

/** The address of an endpoint for operators, without its query, which may hold a secret of the receiver. */
export function addressOf({ url, altered }: Pick<Endpoint, 'url' | 'altered'>): string {
  if (altered) return 'changed in the database';
  const { origin, pathname } = new URL(url);
  return redact(`${origin}${pathname}`);
}

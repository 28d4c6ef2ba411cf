/** `triglyph webhooks list` and `retry`: webhooks that could not be delivered. */
import type { Backend } from '../../app/backend.ts';
import type { DeadJob } from '../../jobs/job.ts';
import { redact } from '../../lib/redact.ts';
import { summarizeEvent } from '../../services/index.ts';
import { CommandError } from '../command-error.ts';
import { formatSecond, print, printAll } from '../output.ts';
import { withBackend } from '../with-backend.ts';

export async function listDeadLetters(
  company: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<void> {
  const letters = await withBackend((backend) => findDeadLetters(backend, company));
  if (json) print(JSON.stringify(letters));
  else if (letters.length === 0) print('There is no dead letter.');
  else printAll(letters.map(formatDeadLetter));
}

export async function retryDeadLetters(id: string | undefined, { all }: { readonly all?: boolean }): Promise<void> {
  if ((id === undefined) === (all !== true)) throw new CommandError(['name one dead letter, or give --all']);
  const revived = await withBackend((backend) => (id === undefined ? reviveAll(backend) : reviveOne(backend, id)));
  if (id !== undefined && revived === 0) throw new CommandError([`no dead letter has the id ${id}`]);
  print(`The servers deliver ${revived} ${revived === 1 ? 'webhook' : 'webhooks'} again, with new attempts.`);
}

interface DeadLetter {
  readonly id: string;
  readonly company: string;
  readonly type: string;
  /** For events of stored details and checks. */
  readonly merchantAccount?: string;
  /** For events of resources. */
  readonly balancePlatform?: string;
  /** Without the query, which may hold a secret of the receiver. */
  readonly endpoint: string;
  readonly happenedAt: string;
  readonly givenUpAt: string;
  readonly attempts: number;
  readonly because: string;
}

/** The dead letters of one company that are read at once. */
const pageSize = 1_000;

async function findDeadLetters(backend: Backend, company: string | undefined): Promise<readonly DeadLetter[]> {
  const endpoints = await backend.endpoints.list();
  const addresses = new Map(endpoints.map(({ endpointId, url }) => [endpointId, withoutQuery(url)]));
  const letters: DeadLetter[] = [];
  for (const each of company === undefined ? await listCompanies(backend) : [company])
    for (const job of await backend.jobs.findDead(each, 'webhook', pageSize))
      letters.push(toDeadLetter(job, addresses));
  return letters;
}

async function reviveAll(backend: Backend): Promise<number> {
  let revived = 0;
  for (const company of await listCompanies(backend))
    for (let more = true; more; ) {
      const letters = await backend.jobs.findDead(company, 'webhook', pageSize);
      for (const { jobId } of letters) if (await backend.jobs.revive(company, jobId)) revived += 1;
      more = letters.length === pageSize;
    }
  return revived;
}

async function reviveOne(backend: Backend, id: string): Promise<number> {
  // The ids of webhook jobs have a slash. Other jobs must not be revived here.
  if (!id.includes('/')) return 0;
  for (const company of await listCompanies(backend)) if (await backend.jobs.revive(company, id)) return 1;
  return 0;
}

async function listCompanies({ registry }: Backend): Promise<readonly string[]> {
  const owned = [...(await registry.listMerchantAccounts()), ...(await registry.listBalancePlatforms())];
  return [...new Set(owned.map(({ company }) => company))];
}

function toDeadLetter(job: DeadJob, addresses: ReadonlyMap<string, string>): DeadLetter {
  const { at, ...event } = summarizeEvent(job.payload);
  const endpointId = job.jobId.slice(job.jobId.indexOf('/') + 1);
  return {
    id: job.jobId,
    company: job.tenant,
    ...event,
    endpoint: redact(addresses.get(endpointId) ?? endpointId),
    happenedAt: new Date(at).toISOString(),
    givenUpAt: new Date(job.deadSince).toISOString(),
    attempts: job.attempts,
    because: redact(job.lastFailure),
  };
}

function formatDeadLetter({ id, company, type, endpoint, givenUpAt, attempts, because }: DeadLetter): string {
  return [
    id,
    company,
    type,
    endpoint,
    `given up ${formatSecond(Date.parse(givenUpAt))}`,
    `${attempts} attempts`,
    because,
  ].join('  ');
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

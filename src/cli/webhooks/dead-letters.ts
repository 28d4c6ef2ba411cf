/** `triglyph webhooks list` and `retry`: webhooks that nobody took, and another try at them. */

import type { Backend } from '../../app/backend.ts';
import type { DeadJob } from '../../jobs/job.ts';
import { redact } from '../../lib/redact.ts';
import { typeOf } from '../../webhooks/event-type.ts';
import type { Event } from '../../webhooks/ports.ts';
import { CommandError } from '../command-error.ts';
import { formatSecond, print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

interface DeadLetter {
  readonly id: string;
  readonly company: string;
  readonly type: string;
  /** Of a stored detail or a check. */
  readonly merchantAccount?: string;
  /** Of a resource. */
  readonly balancePlatform?: string;
  /** Without its query, in which a receiver may have a secret. */
  readonly endpoint: string;
  readonly happenedAt: string;
  readonly givenUpAt: string;
  readonly attempts: number;
  readonly because: string;
}

/** Of a company, at one time. */
const lettersMax = 1_000;

const companiesOf = async ({ registry }: Backend): Promise<readonly string[]> => [
  ...new Set(
    [...(await registry.listMerchantAccounts()), ...(await registry.listBalancePlatforms())].map(
      ({ company }) => company,
    ),
  ),
];

const addressOf = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};

const letterOf = (job: DeadJob, addresses: ReadonlyMap<string, string>): DeadLetter => {
  const event = JSON.parse(job.payload) as Event;
  const endpointId = job.jobId.slice(job.jobId.indexOf('/') + 1);
  return {
    id: job.jobId,
    company: job.company,
    type: typeOf(event),
    ...('record' in event ? { balancePlatform: event.platform } : { merchantAccount: event.merchantAccount }),
    endpoint: redact(addresses.get(endpointId) ?? endpointId),
    happenedAt: new Date(event.at).toISOString(),
    givenUpAt: new Date(job.deadSince).toISOString(),
    attempts: job.attempts,
    because: redact(job.lastFailure),
  };
};

const lineOf = ({ id, company, type, endpoint, givenUpAt, attempts, because }: DeadLetter): string =>
  `${id}  ${company}  ${type}  ${endpoint}  given up ${formatSecond(Date.parse(givenUpAt))}  ${attempts} attempts  ${because}`;

const find = async (room: Backend, company: string | undefined): Promise<readonly DeadLetter[]> => {
  const addresses = new Map((await room.endpoints.list()).map(({ endpointId, url }) => [endpointId, addressOf(url)]));
  const letters: DeadLetter[] = [];
  for (const each of company === undefined ? await companiesOf(room) : [company])
    for (const job of await room.jobs.findDead(each, 'webhook', lettersMax)) letters.push(letterOf(job, addresses));
  return letters;
};

export const list = async (company: string | undefined, { json }: { readonly json?: boolean }): Promise<void> => {
  const letters = await withBackend((room) => find(room, company));
  if (json) print(JSON.stringify(letters));
  else print(letters.length === 0 ? 'There is no dead letter.' : letters.map(lineOf).join('\n'));
};

const reviveAll = async (room: Backend): Promise<number> => {
  let revived = 0;
  for (const company of await companiesOf(room))
    for (let more = true; more; ) {
      const letters = await room.jobs.findDead(company, 'webhook', lettersMax);
      for (const { jobId } of letters) if (await room.jobs.revive(company, jobId)) revived += 1;
      more = letters.length === lettersMax;
    }
  return revived;
};

const reviveOne = async (room: Backend, id: string): Promise<number> => {
  // Other jobs have ids without one, and are not ours to revive.
  if (!id.includes('/')) return 0;
  for (const company of await companiesOf(room)) if (await room.jobs.revive(company, id)) return 1;
  return 0;
};

export const retry = async (id: string | undefined, { all }: { readonly all?: boolean }): Promise<void> => {
  if ((id === undefined) === (all !== true)) throw new CommandError(['name one dead letter, or give --all']);
  const revived = await withBackend((room) => (id === undefined ? reviveAll(room) : reviveOne(room, id)));
  if (id !== undefined && revived === 0) throw new CommandError([`no dead letter has the id ${id}`]);
  print(`${revived} webhooks are tried again, by the servers, as if they were new.`);
};

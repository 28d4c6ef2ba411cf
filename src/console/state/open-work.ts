/** Reads webhooks and jobs for the console, and retries dead letters. */

import type { Backend } from '../../backend/backend.ts';
import { addressOf, listDeadLetters, retryAllDeadLetters, retryDeadLetter } from '../../backend/dead-letters.ts';
import { Problem } from '../../contract/problem.ts';
import { redact } from '../../lib/redact.ts';
import type { PortOf } from '../bind-port.ts';
import { type workOperations, workProblems } from './work.ts';

export type WorkPort = PortOf<(typeof workOperations)[number]>;

const listedMax = 1_000;

export function workPort(backend: Backend): WorkPort {
  const { endpoints, inspection } = backend;
  return {
    async listWebhooks() {
      const backlogs = new Map((await inspection.summarizeEndpoints()).map((each) => [each.endpointId, each]));
      return {
        endpoints: (await endpoints.list()).map((endpoint) => {
          const { endpointId: id, tenant, format, createdAt, rotation } = endpoint;
          const { waiting = 0, dead = 0, oldestMs } = backlogs.get(id) ?? {};
          return {
            id,
            tenant,
            address: addressOf(endpoint),
            format,
            createdAt,
            twoKeysUntil: rotation?.isOver === false ? rotation.until : undefined,
            waiting,
            oldestMs,
            dead,
          };
        }),
      };
    },
    listDeadLetters: async ({ tenant }) => ({
      letters: (await listDeadLetters(backend, { company: tenant, max: listedMax })).map(
        ({ owner, company, ...letter }) => ({
          ...letter,
          tenant: company,
          owner: Object.values(owner).join(', ') || undefined,
        }),
      ),
    }),
    async retryDeadLetter({ tenant, id }) {
      if (!(await retryDeadLetter(backend, id, tenant))) throw new Problem(workProblems.deadLetterNotFound);
      return { retried: 1 };
    },
    retryAllDeadLetters: async () => ({ retried: await retryAllDeadLetters(backend) }),
    listJobs: async () => ({
      kinds: (await inspection.summarizeJobs()).map(({ lastFailure, ...counts }) => ({
        ...counts,
        lastFailure: lastFailure === undefined ? undefined : redact(lastFailure),
      })),
    }),
  };
}

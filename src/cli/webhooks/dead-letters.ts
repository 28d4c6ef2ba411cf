/** `triglyph webhooks list` and `retry`: webhooks that could not be delivered. */
import {
  type DeadLetter,
  listDeadLetters as findDeadLetters,
  retryAllDeadLetters,
  retryDeadLetter,
} from '../../backend/dead-letters.ts';
import { CommandError } from '../command-error.ts';
import { formatSecond, print, printAll } from '../output.ts';
import { withBackend } from '../with-backend.ts';

export async function listDeadLetters(
  company: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<void> {
  const letters = await withBackend((backend) => findDeadLetters(backend, { company, max: Number.MAX_SAFE_INTEGER }));
  if (json) print(JSON.stringify(letters.map(describe)));
  else if (letters.length === 0) print('There is no dead letter.');
  else printAll(letters.map(formatDeadLetter));
}

export async function retryDeadLetters(id: string | undefined, { all }: { readonly all?: boolean }): Promise<void> {
  if ((id === undefined) === (all !== true)) throw new CommandError(['name one dead letter, or give --all']);
  const revived = await withBackend(async (backend) =>
    id === undefined ? retryAllDeadLetters(backend) : Number(await retryDeadLetter(backend, id)),
  );
  if (id !== undefined && revived === 0)
    throw new CommandError([`no dead letter has the id ${id}: \`triglyph webhooks list\` prints them`]);
  print(`The servers deliver ${revived} ${revived === 1 ? 'webhook' : 'webhooks'} again, with new attempts.`);
}

function describe({ id, company, type, owner, endpoint, happenedAt, givenUpAt, attempts, because }: DeadLetter) {
  const times = { happenedAt: new Date(happenedAt).toISOString(), givenUpAt: new Date(givenUpAt).toISOString() };
  return { id, company, type, ...owner, endpoint, ...times, attempts, because };
}

function formatDeadLetter({ id, company, type, endpoint, givenUpAt, attempts, because }: DeadLetter): string {
  const until = `given up ${formatSecond(givenUpAt)}`;
  return [id, company, type, endpoint, until, `${attempts} attempts`, because].join('  ');
}

/** `triglyph callers show`: prints the last call of a caller as the JSON call that replaces it. */
import type { Backend } from '../../backend/backend.ts';
import { openRequest } from '../../callers/last-request.ts';
import type { Service } from '../../contract/service.ts';
import type { LanguageName } from '../../convert/call-source.ts';
import { printReplacement, type ReplacementCall, replaceCall } from '../../convert/replacement-call.ts';
import { createProtocols } from '../../formats/index.ts';
import { CommandError } from '../command-error.ts';
import { localOrigin } from '../origin-option.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';

interface ShowOptions {
  readonly as: LanguageName | 'json';
  readonly origin?: string;
}

export async function showCall(id: string, { as, origin: given }: ShowOptions): Promise<void> {
  const services = servedServices();
  const { call, publicUrl } = await withBackend(async (backend, config) => ({
    call: await findCall(id, backend, services),
    publicUrl: config.publicUrl,
  }));
  const origin = given ?? publicUrl ?? localOrigin;
  process.stdout.write(printReplacement(as, call, createProtocols(services), origin));
  if (call.masked.length > 0) process.stderr.write(`triglyph: replace what is masked: ${call.masked.join(', ')}\n`);
}

async function findCall(
  id: string,
  { callerRecords, context: { vault } }: Backend,
  services: readonly Service[],
): Promise<ReplacementCall> {
  const use = await callerRecords.findUse(id);
  if (use === undefined) throw new CommandError([`no caller has the id ${id}: \`triglyph callers\` prints them`]);
  const sealed = await callerRecords.findRequest(id);
  if (sealed === undefined)
    throw new CommandError([
      'this caller has sent no request that could be read and stored, or its last request was erased',
    ]);
  const call = replaceCall(use, openRequest(vault, use.tenant, id, sealed), services);
  if (call === undefined) throw new CommandError([`${use.service}.${use.operation} is no longer served`]);
  return call;
}

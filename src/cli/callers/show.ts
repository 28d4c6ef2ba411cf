/** `triglyph callers show`: prints the last call of a caller as the JSON call that replaces it. */
import type { Backend } from '../../app/backend.ts';
import type { CallerRecord } from '../../callers/caller-record.ts';
import { markMasked, maskedMembers, openRequest } from '../../callers/last-request.ts';
import { isBound, type Operation } from '../../contract/operation.ts';
import { contractOf, type Service } from '../../contract/service.ts';
import { type CallRequest, type LanguageName, printCallSource } from '../../convert/call-source.ts';
import type { SourceCredential } from '../../convert/languages/language.ts';
import { createProtocols, type Protocols } from '../../formats/index.ts';
import { CommandError } from '../command-error.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';

interface ShowOptions {
  readonly as: LanguageName | 'json';
  readonly origin?: string;
}

/** A call to be printed. */
interface FoundCall {
  readonly request: CallRequest;
  readonly credential: SourceCredential;
}

export async function showCall(id: string, { as, origin: given }: ShowOptions): Promise<void> {
  const services = servedServices();
  const { found, publicUrl } = await withBackend(async (backend, config) => ({
    found: await findCall(id, backend, services),
    publicUrl: config.publicUrl,
  }));
  const protocols = createProtocols(services);
  const origin = (given ?? publicUrl ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
  const { request, credential } = found;
  process.stdout.write(
    as === 'json'
      ? `${JSON.stringify(describeCall(request, protocols, origin), null, 2)}\n`
      : printCallSource(as, request, protocols, { origin, credential }),
  );
  const masked = maskedMembers(request.input);
  if (masked.length > 0) process.stderr.write(`triglyph: replace what is masked: ${masked.join(', ')}\n`);
}

async function findCall(
  id: string,
  { callerRecords, context: { vault } }: Backend,
  services: readonly Service[],
): Promise<FoundCall> {
  const record = (await callerRecords.list(0)).find((each) => each.id === id);
  if (record === undefined) throw new CommandError([`no caller has the id ${id}: \`triglyph callers\` prints them`]);
  const sealed = await callerRecords.findRequest(id);
  if (sealed === undefined) throw new CommandError([`${id} has sent no request that could be read and stored`]);
  const { version, credential, input } = openRequest(vault, record.use.tenant, id, sealed);
  const { service, operation } = findOperation(record, version, services);
  return {
    request: { service, operation, input: markMasked(operation, input) },
    credential,
  };
}

/** The service has the version of the address that the caller uses. */
function findOperation(
  { use }: CallerRecord,
  version: number | undefined,
  services: readonly Service[],
): { readonly service: Service; readonly operation: Operation } {
  const service =
    services.find((each) => each.name === use.service && each.version === version) ??
    contractOf(services, use.service, use.version);
  const operation = service?.operations.get(use.operation);
  if (service === undefined || operation === undefined)
    throw new CommandError([`${use.service}.${use.operation} is no longer served`]);
  return { service: { ...service, version: use.version ?? service.version }, operation };
}

function describeCall({ service, operation, input }: CallRequest, protocols: Protocols, origin: string): object {
  const format = isBound(operation) ? 'rest' : 'json';
  const {
    method = 'POST',
    path,
    headers,
    contentType,
    body,
  } = protocols[format].encodeRequest(service, operation, input);
  return {
    method,
    url: `${origin}${path}`,
    headers: { ...(body !== '' && { 'Content-Type': contentType }), ...headers },
    ...(body !== '' && { body: JSON.parse(body) as unknown }),
  };
}

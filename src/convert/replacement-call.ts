/** The JSON call that replaces the last call of a caller. Its secrets are masked. */

import { contractOf, type Operation, type Service } from '../core/contract/index.ts';
import { type Protocols, usualFormat } from '../core/formats/index.ts';
import { type CallerUse, type LastRequest, markMasked, maskedMembers } from '../insight/index.ts';
import { type CallRequest, type LanguageName, printCallSource } from './call-source.ts';
import type { SourceCredential } from './languages/language.ts';

interface ReplacementCall {
  readonly request: CallRequest;
  readonly credential: SourceCredential;
  /** The dotted names of the members to be filled in. */
  readonly masked: readonly string[];
}

/** Returns undefined for an operation that is no longer served. */
export function replaceCall(
  use: CallerUse,
  { version, credential, input }: LastRequest,
  services: readonly Service[],
): ReplacementCall | undefined {
  const service =
    services.find((each) => each.name === use.service && each.version === version) ??
    contractOf(services, use.service, use.version);
  const operation = service?.operations.get(use.operation);
  if (service === undefined || operation === undefined) return undefined;
  const marked = markMasked(operation, input);
  return {
    request: { service: { ...service, version: use.version ?? service.version }, operation, input: marked },
    credential,
    masked: maskedMembers(marked),
  };
}

/** `origin`: the address of the service, without a slash at its end. */
export function printReplacement(
  as: LanguageName | 'json',
  { request, credential }: ReplacementCall,
  protocols: Protocols,
  origin: string,
): string {
  return as === 'json'
    ? `${JSON.stringify(describeCall(request, protocols, origin), null, 2)}\n`
    : printCallSource(as, request, protocols, { origin, credential });
}

function describeCall({ service, operation, input }: CallRequest, protocols: Protocols, origin: string): object {
  const format = usualFormat(operation);
  const {
    method = 'POST',
    path,
    headers,
    contentType,
    body,
  } = protocols[format].encodeRequest(service, operation as Operation, input);
  return {
    method,
    url: `${origin}${path}`,
    headers: { ...(body !== '' && { 'Content-Type': contentType }), ...headers },
    ...(body !== '' && { body: JSON.parse(body) as unknown }),
  };
}

/** Prints a call in each wire format, as curl commands that need no change. */

import { quote } from '../../../convert/index.ts';
import type { Operation, Service } from '../../../core/contract/index.ts';
import { type ProtocolName, type Protocols, sentBody } from '../../../core/formats/index.ts';
import { exampleOf } from '../../../documents/index.ts';

const formats: Readonly<Record<string, ProtocolName>> = Object.freeze({ JSON: 'json', FORM: 'form', SOAP: 'soap11' });

/** `origin`: of the gateway. `apiKey`: where callers need a credential. */
export function sampleCalls(
  services: readonly Service[],
  protocols: Protocols,
  origin: string,
  apiKey: string | undefined,
): readonly string[] {
  const found = simplest(services);
  if (found === undefined) return [];
  const { service, operation } = found;
  const input = exampleOf(operation.input, 'mandatory');
  return Object.entries(formats).flatMap(([title, name]) => {
    const own = service.paths === undefined || operation.upstream === undefined ? undefined : service.paths;
    const isAtOwnPath =
      own !== undefined && (name === 'json' || (name === 'form' && operation.upstream?.method === 'GET'));
    const ownRequest = isAtOwnPath ? protocols.rest.encodeRequest(service, operation, input) : undefined;
    // The parts of a multipart form are no text.
    if (ownRequest !== undefined && ownRequest.bytes === undefined)
      return ['', `${title}:`, ...ownCall(ownRequest, protocols, { origin: `${origin}${own}`, apiKey, name })];
    const request = protocols[name].encodeRequest(service, operation, input);
    const { path, contentType, headers = {} } = request;
    const sent = sentBody(request);
    // A message with attachments is no text.
    const isText = typeof sent === 'string';
    const options = [
      ...(apiKey === undefined ? [] : [['X-API-Key', apiKey] as const]),
      ['Content-Type', contentType] as const,
      ...Object.entries(headers),
    ].map(([header, value]) => `-H ${quote(`${header}: ${value}`)}`);
    return [
      '',
      `${title}:`,
      `  ${isText ? '' : `echo ${sent.toString('base64')} | base64 -d | `}curl -sS ${options.join(' ')} \\`,
      `    --data-binary ${isText ? quote(sent) : '@-'} \\`,
      `    ${quote(origin + path)}`,
    ];
  });
}

interface OwnCall {
  readonly origin: string;
  readonly apiKey: string | undefined;
  readonly name: ProtocolName;
}

/** A call at the path of the upstream: in its own format, or in FORM for one that has no body. */
function ownCall(
  { method = 'POST', path, contentType, headers = {}, body }: ReturnType<Protocols['rest']['encodeRequest']>,
  protocols: Protocols,
  { origin, apiKey, name }: OwnCall,
): readonly string[] {
  const options = [
    ...(apiKey === undefined ? [] : [['X-API-Key', apiKey] as const]),
    ...(name === 'form' ? [['Accept', protocols.form.mediaType] as const] : []),
    ...(body === '' ? [] : [['Content-Type', contentType] as const]),
    ...Object.entries(headers),
  ].map(([header, value]) => ` -H ${quote(`${header}: ${value}`)}`);
  const data = body === '' ? [] : [`    --data-binary ${quote(body)} \\`];
  return [`  curl -sS -X ${method}${options.join('')} \\`, ...data, `    ${quote(origin + path)}`];
}

interface Found {
  readonly service: Service;
  readonly operation: Operation;
}

/** One that reads, if there is one, and of these the one with the fewest mandatory members. */
function simplest(services: readonly Service[]): Found | undefined {
  const all = services.flatMap((service) =>
    [...service.operations.values()].map((operation) => ({ service, operation, cost: costOf(operation) })),
  );
  return all.toSorted((a, b) => a.cost - b.cost)[0];
}

function costOf({ effect, input }: Operation): number {
  const length = JSON.stringify(exampleOf(input, 'mandatory')).length;
  // A call without members says nothing of them.
  const isEmpty = Object.keys(input.fields).length === 0;
  return (effect === 'reads' ? 0 : 1_000_000) + (isEmpty ? 100_000 : 0) + length;
}

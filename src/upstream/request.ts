/** Compiles the requests of one operation: their address, and the headers that all of them have. */

import type { Operation } from '../contract/operation.ts';
import type { Service } from '../contract/service.ts';
import type { Protocol } from '../formats/protocol.ts';
import { sentBody } from '../formats/wire.ts';
import type { OutgoingRequest } from './connections.ts';
import { addCallHeaders, fixedHeaders } from './headers.ts';
import type { UpstreamSetup } from './options.ts';

/** The request of an input. Its headers may be added to. */
export type EncodeRequest = (input: unknown, key: string | undefined) => OutgoingRequest;

export function compileRequest(
  { url, key: keyPlace, isSingleAddress }: Pick<UpstreamSetup, 'url' | 'key' | 'isSingleAddress'>,
  protocol: Protocol,
  service: Service,
  operation: Operation,
): EncodeRequest {
  const { pathname, search } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const only = isSingleAddress === true && !protocol.hasFieldsInHead ? pathname + search : undefined;
  const fixed = fixedHeaders(protocol);
  return (input, key) => {
    const bodyKey = keyPlace === 'body' ? key : undefined;
    const call = protocol.encodeRequest(service, operation, input, bodyKey);
    const { method = 'POST', path, body } = call;
    const headers = [...fixed];
    addCallHeaders(headers, protocol, call);
    if (key !== undefined && keyPlace !== undefined && keyPlace !== 'body') headers.push(keyPlace.header, key);
    return { method, path: only ?? base + path, headers, body: body === '' ? null : sentBody(call) };
  };
}

/** Compiles the requests of one operation: their address, and the headers that all of them have. */

import { Buffer } from 'node:buffer';
import {
  type AnyRequest,
  headerBlocksOf,
  headerFieldOf,
  type Operation,
  type SentParts,
  type Service,
  soapActionOf,
  uriOf,
} from '../core/contract/index.ts';
import { type Call, type Protocol, type StreamedBody, sentBody, streamedBody } from '../core/formats/index.ts';
import type { OutgoingRequest } from './connections.ts';
import { addCallHeaders, fixedHeaders, putHeader } from './headers.ts';
import type { UpstreamSetup } from './options.ts';
import { type BesideRequest, type ConfiguredBlock, compileSoapHeaders } from './soap-headers.ts';

/** The message of a request. Its headers may be added to. */
export type EncodeRequest = (request: AnyRequest, key: string | undefined, beside?: BesideRequest) => OutgoingRequest;

type RequestOptions = Pick<
  UpstreamSetup,
  'url' | 'key' | 'lookupHeader' | 'isSingleAddress' | 'soap' | 'format' | 'mtom'
>;

export function compileRequest(
  { url, key, lookupHeader, isSingleAddress, soap, format, mtom }: RequestOptions,
  protocol: Protocol,
  service: Service,
  operation: Operation,
): EncodeRequest {
  const keyPlace = key ?? (lookupHeader === undefined ? undefined : { header: lookupHeader });
  const { pathname, search } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const only = isSingleAddress === true && !protocol.hasFieldsInHead ? pathname + search : undefined;
  const fixed = fixedHeaders(protocol, operation);
  const { origin } = new URL(url);
  const tools = protocol.upstream.envelope;
  const complete = soap === undefined || tools === undefined ? undefined : compileSoapHeaders(soap, tools);
  // A signature counts for bytes in the envelope: the signer knows no parts.
  const asXop = soap?.security?.signature === undefined && (mtom ?? service.mtom ?? false);
  const action = format === 'soap11' || format === 'soap12' ? soapActionOf(operation, format) : '';
  const strip = compileStrip(service, operation);
  return (request, key, beside = {}) => {
    const bodyKey = keyPlace === 'body' ? key : undefined;
    const completion = complete?.({ ...beside, request, action });
    const input = completion === undefined ? request.input : strip(request.input, completion.blocks);
    const call = protocol.encodeRequest(service, operation, input, bodyKey, asXop);
    const { method = 'POST', path, body } = call;
    const headers = [...fixed];
    const sent = protocol.hasFieldsInHead ? request.head?.sent : undefined;
    addCallHeaders(headers, protocol, sent === undefined ? call : headOfSent(call, sent));
    if (key !== undefined && keyPlace !== undefined && keyPlace !== 'body') putHeader(headers, keyPlace.header, key);
    const sentTo = only ?? base + path;
    if (sent !== undefined) {
      const bytes = bodyOf(sent);
      const streamed = bytes && streamedBody({ contentType: '', body: '', bytes, isPassedOn: true });
      addLength(headers, streamed);
      return { method, path: withQuery(sentTo, sent), headers, body: streamed ?? bytes };
    }
    const completed = completion === undefined ? call : { ...call, body: completion.add(body, origin + sentTo) };
    if (completed.body === '') return { method, path: sentTo, headers, body: null };
    const streamed = streamedBody(completed);
    addLength(headers, streamed);
    return { method, path: sentTo, headers, body: streamed ?? sentBody(completed) };
  };
}

function addLength(headers: string[], streamed: StreamedBody | null | undefined): void {
  if (streamed?.length !== undefined) headers.push('content-length', String(streamed.length));
}

/** The media type of a body that is passed on, which is none without a body. */
function headOfSent(call: Call, { contentType = 'application/json', body }: SentParts): Call {
  return { ...call, contentType, body: body.length === 0 ? '' : ' ' };
}

function withQuery(path: string, { query }: SentParts): string {
  return query === '' ? path.replace(/\?.*/, '') : `${path.replace(/\?.*/, '')}?${query}`;
}

function bodyOf({ body }: SentParts): Buffer | null {
  return body.length === 0 ? null : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** Returns a function that leaves out the blocks of the caller that the configuration has, too: a caller cannot replace them. */
function compileStrip(
  service: Service,
  { input: schema }: Operation,
): (input: unknown, added: readonly ConfiguredBlock[]) => unknown {
  const field = headerFieldOf(schema);
  const declared = headerBlocksOf(schema);
  return (input, added) => {
    const members = input as Readonly<Record<string, unknown>>;
    if (field === undefined || members[field] === undefined || added.length === 0) return input;
    const isAdded = (name: string): boolean => {
      const namespace = uriOf(service, declared.find((each) => each.name === name)?.namespace);
      return added.some((each) => each.name === name && each.namespace === namespace);
    };
    const own = Object.entries(members[field] as Readonly<Record<string, unknown>>).filter(([name]) => !isAdded(name));
    const { [field]: _, ...rest } = members;
    return own.length === 0 ? rest : { ...rest, [field]: Object.fromEntries(own) };
  };
}

/** Middleware: serves documents to GET and HEAD without credentials, with ETag revalidation. */
import type { Message } from '../../formats/wire.ts';
import { publicOrigin } from '../forwarded.ts';
import { mountPathOf } from '../mount.ts';
import type { HttpOptions, StrictTransportOptions } from '../options.ts';
import type { ReceivedRequest } from '../received-request.ts';
import { strictTransport } from '../strict-transport.ts';
import type { Middleware } from './state.ts';

export interface Document {
  /** Media type with charset. */
  readonly contentType: string;
  readonly body: string;
  /** As in the header, quotes included. */
  readonly etag: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Finds documents by address. */
export interface Documents {
  /**
   * `path` as sent, without query; `query` without its question mark; `origin` like `https://pay.example.com`.
   * Returns undefined if no document has the address.
   */
  find(path: string, query: string, origin: string): Document | undefined;
  /** The page at the root and at the addresses of services. */
  findPage(path: string, origin: string, isBrowser: boolean): Document | undefined;
}

export interface DocumentsOptions {
  readonly documents: Documents;
  /** Absent where clients are not named. */
  readonly nameClient?: ((headers: ReceivedRequest['headers'], format: string) => string | undefined) | undefined;
  readonly options: Pick<HttpOptions, 'publicUrl' | 'port'> & StrictTransportOptions;
}

/** Passes on every request that is not for a document. */
export function serveDocuments({ documents, options, nameClient }: DocumentsOptions): Middleware {
  const vary = originHeaders(options);
  return ({ state }, next) => {
    const { method, path, query, fault, request, headers } = state.request;
    if ((method !== 'GET' && method !== 'HEAD') || fault !== undefined) return next();
    const origin = publicOrigin(request, options) + mountPathOf(request);
    const document =
      documents.find(path, query, origin) ?? documents.findPage(path, origin, acceptsHtml(headers.accept));
    if (document === undefined) return next();
    const message = documentMessage(document, headers['if-none-match'], vary, strictTransport(request, options));
    const outcome = message.status === 304 ? 'notModified' : 'ok';
    const client = nameClient?.(headers, 'document');
    state.answer = { message, entry: { protocol: 'document', path, client, requestReference: '', outcome } };
    return undefined;
  };
}

/** Programs ask for any type or for that of their format. */
function acceptsHtml(accept = ''): boolean {
  return /\btext\/html\b/i.test(accept.slice(0, 200));
}

/** The headers of requests that decide about the origin in documents. */
function originHeaders({ publicUrl, trustedProxies }: DocumentsOptions['options']): readonly string[] {
  if (publicUrl !== undefined) return [];
  return trustedProxies.any ? ['Host', 'X-Forwarded-Host', 'X-Forwarded-Proto'] : ['Host'];
}

function documentMessage(
  document: Document,
  ifNoneMatch: string | undefined,
  originHeaders: readonly string[],
  strict: Readonly<Record<string, string>>,
): Message {
  const { contentType, body, etag } = document;
  const vary = [document.headers?.Vary, ...originHeaders].filter((each) => each !== undefined).join(', ');
  const headers = {
    'Cache-Control': 'no-cache',
    ETag: etag,
    ...document.headers,
    ...(vary !== '' && { Vary: vary }),
    ...strict,
  };
  return matches(ifNoneMatch, etag)
    ? { status: 304, contentType, headers, body: '' }
    : { status: 200, contentType, headers, body };
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
function matches(wanted: string | undefined, etag: string): boolean {
  if (wanted === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return wanted.trim() === '*' || wanted.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** Middleware: serves documents to GET and HEAD without credentials, with ETag revalidation, and a page to browsers at wrong addresses. */
import type { Problem } from '../../core/contract/index.ts';
import type { Message } from '../../core/formats/index.ts';
import type { Answer } from '../../core/gateway/index.ts';
import { matchesEntityTag } from '../../core/lib/index.ts';
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
   * Returns undefined if no document has the address. While a document is derived, other requests are answered.
   */
  findInSteps(path: string, query: string, origin: string): Promise<Document | undefined>;
  /** The page at the root and at the addresses of services. */
  findPage(path: string, origin: string, isBrowser: boolean): Document | undefined;
  /** The page for browsers at an address that nothing answers. */
  pageOfWrongAddress(origin: string): Document;
}

export interface DocumentsOptions {
  readonly documents: Documents;
  /** Absent where clients are not named. */
  readonly nameClient?: ((headers: ReceivedRequest['headers'], format: string) => string | undefined) | undefined;
  readonly options: Pick<HttpOptions, 'publicUrl' | 'port'> & StrictTransportOptions;
}

/** Passes on every request that is not for a document, and answers a browser whose address names no operation. */
export function serveDocuments({ documents, options, nameClient }: DocumentsOptions): Middleware {
  const vary = originHeaders(options);
  return async ({ state }, next) => {
    const { method, path, query, fault, request, headers } = state.request;
    if ((method !== 'GET' && method !== 'HEAD') || fault !== undefined) return next();
    const origin = publicOrigin(request, options) + mountPathOf(request);
    const isBrowser = acceptsHtml(headers.accept);
    const client = nameClient?.(headers, 'document');
    const document = (await documents.findInSteps(path, query, origin)) ?? documents.findPage(path, origin, isBrowser);
    const entry = { protocol: 'document', path, client, requestReference: '' };
    if (document === undefined) {
      if (!isBrowser) return next();
      const { contentType, body, headers: own } = documents.pageOfWrongAddress(origin);
      return next().then(() => {
        const problem = problemOfAddress(state.answer);
        if (problem === undefined) return;
        const given = { ...problem.headers, ...own, ...strictTransport(request, options) };
        const message = { status: problem.status, contentType, headers: given, body };
        state.answer = { message, entry: { ...entry, outcome: problem.problem } };
      });
    }
    const message = documentMessage(document, headers['if-none-match'], vary, strictTransport(request, options));
    const outcome = message.status === 304 ? 'notModified' : 'ok';
    state.answer = { message, entry: { ...entry, outcome } };
    return undefined;
  };
}

/** The refusal of an address that names no operation, or none for GET. An operation that finds nothing was found itself. */
function problemOfAddress(answer: Answer | undefined): Problem | undefined {
  const { operation, problem } = answer?.entry ?? {};
  return operation === undefined && (problem?.status === 404 || problem?.status === 405) ? problem : undefined;
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
  return matchesEntityTag(ifNoneMatch, etag)
    ? { status: 304, contentType, headers, body: '' }
    : { status: 200, contentType, headers, body };
}

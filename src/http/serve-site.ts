/** Serves a site on a connection: reads the request within limits, and writes the answer with the headers of every response. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AdminAccess } from './admin-access.ts';
import { refuseHost } from './admin-access.ts';
import { jsonPage } from './admin-page.ts';
import type { HttpOptions, StrictTransportOptions } from './options.ts';
import { endPipeline } from './pipeline.ts';
import { ReceivedRequest } from './received-request.ts';
import type { Site, SiteAnswer } from './site.ts';
import { strictTransport } from './strict-transport.ts';

export interface SiteServerOptions {
  readonly site: Site;
  /** The names by which browsers may address the site. */
  readonly access: Pick<AdminAccess, 'hosts'>;
  readonly options: Pick<HttpOptions, 'clientCertificateHeader'> & StrictTransportOptions;
  /** Reports what the site throws. */
  readonly failed: (thrown: unknown) => void;
}

/** Messages of callers are at most 10 MB; people paste less. */
const bodyBytesMax = 2_097_152;
const headersMax = 64;

/** Returns the listener, which may be called for paths of the site only. */
export function siteListener({ site, access, options, failed }: SiteServerOptions): RequestListener {
  const limits = { ...options, bodyBytesMax, headersMax, acceptsPages: true } as const;
  return (request, response) => {
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    const received = new ReceivedRequest(request, response, limits);
    if (received.fault !== undefined) endPipeline(request.socket);
    const refusal = refuseHost(received.headers, access.hosts);
    const answer = refusal === undefined ? site.answer(received, closed.signal) : Promise.resolve(plainAnswer(refusal));
    answer
      .catch((thrown: unknown) => {
        failed(thrown);
        return plainAnswer(jsonPage(500, { failed: 'request' }));
      })
      .then(({ headers, ...found }) => {
        const all = { ...strictTransport(request, options), ...headers };
        return write(received, { ...found, headers: all }, closed.signal);
      })
      .catch(() => response.destroy());
  };
}

function plainAnswer({ status, contentType, body }: ReturnType<typeof jsonPage>): SiteAnswer {
  return { status, headers: { 'Content-Type': contentType }, body };
}

const safeHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

async function write(
  { request, response, fault }: ReceivedRequest,
  answer: SiteAnswer,
  closed: AbortSignal,
): Promise<void> {
  const { status, headers, body } = answer;
  // The rest of a body that was not read would be taken for the next request, and so may be what is behind a wrong head.
  const close = request.complete && fault === undefined ? {} : { Connection: 'close' };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const length = status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(status, { ...safeHeaders, ...length, ...close, ...headers });
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  response.writeHead(status, { ...safeHeaders, ...close, ...headers });
  response.flushHeaders();
  for await (const piece of body) {
    if (response.destroyed) return;
    // A reader that does not read holds the pieces back.
    if (!response.write(piece)) await once(response, 'drain', { signal: closed }).catch(() => {});
  }
  response.end();
}

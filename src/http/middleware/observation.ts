/** Middleware: times each request and reports it to the observer after its response is written. */
import { clientAddress } from '../forwarded.ts';
import type { Observer } from '../observer.ts';
import type { HttpOptions } from '../options.ts';
import { ReceivedRequest } from '../received-request.ts';
import type { Middleware } from './state.ts';

export interface ObservationOptions {
  readonly observer: Observer;
  readonly options: Pick<HttpOptions, 'bodyBytesMax' | 'headersMax' | 'trustedProxies' | 'clientCertificateHeader'>;
  /** Called for each request as it arrives; the server needs the request when its connection breaks. */
  readonly onRequest: (request: ReceivedRequest) => void;
}

export function observation({ observer, options, onRequest }: ObservationOptions): Middleware {
  return async (context, next) => {
    const startedAt = performance.now();
    const { req, res, state } = context;
    // The response middleware writes the response. Koa's own writing costs as much as all middlewares together.
    context.respond = false;
    const request = new ReceivedRequest(req, res, options);
    state.request = request;
    onRequest(request);
    observer.requestStarted();
    await next();
    const { sent } = state;
    if (sent === undefined) throw new TypeError('no middleware wrote a response');
    const { entry, requestId, status, bytesOut, aborted } = sent;
    observer.requestAnswered(entry, {
      method: request.method,
      traceId: request.traceId,
      requestId,
      status,
      ms: performance.now() - startedAt,
      bytesIn: request.bytesIn,
      bytesOut,
      address: clientAddress(req, options.trustedProxies),
      aborted,
    });
  };
}

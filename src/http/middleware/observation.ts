/** Middleware: times each request, and tells its observers after its response is written. */
import type { Buffer } from 'node:buffer';
import { type Answer, observeRequests, type RequestObserver, Step } from '../../core/gateway/index.ts';
import { describeTokens, mapTexts, type SpoolSpace } from '../../core/spool/index.ts';
import { clientAddress } from '../forwarded.ts';
import { LargeBodies } from '../large-bodies.ts';
import type { HttpOptions } from '../options.ts';
import { ReceivedRequest } from '../received-request.ts';
import type { Middleware } from './state.ts';

export interface ObservationOptions {
  readonly observers: readonly RequestObserver[];
  readonly options: Pick<
    HttpOptions,
    'bodyBytesMax' | 'largeBodiesBytesMax' | 'headersMax' | 'trustedProxies' | 'clientCertificateHeader'
  >;
  /** For large values; absent where they stay in memory. */
  readonly spoolSpace?: SpoolSpace | undefined;
  /** Called for each request as it arrives; the server needs the request when its connection breaks. */
  readonly onRequest: (request: ReceivedRequest) => void;
}

export function observation({ observers, options, onRequest, spoolSpace }: ObservationOptions): Middleware {
  const started = observers.flatMap((each) => each.started ?? []);
  const answered = observers.flatMap((each) => each.answered ?? []);
  const observe = observeRequests(observers);
  const limits = { ...options, largeBodies: new LargeBodies(options.largeBodiesBytesMax), spoolSpace };
  return async (context, next) => {
    const startedAt = performance.now();
    const { req, res, state } = context;
    // The response middleware writes the response. Koa's own writing costs as much as all middlewares together.
    context.respond = false;
    const request = new ReceivedRequest(req, res, limits);
    state.request = request;
    onRequest(request);
    for (const tell of started) tell();
    try {
      if (observe === undefined) await next();
      else await runObserved(observe, request, next);
      const { sent } = state;
      if (sent === undefined) throw new TypeError('no middleware wrote a response');
      const { requestId, status, bytesOut, aborted } = sent;
      const answer = request.hasLargeValues ? describeLarge(sent.answer) : sent.answer;
      const http = {
        method: request.method,
        traceId: request.traceId,
        requestId,
        status,
        ms: performance.now() - startedAt,
        bytesIn: request.bytesIn,
        bytesOut,
        address: clientAddress(req, options.trustedProxies),
        aborted,
      };
      for (const tell of answered) tell(request, answer, http);
    } finally {
      request.release();
      request.closeSpool();
    }
  };
}

/** Observers see the length of a value that is in a file. */
function describeLarge(answer: Answer): Answer {
  const { message, decoded, output } = answer;
  return {
    ...answer,
    message: { ...message, body: describeTokens(message.body) },
    ...(decoded && { decoded: { ...decoded, input: mapTexts(decoded.input, describeTokens) } }),
    ...(output !== undefined && { output: mapTexts(output, describeTokens) }),
  };
}

function runObserved(
  observe: NonNullable<ReturnType<typeof observeRequests>>,
  request: ReceivedRequest,
  next: () => Promise<void>,
): Promise<void> {
  const sentTrace = request.isTraced ? request.traceparent : undefined;
  const step = new Step({ name: 'request', httpVersion: request.request.httpVersion, sentTrace }, request);
  return observe(step, () => {
    if (step.traceparent !== undefined) request.traceparent = step.traceparent;
    // A function that is written where it is assigned to a property would be allocated among long-lived objects, and hold the request.
    const keepBody = (body: Buffer): void => {
      step.body = body;
    };
    request.onBody = keepBody;
    return next();
  });
}

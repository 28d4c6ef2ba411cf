/** Sends a request whose body is held back, so that it is in flight for as long as a test wants. */
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HeldRequest {
  /** Sends the body. */
  release(): void;
  readonly answer: Promise<{
    readonly status: number | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }>;
}

/** Resolves once the server reads the body: it says so by 100 Continue. */
export async function holdRequest(callers: string, authorization: string): Promise<HeldRequest> {
  const body = JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference: 'unknown-shopper' });
  const reading = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Awaited<HeldRequest['answer']>>();
  const call = request(`${callers}/pal/servlet/Recurring/v25/listRecurringDetails`, {
    method: 'POST',
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Authorization: authorization,
      Expect: '100-continue',
    },
  });
  const fail = (thrown: unknown) => {
    reading.reject(thrown);
    answer.reject(thrown);
  };
  call.on('error', fail);
  call.on('continue', reading.resolve);
  call.on('response', (response) => {
    text(response).then(
      (body) => answer.resolve({ status: response.statusCode, headers: response.headers, body }),
      fail,
    );
  });
  // A test that fails before it waits for the answer reports its own failure.
  answer.promise.catch(() => {});
  call.flushHeaders();
  await reading.promise;
  return { release: () => call.end(body), answer: answer.promise };
}

/** Sends one request to the HTTP updater: a POST with a limit on its time and on the size of its response, without redirects. */

import type { Buffer } from 'node:buffer';
import { errorCode, readAtMost } from '../../../../core/lib/index.ts';

/** Reasons are codes and names, never what was sent or received. */
export type ExchangeResult =
  | { readonly kind: 'answered'; readonly bytes: Buffer }
  /** The updater responds, and refuses such a request. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The updater does not respond, or responds that it cannot now. */
  | { readonly kind: 'failed'; readonly reason: string };

interface ExchangeRequest {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly secret: string | undefined;
  /** Sent as Idempotency-Key. */
  readonly id: string;
  readonly body: string;
  readonly msMax: number;
  /** The trace of the span of the call. */
  readonly traceparent: string | undefined;
}

/** Responses have under 200 bytes. */
const responseBytesMax = 16_384;

/** Never rejects. */
export async function exchange({
  url,
  secret,
  id,
  body,
  msMax,
  traceparent,
}: ExchangeRequest): Promise<ExchangeResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'idempotency-key': id,
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      },
      body,
      // Card numbers go to the configured address only.
      redirect: 'manual',
      signal: AbortSignal.timeout(msMax),
    });
    return await readResponse(response);
  } catch (thrown) {
    return failed(errorCode(thrown));
  }
}

async function readResponse(response: Response): Promise<ExchangeResult> {
  const { status, headers, body } = response;
  if (status === 200 && isJson(headers.get('content-type'))) {
    const bytes = await readAtMost(body ?? ReadableStream.from([]), responseBytesMax);
    return bytes === undefined ? refused('answer too long') : { kind: 'answered', bytes };
  }
  await body?.cancel();
  if (status === 200) return refused('not application/json');
  return status >= 500 || status === 429 || status === 408 ? failed(`status ${status}`) : refused(`status ${status}`);
}

function isJson(contentType: string | null): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

function refused(reason: string): ExchangeResult {
  return { kind: 'refused', reason };
}

function failed(reason: string): ExchangeResult {
  return { kind: 'failed', reason };
}

/** Sends a message to an endpoint with Node's fetch, which reuses connections. */
import { errorCode } from '../lib/error-code.ts';
import type { Message } from './message.ts';

/** `because` is for people and for the list of dead letters; it contains nothing of the message. */
export type SendResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'unreachable' | 'late'; readonly because: string };

export interface SendLimits {
  readonly msMax: number;
  /** Ends the attempt early. Its result is `stopped`: the endpoint may have the message. */
  readonly cutOff: AbortSignal;
}

/** More of a response is not read; its connection is closed then, and not reused. */
const responseBytesMax = 65_536;

/** Any 2xx is acceptance. Never rejects, and never takes longer than `msMax`. */
export async function send(
  url: string,
  { body, headers }: Message,
  { msMax, cutOff }: SendLimits,
): Promise<SendResult | { readonly kind: 'stopped' }> {
  const timeout = AbortSignal.timeout(msMax);
  try {
    const response = await fetch(url, {
      method: 'POST',
      // A signed event goes only where the operator has configured it.
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'triglyph', ...headers },
      body,
      signal: AbortSignal.any([timeout, cutOff]),
    });
    // The status decides, also where the rest of the response does not arrive.
    await discard(response.body).catch(() => {});
    return response.ok ? { kind: 'accepted' } : { kind: 'refused', because: `it answered ${response.status}` };
  } catch (thrown) {
    if (cutOff.aborted) return { kind: 'stopped' };
    if (timeout.aborted) return { kind: 'late', because: `no answer within ${msMax} ms` };
    return { kind: 'unreachable', because: `it could not be reached: ${errorCode(thrown)}` };
  }
}

async function discard(body: Response['body']): Promise<void> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > responseBytesMax) return;
  }
}

/** Sends a message to an endpoint over HTTP/1.1, and reuses connections. */
import type { Agent, IncomingMessage, request } from 'node:http';
import type { LookupFunction } from 'node:net';
import { errorCode, forbiddenError, lookupAllowed } from '../../../core/lib/index.ts';
import { isForbiddenHost } from './address.ts';
import type { Message } from './message.ts';

/** `because` is for people and for the list of dead letters; it contains nothing of the message. */
export type SendResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'unreachable' | 'late'; readonly because: string };

interface SendLimits {
  readonly msMax: number;
  /** Ends the attempt early. Its result is `stopped`: the endpoint may have the message. */
  readonly cutOff: AbortSignal;
  /** Replaces the one that refuses forbidden addresses. */
  readonly lookup?: LookupFunction;
}

/** More of a response is not read, and no longer after its head; its connection is closed then, and not reused. */
const responseBytesMax = 65_536;
const responseBodyMsMax = 250;
/** RFC 9110, section 15.2: a response may follow any number of informational ones. Each costs time to read. */
const informationalMax = 10;
/** Idle connections are closed before common servers close them: a request on its way would be lost. */
const idleMsMax = 4_000;

/** Any 2xx is acceptance. Never rejects, and never takes longer than `msMax`. */
export async function send(
  url: string,
  message: Message,
  { msMax, cutOff, lookup = lookupAllowed }: SendLimits,
): Promise<SendResult | { readonly kind: 'stopped' }> {
  const attempt = new AbortController();
  const end = (): void => attempt.abort();
  // `AbortSignal.timeout` would create an error long after the attempt, too.
  const timer = setTimeout(end, msMax);
  if (cutOff.aborted) end();
  cutOff.addEventListener('abort', end);
  try {
    const response = await post(new URL(url), message, { signal: attempt.signal, lookup });
    // The status decides, also where the rest of the response does not arrive.
    await discard(response);
    const { statusCode = 0 } = response;
    const isAccepted = statusCode >= 200 && statusCode < 300;
    return isAccepted ? { kind: 'accepted' } : { kind: 'refused', because: `it answered ${statusCode}` };
  } catch (thrown) {
    if (cutOff.aborted) return { kind: 'stopped' };
    if (attempt.signal.aborted) return { kind: 'late', because: `no answer within ${msMax} ms` };
    return { kind: 'unreachable', because: `it could not be reached: ${errorCode(thrown)}` };
  } finally {
    clearTimeout(timer);
    cutOff.removeEventListener('abort', end);
  }
}

interface Client {
  readonly request: typeof request;
  readonly agent: Agent;
}

const clients = new Map<string, Client>();

/** Loaded at the first delivery, so that the start does not load TLS. An import statement would also load undici. */
function clientFor(protocol: string): Client {
  const known = clients.get(protocol);
  if (known !== undefined) return known;
  const { Agent, request } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  const client = { request, agent: new Agent({ keepAlive: true, timeout: idleMsMax }) };
  clients.set(protocol, client);
  return client;
}

/** Follows no redirect: a signed event goes only where the operator has configured it. `fetch` takes three times as long. */
function post(
  url: URL,
  { body, headers }: Message,
  { signal, lookup }: { readonly signal: AbortSignal; readonly lookup: LookupFunction },
): Promise<IncomingMessage> {
  // No lookup happens for an address; rows from before a rule may hold one.
  if (isForbiddenHost(url.hostname)) return Promise.reject(forbiddenError());
  const { request, agent } = clientFor(url.protocol);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent,
      lookup,
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'triglyph', Accept: '*/*', ...headers },
      signal,
    });
    let informational = 0;
    sent.on('information', () => {
      informational += 1;
      if (informational > informationalMax) sent.destroy(endlessHeadError());
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Resolves when the response has ended, in whatever way. */
function discard(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(() => response.destroy(), responseBodyMsMax);
    response.on('data', (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes > responseBytesMax) response.destroy();
    });
    response.on('error', () => {});
    response.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function endlessHeadError(): NodeJS.ErrnoException {
  return Object.assign(new Error('too many informational responses'), { code: 'ENDLESS_INFORMATION' });
}

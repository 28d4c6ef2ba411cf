/** Gets access tokens for the gateway by its client credentials (OAuth 2, RFC 6749, section 4.4). */
import { basicHeader } from '../core/lib/index.ts';
import { Connections, type IncomingResponse } from './connections.ts';
import { UpstreamFailure } from './failure.ts';
import type { ClientCredentials, UpstreamSetup } from './options.ts';
import { Renewed } from './renewed.ts';
import { replyOf } from './reply.ts';

export interface Token {
  readonly headers: { readonly authorization: string };
  readonly startedAt: number;
  readonly msMax: number | undefined;
}

const answerBytesMax = 64 << 10;
/** A token is not used for the last tenth of its time, or minute. */
const marginMsMax = 60_000;

export class ClientTokens {
  readonly #credentials: ClientCredentials;
  readonly #connections: Connections;
  readonly #totalMs: number;
  readonly #tokens = new Renewed<Token>('token');

  constructor(credentials: ClientCredentials, { url, tls, timeouts }: Pick<UpstreamSetup, 'url' | 'tls' | 'timeouts'>) {
    this.#credentials = credentials;
    this.#totalMs = timeouts.totalMs;
    const { tokenUrl } = credentials;
    this.#connections = new Connections({
      url: tokenUrl,
      // Certificates of the upstream are for its host.
      tls: new URL(url).host === new URL(tokenUrl).host ? tls : undefined,
      timeouts,
      connections: 1,
      queueMax: 1,
      responseBytesMax: answerBytesMax,
    });
  }

  /** Returns a token. Requests at the same time share one. Rejects with `UpstreamFailure` within `msMax`. */
  find(msMax: number): Promise<Token> {
    return this.#tokens.find(msMax, () => this.#fetch());
  }

  /** The upstream has refused it. Returns whether another one may be tried. */
  end(token: Token): boolean {
    return this.#tokens.end(token);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #fetch(): Promise<Token> {
    const { pathname, search } = new URL(this.#credentials.tokenUrl);
    const { headers, body } = requestOf(this.#credentials);
    const request = { method: 'POST', path: pathname + search, headers, body };
    const startedAt = performance.now();
    const response = await this.#connections.send(request, this.#totalMs);
    return { ...(await read(response)), startedAt };
  }
}

function requestOf({ clientId, clientSecret, sentIn, parameters }: ClientCredentials) {
  const isBasic = sentIn === 'basic';
  const inBody = isBasic ? {} : { client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters, ...inBody }).toString();
  const headers = ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'];
  // Section 2.3.1: both are encoded as in forms before they are joined.
  if (isBasic) headers.push('authorization', basicHeader(encode(clientId), encode(clientSecret)));
  return { headers, body };
}

function encode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

async function read(response: IncomingResponse): Promise<Pick<Token, 'headers' | 'msMax'>> {
  const { status } = response;
  if (status >= 300 && status < 400) throw new UpstreamFailure('redirect', 'notSent', { detail: String(status) });
  const { body } = await replyOf(response, answerBytesMax);
  const answer = parse(body.toString('utf8'));
  if (status >= 500) throw new UpstreamFailure('serverError', 'notSent', { detail: String(status) });
  if (status !== 200) throw new UpstreamFailure('unauthorized', 'notDone', { detail: `${status} ${codeOf(answer)}` });
  const { access_token: token, token_type: type, expires_in: seconds } = answer;
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token) || !/^bearer$/i.test(String(type)))
    throw new UpstreamFailure('contract', 'notDone', { detail: String(status) });
  return { headers: { authorization: `Bearer ${token}` }, msMax: usableMs(Number(seconds ?? Number.NaN)) };
}

/** Absent where the endpoint does not say when it expires. */
function usableMs(seconds: number): number | undefined {
  if (!Number.isFinite(seconds)) return undefined;
  const ms = seconds * 1_000;
  return Math.max(0, ms - Math.min(marginMsMax, ms / 10));
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The code of section 5.2, for the log. Nothing else of the answer is there. */
function codeOf({ error }: Readonly<Record<string, unknown>>): string {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : '';
}

/** Calls the Transit engine of Vault or OpenBao over HTTP: one operation per call, with retries in a bounded time. */
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { type AttemptResult, errorCode, retry } from '../../lib/index.ts';

export interface TransitOptions {
  /** The origin of the service. */
  readonly url: string;
  /** Where the engine is mounted. */
  readonly mount: string;
  /** The name of the key. */
  readonly key: string;
  /** Read for each attempt, so that an agent may renew it. */
  readonly tokenFile: string;
  readonly namespace?: string | undefined;
  /** Certificates of authorities in PEM, instead of those of the machine. */
  readonly caFile?: string | undefined;
  /** For one call with its retries. */
  readonly msMax: number;
}

/** The service gives no valid answer. `status` is absent where it gave none. */
class KmsUnavailable extends Error {
  override readonly name = 'KmsUnavailable';
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

type Answer = { readonly status: number; readonly body: unknown };

const attemptMsMax = 3_000;
const backoff = { firstMs: 100, maxMs: 2_000 } as const;
const answerBytesMax = 65_536;

/** Posts to an operation of the key. Returns the member `name` of the data. Throws `KmsUnavailable`. */
export async function callTransit(
  options: TransitOptions,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  name: string,
): Promise<string> {
  const { url, mount, key, msMax } = options;
  const address = new URL(`/v1/${mount}/${operation}/${encodeURIComponent(key)}`, url);
  return await retry(
    async (remainingMs) => {
      const answer = await post(address, input, options, Math.min(remainingMs, attemptMsMax));
      const text = memberOf(answer.body, 'data', name);
      if (answer.status === 200 && typeof text === 'string') return text;
      throw new KmsUnavailable(
        `${url} answered ${operation} with ${answer.status}${hintOf(answer.status)}`,
        answer.status,
      );
    },
    { shouldRetry: isTransient, backoff, timeoutMs: msMax, attemptMsMin: 50 },
  );
}

/** The service may answer later: it is sealed, elects a leader, limits its callers, or was not reached. */
function isTransient(result: AttemptResult<string>): boolean {
  if (!('thrown' in result) || !(result.thrown instanceof KmsUnavailable)) return false;
  const { status } = result.thrown;
  return status === undefined || status === 412 || status === 429 || status >= 500;
}

function hintOf(status: number): string {
  if (status === 403) return ': the token may not use the key, or has expired';
  if (status === 400) return ': it does not know the key, or the text was wrapped by another one';
  if (status === 404) return ': the engine or the key is not there';
  return '';
}

async function post(url: URL, input: object, options: TransitOptions, msMax: number): Promise<Answer> {
  const { namespace, caFile } = options;
  const body = JSON.stringify(input);
  const request: RequestOptions = {
    method: 'POST',
    agent: false,
    signal: AbortSignal.timeout(Math.max(1, Math.ceil(msMax))),
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Vault-Request': 'true',
      'X-Vault-Token': readToken(options),
      ...(namespace !== undefined && { 'X-Vault-Namespace': namespace }),
    },
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
  };
  try {
    return await send(url, request, body);
  } catch (thrown) {
    // Without the cause: it may hold the headers, and with them the token.
    throw new KmsUnavailable(`${url.origin} does not answer: ${errorCode(thrown)}`);
  }
}

function readToken({ tokenFile }: TransitOptions): string {
  let token: string;
  try {
    token = readFileSync(tokenFile, 'utf8').trim();
  } catch (thrown) {
    throw new KmsUnavailable(`KMS_TOKEN_FILE ${tokenFile} cannot be read: ${errorCode(thrown)}`);
  }
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) throw new KmsUnavailable(`KMS_TOKEN_FILE ${tokenFile} holds no token`);
  return token;
}

/** Follows no redirect: the token goes only where the operator has configured it. */
function send(url: URL, options: RequestOptions, body: string): Promise<Answer> {
  // Loaded at the first call, so that the start of other gateways does not load TLS.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > answerBytesMax) response.destroy(new Error('the answer is too long'));
        chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  } finally {
    bytes.fill(0);
  }
}

function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce(
    (at: unknown, name) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined),
    value,
  );
}

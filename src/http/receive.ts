/** Receives a request: its head is inspected, its body read within bounds; refusals are Problems thrown inside the journey. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, Problem } from '../contract/problem.ts';
import type { WireRequest } from '../formats/wire.ts';

export interface ReceiveLimits {
  readonly bodyBytesMax: number;
  readonly headersMax: number;
}

/** Headers that mean something only once: two of them are two requests in one. */
const single: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'idempotency-key',
]);

const bad = (message: string, reason: string): Problem => new Problem('badRequest', message, { reason });

/** What is wrong with the head as a message, whoever sent it. */
const headFault = (request: IncomingMessage, headersMax: number): Problem | undefined => {
  const { rawHeaders } = request;
  if (request.httpVersionMajor !== 1) return bad('HTTP version not supported', 'httpVersion');
  if (rawHeaders.length > 2 * headersMax) return bad(`More than ${headersMax} headers`, 'headerCount');
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!single.has(name)) continue;
    // Fixed text: the name is one of ours.
    if (seen.includes(name)) return bad(`Header ${name} sent twice`, 'duplicateHeader');
    seen.push(name);
  }
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return bad('Transfer-Encoding not supported', 'transferEncoding');
  return seen.includes('host') ? undefined : bad('Header host missing', 'noHost');
};

/** A path as sent; the authority of an absolute request target is ignored in favour of Host. */
const targetOf = (url: string): string => url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '') || '/';

const tooLarge = (bytesMax: number): Problem => new Problem('tooLarge', describe('tooLarge', String(bytesMax)));

const aborted = (cause?: unknown): Problem => new Problem('badRequest', undefined, { reason: 'aborted', cause });

const nothing = Buffer.alloc(0);

/** Gathers a body; past `bytesMax` it stops reading, and what is still to come stays with the connection. */
const gather = (
  request: IncomingMessage,
  bytesMax: number,
  resolve: (body: Buffer) => void,
  reject: (problem: Problem) => void,
): void => {
  // A stream that is over already says nothing any more.
  if (request.destroyed) {
    reject(aborted());
    return;
  }
  // Nearly every body is one piece, which need not be copied.
  const pieces: Buffer[] = [];
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= bytesMax) {
      pieces.push(piece);
      return;
    }
    request.pause();
    reject(tooLarge(bytesMax));
  });
  request.on('end', () => resolve(pieces.length > 1 ? Buffer.concat(pieces, bytes) : (pieces[0] ?? nothing)));
  request.on('error', (thrown) => reject(aborted(thrown)));
  request.on('close', () => {
    if (!request.readableEnded) reject(aborted());
  });
};

/** One request on its connection, from its head until its answer is written. */
export class Received implements WireRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
  /** Why the head is no sound message; `inspect` throws it. */
  readonly fault: Problem | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Length of the body as read. */
  bytesIn = 0;
  /** Nothing more can be read on this connection. */
  broken = false;
  readonly #limits: ReceiveLimits;
  #interruption: Problem | undefined;
  #reject: ((problem: Problem) => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, limits: ReceiveLimits) {
    const url = request.url ?? '/';
    const target = url.startsWith('/') ? url : targetOf(url);
    const mark = target.indexOf('?');
    this.method = request.method ?? '';
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
    this.request = request;
    this.response = response;
    this.fault = headFault(request, limits.headersMax);
    this.#limits = limits;
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    // Node makes lists of set-cookie only, which no request has a use for.
    return this.request.headers as Readonly<Record<string, string | undefined>>;
  }

  inspect(): void {
    if (this.fault !== undefined) throw this.fault;
    const { headers } = this;
    const site = headers['sec-fetch-site'];
    // A browser sends a form across sites with the credentials it remembers, and asks nobody first.
    if ((site !== undefined && site !== 'none' && site !== 'same-origin') || headers.origin !== undefined) {
      throw new Problem('crossSite');
    }
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
      throw new Problem('unsupportedMedia', undefined, { reason: 'contentEncoding' });
    }
  }

  async body(): Promise<Buffer> {
    const { bodyBytesMax } = this.#limits;
    if (this.#interruption !== undefined) throw this.#interruption;
    const declared = this.headers['content-length'];
    const length = declared === undefined ? undefined : Number(declared);
    // Refused before a byte is read, and before the caller is invited to send any.
    if (length !== undefined && length > bodyBytesMax) throw tooLarge(bodyBytesMax);
    if (this.headers.expect !== undefined && this.request.httpVersionMinor > 0) this.response.writeContinue();
    const body = await new Promise<Buffer>((resolve, reject) => {
      this.#reject = reject;
      gather(this.request, bodyBytesMax, resolve, reject);
    });
    this.bytesIn = body.length;
    return body;
  }

  /**
   * The connection broke or timed out under the request: its body, where not all of it has arrived, rejects with the
   * problem. A request that is all there is answered as ever; what broke came after it.
   */
  interrupt(problem: Problem): void {
    this.broken = true;
    if (this.request.complete) return;
    this.#interruption = problem;
    this.#reject?.(problem);
  }
}

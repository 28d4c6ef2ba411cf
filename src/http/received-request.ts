/** A request on its connection: inspects its head and reads its body within limits. Both throw Problems. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyBytesDefault, Problem, type Sender } from '../core/contract/index.ts';
import { type BodyReader, type LargeBody, readBodyTo, type WireRequest } from '../core/formats/index.ts';
import { createTraceId, createTraceparent, parseTraceparent, traceIdOf } from '../core/lib/index.ts';
import { Spool, SpoolFull, type SpoolSpace } from '../core/spool/index.ts';
import { ArrivingBody } from './arriving-body.ts';
import { clientCertificate } from './client-certificate.ts';
import { clientAddress, publicScheme } from './forwarded.ts';
import {
  type BodyLimits,
  type ContentCoding,
  codingOf,
  InflatingStream,
  inflateProblem,
  inflateRatioMax,
  ratioExceeded,
  tooLarge,
} from './inflate.ts';
import type { LargeBodies } from './large-bodies.ts';
import type { HttpOptions } from './options.ts';
import { isOfPage } from './page-request.ts';
import { acceptRequestId } from './request-id.ts';
import { hasWrongLine } from './request-line.ts';

interface Limits
  extends Pick<HttpOptions, 'bodyBytesMax' | 'headersMax' | 'trustedProxies' | 'clientCertificateHeader'> {
  /** Requests of pages are not refused: a site checks by itself whose they are. */
  readonly acceptsPages?: true;
  readonly largeBodies?: LargeBodies;
  /** Absent where no value goes to a file. */
  readonly spoolSpace?: SpoolSpace | undefined;
}

/** Headers that may occur once: two of them can mean two requests in one (request smuggling). */
const single: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'idempotency-key',
]);

function bad(message: string, reason: string): Problem {
  return new Problem('badRequest', message, { reason });
}

/** The first fault of the head as an HTTP message, if it has one. */
export function headFault(request: IncomingMessage, headersMax: number): Problem | undefined {
  const { rawHeaders } = request;
  if (request.httpVersionMajor !== 1) return bad('HTTP version not supported', 'httpVersion');
  // A proxy may see another target in such a line (RFC 9112, section 3).
  if (hasWrongLine(request))
    return bad('Request line not supported: separate its parts by single spaces', 'requestLine');
  if (rawHeaders.length > 2 * headersMax) return bad(`More than ${headersMax} headers`, 'headerCount');
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!single.has(name)) continue;
    // The name is one of the set above, never text of the caller.
    if (seen.includes(name)) return bad(`Header ${name} sent twice`, 'duplicateHeader');
    seen.push(name);
  }
  const coding = request.headers['transfer-encoding'];
  // HTTP/1.0 has no Transfer-Encoding: a proxy may see another end of the body (RFC 9112, section 6.1).
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || request.httpVersionMinor === 0))
    return bad('Transfer-Encoding not supported', 'transferEncoding');
  // A server may refuse an expectation that it does not know (RFC 9110, section 10.1.1).
  const { expect } = request.headers;
  if (expect !== undefined && request.httpVersionMinor > 0 && expect.toLowerCase() !== '100-continue')
    return new Problem('expectationFailed');
  // HTTP/1.0 has no Host header. Each format says whether it needs one.
  return seen.includes('host') || request.httpVersionMinor === 0 ? undefined : noHost();
}

function noHost(): Problem {
  return bad('Header host missing', 'noHost');
}

/** The path as sent. The authority of an absolute request target is ignored; the Host header counts. */
function targetOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '') || '/';
}

function aborted(cause?: unknown): Problem {
  return new Problem('badRequest', undefined, { reason: 'aborted', cause });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

const emptyBody = Buffer.alloc(0);

/** Takes the pieces of a body. */
interface Pieces {
  /** Of all pieces. */
  readonly bytes: number;
  /** Throws a Problem past a limit. Returns a promise where the next piece must wait. */
  add(piece: Buffer): Promise<void> | undefined;
  end(): Buffer | Promise<Buffer>;
}

/** Nearly every body is a single piece, which need not be copied. */
class PiecesInMemory implements Pieces {
  readonly #limits: BodyLimits;
  readonly #pieces: Buffer[] = [];
  bytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  add(piece: Buffer): undefined {
    const { bytesMax, setting } = this.#limits;
    this.bytes += piece.length;
    if (this.bytes > bytesMax) throw tooLarge(bytesMax, setting);
    this.#pieces.push(piece);
  }

  end(): Buffer {
    return this.#pieces.length > 1 ? Buffer.concat(this.#pieces, this.bytes) : (this.#pieces[0] ?? emptyBody);
  }
}

/** Pieces whose large values go to a file. The limits are of what remains in memory, and of the whole body. */
class PiecesInFile implements Pieces {
  readonly #reader: BodyReader;
  readonly #bodyBytesMax: number;
  readonly #limits: BodyLimits;
  bytes = 0;

  constructor(reader: BodyReader, { bodyBytesMax }: LargeBody, limits: BodyLimits) {
    this.#reader = reader;
    this.#bodyBytesMax = bodyBytesMax;
    this.#limits = limits;
  }

  add(piece: Buffer): Promise<void> | undefined {
    const { bytesMax, setting } = this.#limits;
    this.bytes += piece.length;
    if (this.bytes > this.#bodyBytesMax) throw tooLarge(this.#bodyBytesMax, setting);
    const written = this.#reader.write(piece);
    if (this.#reader.heldBytes > bytesMax) throw tooLarge(bytesMax, setting);
    return written;
  }

  async end(): Promise<Buffer> {
    try {
      return await this.#reader.end();
    } catch (thrown) {
      throw toProblem(thrown);
    }
  }
}

/** Pieces of a compressed body, which are inflated first. The limits are of the inflated ones. */
class CompressedPieces implements Pieces {
  readonly #coding: ContentCoding;
  readonly #inflated: Pieces;
  readonly #limits: BodyLimits;
  readonly #stream: InflatingStream;
  bytes = 0;

  /** `length`: the declared one. */
  constructor(coding: ContentCoding, inflated: Pieces, length: number | undefined, limits: BodyLimits) {
    this.#coding = coding;
    this.#inflated = inflated;
    this.#limits = limits;
    this.#stream = new InflatingStream(coding, (piece) => {
      const bytes = inflated.bytes + piece.length;
      // The end of a body without a declared length may inflate to less. It counts from where more than memory is needed.
      if (length !== undefined || bytes > limits.bytesMax) this.#check(bytes, length ?? this.bytes, limits);
      return inflated.add(piece);
    });
  }

  async add(piece: Buffer): Promise<void> {
    this.bytes += piece.length;
    try {
      await this.#stream.write(piece);
    } catch (thrown) {
      throw inflateProblem(thrown, this.#coding);
    }
  }

  async end(): Promise<Buffer> {
    try {
      await this.#stream.end();
    } catch (thrown) {
      throw toProblem(inflateProblem(thrown, this.#coding));
    }
    this.#check(this.#inflated.bytes, this.bytes, this.#limits);
    return await this.#inflated.end();
  }

  #check(bytes: number, compressed: number, { ratioMax }: BodyLimits): void {
    if (bytes > compressed * ratioMax) throw ratioExceeded(ratioMax);
  }
}

/** The temporary files are full, or the disk is. */
function toProblem(thrown: unknown): unknown {
  return thrown instanceof SpoolFull
    ? new Problem('overloaded', undefined, { reason: 'spool', cause: thrown })
    : thrown;
}

/** Reads the body. Past a limit the rest is dropped. */
function readBody(
  body: ArrivingBody,
  pieces: Pieces,
  resolve: (body: Buffer | Promise<Buffer>) => void,
  reject: (problem: unknown) => void,
): void {
  body.read({
    take: (piece) => pieces.add(piece),
    end: () => resolve(pieces.end()),
    refuse: (thrown) => reject(toProblem(thrown)),
    broken: (cause) => reject(aborted(cause)),
  });
}

/** One request on its connection, from its head until its response is written. */
export class ReceivedRequest implements WireRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
  /** The fault of the head as an HTTP message; `inspect` throws it. */
  readonly fault: Problem | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string | undefined;
  /** Length of the body as read, before it is inflated. */
  bytesIn = 0;
  /** Nothing more can be read on this connection. */
  broken = false;
  /** To be called when the request is answered: its body no longer counts. */
  release: () => void = () => {};
  /** Called once with the body, inflated. */
  onBody: ((body: Buffer) => void) | undefined;
  readonly #limits: Limits;
  #arriving: ArrivingBody | undefined;
  #spool: Spool | undefined;
  #coding: ContentCoding | undefined;
  #interruption: Problem | undefined;
  #reject: ((problem: unknown) => void) | undefined;
  /** Of the caller. */
  readonly #sentTrace: string | undefined;
  #traceId: string | undefined;
  #traceparent: string | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, limits: Limits) {
    const url = request.url ?? '/';
    const target = url.startsWith('/') ? url : targetOf(url);
    const mark = target.indexOf('?');
    this.method = request.method ?? '';
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
    // Node makes a list of one header only, set-cookie, which requests do not have.
    this.headers = request.headers as Readonly<Record<string, string | undefined>>;
    this.request = request;
    this.response = response;
    this.#sentTrace = parseTraceparent(this.headers.traceparent);
    this.requestId = acceptRequestId(this.headers['x-request-id']);
    this.fault = headFault(request, limits.headersMax);
    this.#limits = limits;
    // Its chunks may be of one byte, and arrive before they are read, or are not read at all.
    if (this.headers['transfer-encoding'] !== undefined) this.#arriving = new ArrivingBody(request);
  }

  /** A site has a limit of its own, which no setting raises. */
  get #setting(): string | undefined {
    return this.#limits.acceptsPages ? undefined : 'BODY_BYTES_MAX';
  }

  get spool(): Spool | undefined {
    const { spoolSpace } = this.#limits;
    this.#spool ??= spoolSpace && new Spool(spoolSpace);
    return this.#spool;
  }

  /** The request is answered, and its observers know of it. */
  closeSpool(): void {
    void this.#spool?.close();
  }

  /** Whether a value of the request or of its answer is in a file. */
  get hasLargeValues(): boolean {
    return this.#spool?.isUsed === true;
  }

  get sender(): Sender {
    const { trustedProxies } = this.#limits;
    return { address: clientAddress(this.request, trustedProxies), scheme: publicScheme(this.request, trustedProxies) };
  }

  get traceId(): string {
    const known = this.#traceparent ?? this.#sentTrace;
    this.#traceId ??= known === undefined ? createTraceId() : traceIdOf(known);
    return this.#traceId;
  }

  /** Whether the caller has sent a trace. */
  get isTraced(): boolean {
    return this.#sentTrace !== undefined;
  }

  get traceparent(): string {
    this.#traceparent ??= this.#sentTrace ?? createTraceparent(this.traceId);
    return this.#traceparent;
  }

  /** Where requests are traced: the span of this one. */
  set traceparent(traceparent: string) {
    this.#traceparent = traceparent;
  }

  get certificate(): string | undefined {
    return clientCertificate(this.request, this.#limits);
  }

  inspect(requiresHost: boolean): void {
    if (this.fault !== undefined) throw this.fault;
    const { headers } = this;
    if (requiresHost && headers.host === undefined) throw noHost();
    if (!this.#limits.acceptsPages && isOfPage(headers)) throw new Problem('crossSite');
    this.#coding = codingOf(headers['content-encoding']);
  }

  async body(bytesMax = this.#limits.bodyBytesMax ?? bodyBytesDefault, spooling?: LargeBody): Promise<Buffer> {
    if (this.#interruption !== undefined) throw this.#interruption;
    const declared = this.headers['content-length'];
    const length = declared === undefined ? undefined : Number(declared);
    // A short body has no large value.
    const growth = this.#coding === undefined ? 1 : inflateRatioMax;
    const isShort = length !== undefined && length * growth < (spooling?.valueBytesMin ?? 0);
    const large = isShort ? undefined : spooling;
    const lengthMax = large?.bodyBytesMax ?? bytesMax;
    // Refused before a byte is read, and before 100 Continue invites the caller to send the body.
    if (length !== undefined && length > lengthMax) throw tooLarge(lengthMax, this.#setting);
    // One that does not declare its length may have any. It may inflate to more than is declared, too.
    const isKnown = length !== undefined && this.#coding === undefined;
    const inMemory = isKnown ? Math.min(length, bytesMax) : hasBody(this.request) ? bytesMax : 0;
    this.release = this.#limits.largeBodies?.admit(inMemory) ?? this.release;
    const reader = large && this.spool && readBodyTo(this.spool.file(), this.headers['content-type'] ?? '', large);
    const limits = { bytesMax, ratioMax: inflateRatioMax, setting: this.#setting };
    const inflated = large && reader ? new PiecesInFile(reader, large, limits) : new PiecesInMemory(limits);
    const pieces = this.#coding === undefined ? inflated : new CompressedPieces(this.#coding, inflated, length, limits);
    if (this.headers.expect !== undefined && this.request.httpVersionMinor > 0) this.response.writeContinue();
    const arriving = this.#arriving ?? new ArrivingBody(this.request);
    this.#arriving = arriving;
    const body = await new Promise<Buffer>((resolve, reject) => {
      this.#reject = reject;
      readBody(arriving, pieces, resolve, reject);
    });
    this.bytesIn = pieces.bytes;
    // What is in the file needs no memory.
    if (reader !== undefined) {
      this.release();
      this.release = this.#limits.largeBodies?.admit(body.length) ?? this.release;
    }
    this.onBody?.(body);
    // The connection keeps its last request, and need not keep the body.
    this.onBody = undefined;
    return body;
  }

  /** Nothing more of the body is needed. */
  dropBody(): void {
    this.#arriving?.drop();
  }

  /**
   * The connection broke or timed out. A body that has not arrived completely rejects with the problem. A complete
   * request is answered as usual: the connection broke after it.
   */
  interrupt(problem: Problem): void {
    this.broken = true;
    if (this.request.complete) return;
    this.#interruption = problem;
    this.#reject?.(problem);
  }
}

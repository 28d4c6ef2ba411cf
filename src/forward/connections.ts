/** Sends requests over a pool of connections (HTTP/1.1), with a queue of bounded length and limits on time and size. */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { type BodyReader, readBodyTo, type Spooling, StreamedBody } from '../core/formats/index.ts';
import { codingOf, errorCode, JoinedPieces } from '../core/lib/index.ts';
import { type Spool, SpoolFull } from '../core/spool/index.ts';
import { failureOf, UpstreamFailure } from './failure.ts';
import type { UpstreamSetup } from './options.ts';
import { skipContinue } from './skip-continue.ts';

export interface OutgoingRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | Buffer | StreamedBody | null;
}

export interface IncomingResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent, perhaps compressed. */
  readonly body: Buffer;
}

type ConnectionOptions = Pick<
  UpstreamSetup,
  'url' | 'tls' | 'timeouts' | 'connections' | 'queueMax' | 'responseBytesMax'
>;

/** Loaded for the first upstream, and without the rest of the library: fetch and its caches take twice as long. */
function loadPool(): { readonly PoolClass: typeof Pool; readonly createConnector: typeof buildConnector } {
  const load = createRequire(import.meta.url);
  return {
    PoolClass: load('undici/lib/dispatcher/pool.js') as typeof Pool,
    createConnector: load('undici/lib/core/connect.js') as typeof buildConnector,
  };
}

/** Methods whose bodies servers may leave unread, and then take for the next request (RFC 9110, section 9.3.1). */
const ignoredBodies: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** Idle connections are closed before common servers close them: a request on its way would be lost. */
const idleMsMax = 4_000;

/** Of an answer in memory. */
export const responseBytesDefault = 16_777_216;

export class Connections {
  readonly #pool: Pool;
  readonly #options: ConnectionOptions;
  readonly #waiting = new Set<Exchange>();
  #active = 0;
  #isClosed = false;
  /** The exchange whose head is written next: the pool starts a request and writes its head in one turn. */
  #starting: Exchange | undefined;

  constructor(options: ConnectionOptions) {
    const { url, tls = {}, timeouts, connections } = options;
    this.#options = options;
    const { PoolClass, createConnector } = loadPool();
    const connect = createConnector({
      timeout: timeouts.connectMs,
      allowH2: false,
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...(tls.cert !== undefined && { cert: tls.cert }),
      ...(tls.key !== undefined && { key: tls.key }),
      ...(tls.serverName !== undefined && { servername: tls.serverName }),
    });
    this.#pool = new PoolClass(new URL(url).origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: idleMsMax,
      headersTimeout: timeouts.headersMs,
      bodyTimeout: timeouts.bodyMs,
      connect: (to, callback) =>
        connect(to, (...outcome) => {
          if (outcome[0] !== null) return callback(...outcome);
          const [, socket] = outcome;
          const onHead = () => {
            this.#starting?.useSocket(socket);
            this.#starting = undefined;
          };
          return callback(null, skipContinue(socket, onHead));
        }),
    });
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Rejects with `UpstreamFailure`, within `msMax`. `large`: where large values of the answer go to a file. */
  send(request: OutgoingRequest, msMax: number, large?: LargeAnswer): Promise<IncomingResponse> {
    return new Promise((resolve, reject) => {
      const { responseBytesMax = responseBytesDefault } = this.#options;
      const settle = { resolve, reject, start: this.#begin, end: this.#end };
      const exchange = new Exchange(request, settle, responseBytesMax, large);
      if (this.#isClosed) exchange.fail(new UpstreamFailure('closed', 'notSent'));
      else if (this.#active < this.#options.connections) this.#start(exchange, msMax);
      else if (this.#waiting.size >= this.#options.queueMax) exchange.fail(new UpstreamFailure('queueFull', 'notSent'));
      else {
        this.#waiting.add(exchange);
        // What starts later would be cut off at work, and its outcome would be unknown.
        exchange.startBefore = performance.now() + msMax - Math.min(this.#options.timeouts.headersMs, msMax / 2);
        exchange.limit(msMax);
      }
    });
  }

  /** Lets requests end, those that take longer than `msMax` with a failure, and refuses new ones. */
  async close(msMax?: number): Promise<void> {
    this.#isClosed = true;
    for (const exchange of [...this.#waiting]) exchange.fail(new UpstreamFailure('closed', 'notSent'));
    const timer = msMax === undefined ? undefined : setTimeout(() => void this.#pool.destroy(), msMax);
    await this.#pool.close();
    clearTimeout(timer);
  }

  #start(exchange: Exchange, msMax?: number): void {
    this.#active += 1;
    exchange.isActive = true;
    if (msMax !== undefined) exchange.limit(msMax);
    const { request } = exchange;
    const { method, body } = request;
    const isEnding = body !== null && ignoredBodies.has(method);
    const sent = {
      ...request,
      ...(body instanceof StreamedBody && { body: body.read() }),
      // The server is told to end the connection, and with it whatever it has not read.
      ...(isEnding && { reset: true }),
    };
    this.#pool.dispatch(sent as Dispatcher.DispatchOptions, exchange);
  }

  readonly #begin = (exchange: Exchange): void => {
    this.#starting = exchange;
  };

  readonly #end = (exchange: Exchange): void => {
    if (!exchange.isActive) {
      this.#waiting.delete(exchange);
      return;
    }
    this.#active -= 1;
    for (const next of this.#waiting) {
      if (performance.now() > next.startBefore) {
        next.fail(new UpstreamFailure('queueTimeout', 'notSent'));
        continue;
      }
      this.#waiting.delete(next);
      this.#start(next);
      break;
    }
  };
}

/** Where large values of an answer go. */
interface LargeAnswer {
  readonly spool: Spool;
  readonly spooling: Spooling;
  /** Of the whole answer, with what is in files. */
  readonly bytesMax: number;
}

interface Settle {
  resolve(response: IncomingResponse): void;
  reject(failure: UpstreamFailure): void;
  start(exchange: Exchange): void;
  end(exchange: Exchange): void;
}

/** One request and its response. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly request: OutgoingRequest;
  readonly #settle: Settle;
  readonly #chunks: Buffer[] = [];
  readonly #small = new JoinedPieces();
  /** Of what is in memory. */
  readonly #bytesMax: number;
  readonly #large: LargeAnswer | undefined;
  #reader: BodyReader | undefined;
  #bytes = 0;
  #status = 0;
  #headers: IncomingResponse['headers'] | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #socket: Socket | undefined;
  /** The answer began before the request was written to its end. */
  #isEarly = false;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;
  isActive = false;
  startBefore = Number.POSITIVE_INFINITY;

  constructor(request: OutgoingRequest, settle: Settle, bytesMax: number, large: LargeAnswer | undefined) {
    this.request = request;
    this.#settle = settle;
    this.#bytesMax = bytesMax;
    this.#large = large;
  }

  /** The request is written to this socket. */
  useSocket(socket: Socket): void {
    this.#socket = socket;
  }

  limit(msMax: number): void {
    this.#timer = setTimeout(endLate, Math.max(1, msMax), this);
  }

  /** The time is over. */
  end(): void {
    const isStarted = this.#controller !== undefined;
    this.fail(
      isStarted ? new UpstreamFailure('totalTimeout', 'unknown') : new UpstreamFailure('queueTimeout', 'notSent'),
    );
  }

  fail(thrown: unknown): void {
    if (this.#isSettled) return;
    const failure = failureOf(thrown, {
      isStarted: this.#controller !== undefined,
      hasHead: this.#headers !== undefined,
      status: this.#status,
    });
    this.#finish();
    this.#controller?.abort(failure);
    this.#settle.reject(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#settle.start(this);
    // It was given up while it waited for a connection.
    if (this.#isSettled) controller.abort(new UpstreamFailure('queueTimeout', 'notSent'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#status = status;
    this.#isEarly = (this.#socket?.writableLength ?? 0) > 0;
    this.#headers = withSingleValues(headers);
    if (this.#large !== undefined) this.#reader = readerOf(this.#large, status, this.#headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // The parser reports an empty piece when it goes on after a pause.
    if (this.#isSettled || chunk.length === 0) return;
    this.#bytes += chunk.length;
    const reader = this.#reader;
    if (this.#bytes > (reader === undefined ? this.#bytesMax : this.#large!.bytesMax)) {
      this.fail(this.#tooLarge());
      return;
    }
    const piece = this.#small.add(chunk);
    if (piece === undefined) return;
    if (reader === undefined) {
      this.#chunks.push(piece);
      return;
    }
    try {
      const written = this.#write(reader, piece);
      if (written === undefined) return;
      controller.pause();
      written.then(
        () => controller.resume(),
        (thrown: unknown) => this.#failToHold(thrown),
      );
    } catch (thrown) {
      this.#failToHold(thrown);
    }
  }

  onResponseEnd(): void {
    // The server may take the rest of the body for its next request.
    if (this.#isEarly) this.#socket?.destroy();
    if (this.#isSettled) return;
    const rest = this.#small.end();
    if (this.#reader !== undefined)
      this.#endWith(this.#reader, rest).then(
        (body) => this.#resolve(body),
        (thrown: unknown) => this.#failToHold(thrown),
      );
    else {
      if (rest.length > 0) this.#chunks.push(rest);
      this.#resolve(this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks));
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }

  #resolve(body: Buffer): void {
    if (this.#isSettled) return;
    this.#finish();
    this.#settle.resolve({ status: this.#status, headers: this.#headers ?? {}, body });
  }

  /** Throws UpstreamFailure where more remains in memory than may. */
  #write(reader: BodyReader, piece: Buffer): Promise<void> | undefined {
    const written = reader.write(piece);
    if (reader.heldBytes <= this.#bytesMax) return written;
    written?.catch(() => {});
    throw this.#tooLarge();
  }

  async #endWith(reader: BodyReader, rest: Buffer): Promise<Buffer> {
    if (rest.length > 0) await this.#write(reader, rest);
    return await reader.end();
  }

  #tooLarge(): UpstreamFailure {
    return new UpstreamFailure('tooLarge', 'unknown', { isSuccess: this.#status < 300 });
  }

  /** The temporary files are full, or the disk is. */
  #failToHold(thrown: unknown): void {
    const isFull = thrown instanceof SpoolFull;
    const detail = `temporary files: ${errorCode(isFull ? (thrown.cause ?? thrown) : thrown)}`;
    this.fail(isFull ? new UpstreamFailure('spoolFull', 'unknown', { detail, isSuccess: true }) : thrown);
  }

  #finish(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#settle.end(this);
  }
}

/** Returns undefined for an answer that stays in memory: a refusal, a short one, and a compressed one. */
function readerOf(
  { spool, spooling }: LargeAnswer,
  status: number,
  headers: IncomingResponse['headers'],
): BodyReader | undefined {
  const isShort = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) < spooling.valueBytesMin;
  if (status >= 300 || isShort || codingOf(headers['content-encoding']) !== undefined) return undefined;
  return readBodyTo(spool.file(), headers['content-type'] ?? '', spooling);
}

function endLate(exchange: Exchange): void {
  exchange.end();
}

/** A header that occurs twice is a list. A cookie may have a comma: line feeds stand between cookies. */
function withSingleValues(headers: Record<string, string | string[] | undefined>): IncomingResponse['headers'] {
  for (const name in headers)
    if (Array.isArray(headers[name])) headers[name] = headers[name].join(name === 'set-cookie' ? '\n' : ', ');
  return headers as IncomingResponse['headers'];
}

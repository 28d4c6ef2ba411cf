/** Sends requests over a pool of connections (HTTP/1.1), with a queue of bounded length and limits on time and size. */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { failureOf, UpstreamFailure } from './failure.ts';
import type { UpstreamSetup } from './options.ts';
import { skipContinue } from './skip-continue.ts';

export interface OutgoingRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | Buffer | null;
}

export interface IncomingResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent, perhaps compressed. */
  readonly body: Buffer;
}

export type ConnectionOptions = Pick<
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

/** Idle connections are closed before common servers close them: a request on its way would be lost. */
const idleMsMax = 4_000;

export class Connections {
  readonly #pool: Pool;
  readonly #options: ConnectionOptions;
  readonly #waiting = new Set<Exchange>();
  #active = 0;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    const { url, tls = {}, timeouts, connections, responseBytesMax } = options;
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
      maxResponseSize: responseBytesMax,
      connect: (to, callback) =>
        connect(to, (...outcome) =>
          outcome[0] === null ? callback(null, skipContinue(outcome[1])) : callback(...outcome),
        ),
    });
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Rejects with `UpstreamFailure`, within `msMax`. */
  send(request: OutgoingRequest, msMax: number): Promise<IncomingResponse> {
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, { resolve, reject, end: this.#end });
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
    this.#pool.dispatch(exchange.request as Dispatcher.DispatchOptions, exchange);
  }

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

interface Settle {
  resolve(response: IncomingResponse): void;
  reject(failure: UpstreamFailure): void;
  end(exchange: Exchange): void;
}

const noBody = Buffer.alloc(0);

/** One request and its response. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly request: OutgoingRequest;
  readonly #settle: Settle;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #headers: IncomingResponse['headers'] | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;
  isActive = false;
  startBefore = Number.POSITIVE_INFINITY;

  constructor(request: OutgoingRequest, settle: Settle) {
    this.request = request;
    this.#settle = settle;
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
    // It was given up while it waited for a connection.
    if (this.#isSettled) controller.abort(new UpstreamFailure('queueTimeout', 'notSent'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = withSingleValues(headers);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    const chunks = this.#chunks;
    this.#finish();
    this.#settle.resolve({
      status: this.#status,
      headers: this.#headers ?? {},
      body: chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? noBody),
    });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }

  #finish(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#settle.end(this);
  }
}

function endLate(exchange: Exchange): void {
  exchange.end();
}

/** A header that occurs twice is a list. A cookie may have a comma. */
function withSingleValues(headers: Record<string, string | string[] | undefined>): IncomingResponse['headers'] {
  for (const name in headers)
    if (Array.isArray(headers[name])) headers[name] = headers[name].join(name === 'set-cookie' ? '\n' : ', ');
  return headers as IncomingResponse['headers'];
}

/** Records the requests of one process in memory: the last lines, and the details of those that are answered while somebody watches. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { WireRequest } from '../formats/wire.ts';
import type { Answer, LogEntry } from '../gateway/answer.ts';
import type { ObservedRequest as ObservedHttp } from '../http/log-request.ts';
import { type DescribeParts, describeDetails, keyResultOf } from './describe-request.ts';
import { ObservedRequest } from './observed-request.ts';
import { Rates } from './rates.ts';
import type { TrafficDetails, TrafficLine } from './record.ts';

export interface RecorderOptions {
  /** Requests in the list. */
  readonly requestsMax: number;
  /** Bytes of details. */
  readonly bytesMax: number;
  /** `watched`: only of requests that are answered while a console watches. */
  readonly details: 'watched' | 'always';
  /** Names the process in ids. */
  readonly process: string;
}

/** Details are recorded this long after a console has asked for traffic. */
export const watchMs = 10 * 60_000;
/** Milliseconds of a second for describing requests: 4 % of the thread. */
const budgetPerSecond = 40;
/** Milliseconds that are saved up, so that somebody who tries requests sees each: the first ones of a process take long. */
const budgetMax = 500;
/** Milliseconds for each one beside its description: the body is kept, and the steps are timed. */
const baseCost = 0.16;

export interface TrafficPage {
  /** In the order of their answers. */
  readonly lines: readonly TrafficLine[];
  /** Names the last one, for the next page. */
  readonly cursor: number;
  /** Lines after the cursor that are not kept any more, or were left out. */
  readonly missed: number;
}

interface Kept {
  readonly sequence: number;
  readonly at: number;
  readonly entry: LogEntryNames;
  readonly http: Omit<ObservedHttp, 'address' | 'traceId' | 'requestId' | 'aborted'>;
  readonly key: TrafficLine['key'];
  readonly isFailure: boolean;
  /** JSON text. */
  details: string | undefined;
}

type LogEntryNames = Pick<
  LogEntry,
  'protocol' | 'path' | 'service' | 'version' | 'operation' | 'credential' | 'outcome' | 'requestReference'
>;

export class TrafficRecorder {
  readonly rates = new Rates();
  /** The request that is handled, where its details are recorded. */
  readonly current = new AsyncLocalStorage<ObservedRequest>();
  readonly #options: RecorderOptions;
  readonly #parts: DescribeParts;
  readonly #ring: (Kept | undefined)[];
  readonly #observed = new WeakMap<LogEntry, ObservedRequest>();
  #sequence = 0;
  #bytes = 0;
  /** The oldest request that may have details. */
  #oldest = 1;
  /** Details are recorded. */
  isActive: boolean;
  #watching: NodeJS.Timeout | undefined;
  #budget = budgetMax;
  #budgetAt = 0;
  #notRecorded = 0;

  constructor(options: RecorderOptions, parts: DescribeParts) {
    this.#options = options;
    this.#parts = parts;
    this.#ring = new Array<Kept | undefined>(options.requestsMax).fill(undefined);
    this.isActive = options.details === 'always';
  }

  /** Requests whose details were not recorded, since there were too many at a time. */
  get notRecorded(): number {
    return this.#notRecorded;
  }

  /** Somebody watches: details are recorded for a while. */
  watch(): void {
    if (this.#options.details === 'always') return;
    this.isActive = true;
    clearTimeout(this.#watching);
    this.#watching = setTimeout(() => {
      this.isActive = false;
    }, watchMs);
    this.#watching.unref();
  }

  /** Handles a request whose details are recorded. */
  async observe(request: WireRequest, handle: (request: WireRequest) => Promise<Answer>): Promise<Answer> {
    if (!this.#hasBudget()) {
      this.#notRecorded += 1;
      return handle(request);
    }
    this.#budget -= baseCost;
    const observed = new ObservedRequest(request);
    const answer = await this.current.run(observed, handle, observed.observedWire());
    observed.answer = answer;
    this.#observed.set(answer.entry, observed);
    return answer;
  }

  /** Adds a request that has been answered. */
  add(entry: LogEntry, http: ObservedHttp, now = Date.now()): void {
    const { problem, outcome } = entry;
    const isFailure = problem?.type === 'internal';
    this.rates.count(now, entry.protocol, problem === undefined ? 'ok' : isFailure ? 'failed' : 'refused', http.ms);
    if (this.#options.requestsMax === 0) return;
    this.#sequence += 1;
    const observed = this.isActive ? this.#observed.get(entry) : undefined;
    const slot = this.#sequence % this.#options.requestsMax;
    this.#bytes -= this.#ring[slot]?.details?.length ?? 0;
    const kept: Kept = {
      sequence: this.#sequence,
      at: now,
      entry: {
        protocol: entry.protocol,
        path: entry.path,
        service: entry.service,
        version: entry.version,
        operation: entry.operation,
        credential: entry.credential,
        outcome,
        requestReference: entry.requestReference,
      },
      http: { method: http.method, status: http.status, ms: http.ms, bytesIn: http.bytesIn, bytesOut: http.bytesOut },
      key: keyResultOf(entry, this.#parts.reading),
      isFailure,
      details: undefined,
    };
    this.#ring[slot] = kept;
    if (observed === undefined) return;
    // Others that were observed at the same time may have taken it.
    if (this.#hasBudget()) this.#addDetails(kept, observed, entry, http);
    else this.#notRecorded += 1;
  }

  /** The lines after a cursor; the last ones where there are more than `limit`. Without a cursor, the last ones of all. */
  after(cursor: number | undefined, limit: number): TrafficPage {
    const { requestsMax } = this.#options;
    const oldest = Math.max(1, this.#sequence - requestsMax + 1);
    // A cursor of an earlier process may be ahead.
    const wanted = cursor === undefined || cursor > this.#sequence ? oldest - 1 : cursor;
    const from = Math.max(wanted + 1, oldest, this.#sequence - limit + 1);
    const lines: TrafficLine[] = [];
    for (let sequence = from; sequence <= this.#sequence; sequence += 1) lines.push(this.#line(this.#kept(sequence)!));
    return { lines, cursor: this.#sequence, missed: cursor === undefined ? 0 : from - wanted - 1 };
  }

  /** Undefined for a request that is not kept any more. */
  find(id: string): { readonly line: TrafficLine; readonly details: TrafficDetails | undefined } | undefined {
    const [process, sequence] = splitId(id);
    const kept = process === this.#options.process ? this.#kept(sequence) : undefined;
    if (kept === undefined) return undefined;
    return { line: this.#line(kept), details: kept.details === undefined ? undefined : JSON.parse(kept.details) };
  }

  close(): void {
    clearTimeout(this.#watching);
  }

  #kept(sequence: number): Kept | undefined {
    const kept = this.#ring[sequence % this.#options.requestsMax];
    return kept?.sequence === sequence ? kept : undefined;
  }

  #line({ sequence, at, entry, http, key, isFailure, details }: Kept): TrafficLine {
    return {
      id: `${this.#options.process}-${sequence}`,
      at,
      ...http,
      ms: Math.round(http.ms * 1000) / 1000,
      path: entry.path,
      format: entry.protocol,
      service: entry.service,
      version: entry.version,
      operation: entry.operation,
      caller: entry.credential,
      outcome: entry.outcome,
      isFailure,
      key,
      reference: entry.requestReference,
      hasDetails: details !== undefined,
    };
  }

  /** Everything is masked before it is kept. */
  #addDetails(kept: Kept, observed: ObservedRequest, entry: LogEntry, http: ObservedHttp): void {
    const startedAt = performance.now();
    const text = JSON.stringify(describeDetails(observed, entry, http, this.#parts));
    this.#budget -= performance.now() - startedAt;
    if (text.length > this.#options.bytesMax) return;
    kept.details = text;
    this.#bytes += text.length;
    for (; this.#bytes > this.#options.bytesMax && this.#oldest < kept.sequence; this.#oldest += 1) {
      const old = this.#kept(this.#oldest);
      if (old?.details === undefined) continue;
      this.#bytes -= old.details.length;
      old.details = undefined;
    }
  }

  #hasBudget(): boolean {
    const now = performance.now();
    const earned = ((now - this.#budgetAt) / 1000) * budgetPerSecond;
    this.#budget = Math.min(this.#budget + earned, budgetMax);
    this.#budgetAt = now;
    return this.#budget > 0;
  }
}

export function splitId(id: string): readonly [process: string, sequence: number] {
  const at = id.lastIndexOf('-');
  return [id.slice(0, at), Number(id.slice(at + 1))];
}

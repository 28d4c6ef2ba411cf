/** Records the requests of one process in memory: the last lines, and the details of those that are answered while a console shows them. */

import type { WireRequest } from '../../core/formats/index.ts';
import {
  type Answer,
  type EndStep,
  type HttpFacts,
  isOfGateway,
  type LogEntry,
  type RequestObserver,
  type Step,
} from '../../core/gateway/index.ts';
import { isConsoleClient } from '../../core/lib/index.ts';
import { type DescribeParts, describeDetails, keyResultOf } from './describe-request.ts';
import { createRates } from './rates.ts';
import type { KeyResult, TrafficDetails, TrafficLine } from './record.ts';
import { Recording } from './recording.ts';

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
/** Milliseconds that are saved up, so that each request of a first try is described: the first ones of a process take long. */
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

/**
 * A row of the ring. It is filled again for later requests: a new object for each, which lives for thousands of requests, costs more
 * time of the garbage collector than all of the recording.
 */
class Row {
  sequence = 0;
  at = 0;
  method = '';
  path: string | undefined;
  format = '';
  service: string | undefined;
  version: number | undefined;
  operation: string | undefined;
  caller: string | undefined;
  tenant: string | undefined;
  outcome = '';
  isFailure = false;
  status = 0;
  ms = 0;
  bytesIn = 0;
  bytesOut = 0;
  key: KeyResult = 'none';
  reference = '';
  /** JSON text. */
  details: string | undefined;

  fill(sequence: number, at: number, entry: LogEntry, http: HttpFacts, key: KeyResult): void {
    this.sequence = sequence;
    this.at = at;
    this.method = http.method;
    this.path = entry.path;
    this.format = entry.protocol;
    this.service = entry.service;
    this.version = entry.version;
    this.operation = entry.operation;
    this.caller = entry.credential;
    this.tenant = entry.tenant;
    this.outcome = entry.outcome;
    this.isFailure = isFailure(entry);
    this.status = http.status;
    this.ms = http.ms;
    this.bytesIn = http.bytesIn;
    this.bytesOut = http.bytesOut;
    this.key = key;
    this.reference = entry.requestReference;
    this.details = undefined;
  }

  line(process: string): TrafficLine {
    const { sequence, details, ...line } = this;
    const ms = Math.round(line.ms * 1000) / 1000;
    return { ...line, ms, id: `${process}-${sequence}`, hasDetails: details !== undefined };
  }
}

export class TrafficRecorder implements RequestObserver {
  readonly rates = createRates();
  readonly #options: RecorderOptions;
  readonly #parts: DescribeParts;
  readonly #ring: (Row | undefined)[];
  readonly #recordings = new WeakMap<WireRequest, Recording>();
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
    this.#ring = new Array<Row | undefined>(options.requestsMax).fill(undefined);
    this.isActive = options.details === 'always';
  }

  /** Requests whose details were not recorded, since there were too many at a time. */
  get notRecorded(): number {
    return this.#notRecorded;
  }

  /** A console shows the traffic: details are recorded for a while. */
  watch(): void {
    if (this.#options.details === 'always') return;
    this.isActive = true;
    clearTimeout(this.#watching);
    this.#watching = setTimeout(() => {
      this.isActive = false;
    }, watchMs);
    this.#watching.unref();
  }

  /** Records the steps of a request while details are recorded, and the time allows it. */
  readonly step = (step: Step): EndStep | undefined => {
    if (step.parent !== undefined) return this.#recordings.get(step.request)?.begin(step);
    if (!this.isActive) return undefined;
    if (!this.#hasBudget()) {
      this.#notRecorded += 1;
      return undefined;
    }
    this.#budget -= baseCost;
    const recording = new Recording(step);
    this.#recordings.set(step.request, recording);
    return recording.begin(step);
  };

  /** Adds a request that has been answered. */
  readonly answered = (request: WireRequest, answer: Answer, http: HttpFacts): void => {
    const { entry } = answer;
    const now = Date.now();
    const outcome = entry.problem === undefined ? 'ok' : isFailure(entry) ? 'failed' : 'refused';
    const { formats, operations, callers } = this.rates;
    formats.count(now, entry.protocol, outcome, http.ms);
    if (entry.operation !== undefined) operations.count(now, `${entry.service}.${entry.operation}`, outcome, http.ms);
    if (entry.credential !== undefined && !isConsoleClient(entry.client))
      callers.count(now, entry.credential, outcome, http.ms);
    if (this.#options.requestsMax === 0) return;
    this.#sequence += 1;
    const index = this.#sequence % this.#options.requestsMax;
    const row = this.#ring[index] ?? new Row();
    this.#ring[index] = row;
    this.#bytes -= row.details?.length ?? 0;
    row.fill(this.#sequence, now, entry, http, keyResultOf(entry, this.#parts.reading));
    const recording = this.isActive ? this.#recordings.get(request) : undefined;
    if (recording === undefined) return;
    this.#recordings.delete(request);
    if (!isOfGateway(entry)) return;
    // Concurrent requests may have used up the budget.
    if (this.#hasBudget()) this.#addDetails(row, recording, answer, http);
    else this.#notRecorded += 1;
  };

  /** The lines after a cursor; the last ones where there are more than `limit`. Without a cursor, the last ones of all. */
  after(cursor: number | undefined, limit: number): TrafficPage {
    const { requestsMax } = this.#options;
    const oldest = Math.max(1, this.#sequence - requestsMax + 1);
    // A cursor of an earlier process may be ahead.
    const wanted = cursor === undefined || cursor > this.#sequence ? oldest - 1 : cursor;
    const from = Math.max(wanted + 1, oldest, this.#sequence - limit + 1);
    const lines: TrafficLine[] = [];
    for (let sequence = from; sequence <= this.#sequence; sequence += 1)
      lines.push(this.#kept(sequence)!.line(this.#options.process));
    return { lines, cursor: this.#sequence, missed: cursor === undefined ? 0 : from - wanted - 1 };
  }

  /** Undefined for a request that is not kept any more. */
  find(id: string): { readonly line: TrafficLine; readonly details: TrafficDetails | undefined } | undefined {
    const [process, sequence] = splitId(id);
    const kept = process === this.#options.process ? this.#kept(sequence) : undefined;
    if (kept === undefined) return undefined;
    return { line: kept.line(process), details: kept.details === undefined ? undefined : JSON.parse(kept.details) };
  }

  close(): void {
    clearTimeout(this.#watching);
  }

  #kept(sequence: number): Row | undefined {
    const kept = this.#ring[sequence % this.#options.requestsMax];
    return kept?.sequence === sequence ? kept : undefined;
  }

  /** Everything is masked before it is kept. */
  #addDetails(kept: Row, recording: Recording, answer: Answer, http: HttpFacts): void {
    const startedAt = performance.now();
    const text = JSON.stringify(describeDetails(recording, answer, http, this.#parts));
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

function isFailure({ problem }: LogEntry): boolean {
  return problem?.type === 'internal';
}

export function splitId(id: string): readonly [process: string, sequence: number] {
  const at = id.lastIndexOf('-');
  return [id.slice(0, at), Number(id.slice(at + 1))];
}

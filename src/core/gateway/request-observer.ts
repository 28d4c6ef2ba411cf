/** Observers of requests: told of each request as it arrives, of its steps, and of its answer after that is written. */
import type { Buffer } from 'node:buffer';
import type { WireRequest } from '../formats/index.ts';
import type { Answer, LogEntry } from './answer.ts';

/** The observers of a server, in the order in which they are told. ARCHITECTURE.md says what each does. */
export const observerNames = [
  'metrics',
  'log',
  'traces',
  'traffic',
  'record',
  'shadow',
  'callers',
  'audit',
  'test',
] as const;

/** Absent observers cost nothing. */
export type RequestObservers = Readonly<Record<(typeof observerNames)[number], RequestObserver | undefined>>;

/** Its functions are called without `this`. */
export interface RequestObserver {
  /** A request has arrived. */
  started?(): void;
  /**
   * A step begins; the first one is the request itself. Returns what is called at its end. Further steps of a request are observed
   * where an observer has returned a function for the first one.
   */
  step?(step: Step): EndStep | undefined;
  /** The answer is written. */
  answered?(request: WireRequest, answer: Answer, http: HttpFacts): void;
}

/** What the HTTP server knows of a request and its response. */
export interface HttpFacts {
  readonly method: string;
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Of the response header X-Request-Id. */
  readonly requestId: string;
  readonly status: number;
  /** From the arrival of the head to the writing of the response. */
  readonly ms: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly address: string;
  /** The caller closed the connection before the response. */
  readonly aborted: boolean;
}

/** What is known of a step when it begins. ARCHITECTURE.md says which function each one is. */
export type StepFacts =
  | { readonly name: 'request'; readonly httpVersion: string; readonly sentTrace: string | undefined }
  | { readonly name: 'decode'; readonly format: string }
  | { readonly name: 'execute'; readonly hasKey: boolean }
  | { readonly name: 'read' | 'transaction'; readonly dialect: string }
  | UpstreamFacts;

export interface UpstreamFacts {
  readonly name: 'upstream';
  readonly upstream: string;
  readonly service: string;
  readonly operation: string;
  readonly hasKey: boolean;
}

/** What became of a step. */
export interface StepResult {
  readonly isFailed: boolean;
  /** What was thrown. */
  readonly thrown?: unknown;
  /** Of `execute`. */
  readonly replayed?: boolean;
  /** Of `upstream`: the reference that the other server gave the request. */
  readonly requestReference?: string | undefined;
}

export type EndStep = (result: StepResult) => void;

/** A step of a request that is handled. */
export class Step {
  readonly facts: StepFacts;
  readonly request: WireRequest;
  /** The step in which it runs; absent for the request itself. */
  readonly parent: Step | undefined;
  /** The trace that its work passes on to other systems, where an observer has set it. */
  traceparent: string | undefined;
  /** Of the request itself, once it was read. */
  body: Buffer | undefined;

  constructor(facts: StepFacts, request: WireRequest, parent?: Step) {
    this.facts = facts;
    this.request = request;
    this.parent = parent;
  }
}

/** Whether an answer is that of an operation or its refusal, and not a document or a failure of the HTTP server. */
export function isOfGateway({ protocol }: Pick<LogEntry, 'protocol'>): boolean {
  return protocol !== 'document' && protocol !== 'none';
}

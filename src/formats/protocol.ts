/** What a protocol is: bytes to canonical input, canonical output and problems to messages. Stateless and frozen. */
import type { Buffer } from 'node:buffer';
import type { Operation } from '../contract/operation.ts';
import type { Issue, Problem } from '../contract/problem.ts';
import type { Service } from '../contract/service.ts';
import type { Message, WireRequest } from './wire.ts';

/** The protocols of operations that callers name. */
export const namedProtocols = Object.freeze(['soap11', 'soap12', 'json', 'form', 'adapter'] as const);
export type NamedProtocol = (typeof namedProtocols)[number];
/** `rest` carries the operations that a method and a path name. */
export type ProtocolName = NamedProtocol | 'rest';

/** Where a request is going, as far as its path tells. */
export interface Target {
  readonly service: Service;
  /** The version in the path, as the caller wrote it. */
  readonly version: number;
  /** Absent where the body names the operation. */
  readonly operation: Operation | undefined;
  /** Fields in the path, decoded; only of an operation with a binding. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What of a request's head belongs to its input. */
export type Head = Pick<WireRequest, 'query' | 'headers'>;

/** Where a body may carry the Idempotency-Key, for callers that cannot set a header. */
export interface KeyPlaces {
  /** A name beside the fields of a form. */
  readonly formField: string;
  /** WS-Addressing's MessageID in a SOAP header. */
  readonly messageId: boolean;
}

export interface Decoded {
  readonly operation: Operation;
  /** Canonical, if there are no issues. */
  readonly input: unknown;
  readonly issues: readonly Issue[];
  /** The Idempotency-Key that the body carries, as it stands there, for callers that cannot set a header. */
  readonly key?: string | undefined;
}

/** The parts of a content type that matter. */
export interface Media {
  readonly type: string;
  /** Lower-case; absent where the caller names none. */
  readonly charset: string | undefined;
}

/** What a refusal may say beside the problem. */
export interface ErrorContext {
  readonly pspReference: string;
  /** Known once the request is routed or decoded; gives issues their coordinates. */
  readonly operation: Operation | undefined;
}

/** A call as a client of this protocol would send it. */
export interface Call {
  /** POST where it is absent. */
  readonly method?: string;
  /** With its query, where there is one. */
  readonly path: string;
  /** Beside the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
}

export interface Protocol {
  readonly name: ProtocolName;
  readonly charsets: readonly string[];
  /** Throws a Problem for bytes that are no request at all; what is wrong with fields are issues. */
  decode(body: Buffer, media: Media, target: Target, head: Head): Decoded;
  encode(operation: Operation, output: unknown): Message;
  encodeError(problem: Problem, circumstance: ErrorContext): Message;
  /** The caller's half, for documents and tests: what a client sends, and what it makes of an answer. */
  encodeRequest(service: Service, operation: Operation, input: unknown): Call;
  decodeResponse(operation: Operation, body: string): { readonly value: unknown; readonly issues: readonly Issue[] };
}

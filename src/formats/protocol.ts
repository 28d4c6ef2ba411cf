/** The interface of a wire format: bytes to canonical input, and canonical output and problems to messages. Stateless. */
import type { Buffer } from 'node:buffer';
import type { Operation } from '../contract/operation.ts';
import type { Issue, Problem } from '../contract/problem.ts';
import type { Service } from '../contract/service.ts';
import type { Message, WireRequest } from './wire.ts';

/** Formats of operations without an HTTP binding: callers name the operation. */
export const namedProtocols = Object.freeze(['soap11', 'soap12', 'json', 'form', 'adapter'] as const);
export type NamedProtocol = (typeof namedProtocols)[number];
/** `rest` carries the operations with an HTTP binding: a method and a path name them. */
export type ProtocolName = NamedProtocol | 'rest';

/** What the path of a request names. */
export interface Target {
  readonly service: Service;
  /** The version in the path, as the caller wrote it. */
  readonly version: number;
  /** Absent if the body names the operation. */
  readonly operation: Operation | undefined;
  /** Fields in the path, decoded; only for an operation with an HTTP binding. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The part of a request's head that can hold fields of the input. */
export type Head = Pick<WireRequest, 'query' | 'headers'>;

/** Where a body may carry the Idempotency-Key, for callers that cannot set a header. */
export interface KeyPlaces {
  /** A name in a form that is not a field of any operation. */
  readonly formField: string;
  /** WS-Addressing's MessageID in a SOAP header. */
  readonly messageId: boolean;
}

export interface Decoded {
  readonly operation: Operation;
  /** Canonical, if there are no issues. */
  readonly input: unknown;
  readonly issues: readonly Issue[];
  /** The Idempotency-Key in the body, as sent. */
  readonly key?: string | undefined;
}

/** The parts of a content type that matter. */
export interface Media {
  readonly type: string;
  /** Lower-case; absent if the caller names none. */
  readonly charset: string | undefined;
}

/** What an error message may contain in addition to the problem. */
export interface ErrorContext {
  readonly requestReference: string;
  /** Known after routing or decoding; needed for the coordinates of issues. */
  readonly operation: Operation | undefined;
}

/** A request as a client of this format sends it. */
export interface Call {
  /** POST if it is absent. */
  readonly method?: string;
  /** With its query. */
  readonly path: string;
  /** In addition to the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
}

export interface Protocol {
  readonly name: ProtocolName;
  readonly charsets: readonly string[];
  /** Throws a Problem for bytes that cannot be parsed. Errors in fields are issues. */
  decode(body: Buffer, media: Media, target: Target, head: Head): Decoded;
  encode(operation: Operation, output: unknown): Message;
  encodeError(problem: Problem, context: ErrorContext): Message;
  /** The client's half, for upstreams, documents and tests. */
  encodeRequest(service: Service, operation: Operation, input: unknown): Call;
  decodeResponse(operation: Operation, body: string): { readonly value: unknown; readonly issues: readonly Issue[] };
}

/** What a protocol is: bytes to canonical input, canonical output and problems to messages. Stateless and frozen. */
import type { Buffer } from 'node:buffer';
import type { Operation, Service } from '../contract/operation.ts';
import type { Issue, Problem } from '../contract/problem.ts';
import type { Message } from './wire.ts';

export type ProtocolName = 'soap11' | 'soap12' | 'json' | 'form' | 'adapter';

/** Where a request is going, as far as its path tells. */
export interface Target {
  readonly service: Service;
  /** The version in the path, as the caller wrote it. */
  readonly version: number;
  /** Absent where the body names the operation. */
  readonly operation: Operation | undefined;
}

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
export interface Circumstance {
  readonly pspReference: string;
  /** Known once the request is routed or decoded; gives issues their coordinates. */
  readonly operation: Operation | undefined;
}

/** A call as a client of this protocol would send it. */
export interface Call {
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

export interface Protocol {
  readonly name: ProtocolName;
  readonly charsets: readonly string[];
  /** Throws a Problem for bytes that are no request at all; what is wrong with fields are issues. */
  decode(body: Buffer, media: Media, target: Target): Decoded;
  encode(operation: Operation, output: unknown): Message;
  refuse(problem: Problem, circumstance: Circumstance): Message;
  /** The caller's half, for documents and tests: what a client sends, and what it makes of an answer. */
  ask(service: Service, operation: Operation, input: unknown): Call;
  hear(operation: Operation, body: string): { readonly value: unknown; readonly issues: readonly Issue[] };
}

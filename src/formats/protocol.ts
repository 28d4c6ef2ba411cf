/** The interface of a wire format: bytes to canonical input, and canonical output and problems to messages. Stateless. */
import type { Buffer } from 'node:buffer';
import type { Conventions } from '../contract/conventions.ts';
import type { DeprecationNotice } from '../contract/deprecation.ts';
import type { Operation } from '../contract/operation.ts';
import type { Path } from '../contract/path.ts';
import type { Issue, Problem } from '../contract/problem.ts';
import type { CompileRead } from '../contract/read.ts';
import type { Service } from '../contract/service.ts';
import type { Charset } from '../lib/charset.ts';
import type { FormatDateTime } from './date-time.ts';
import type { Message, WireRequest } from './wire.ts';

/** The facts of a wire format that need no services. */
export interface FormatTraits {
  /** Its heading in the reference. */
  readonly title: string;
  /** The media type of its requests. */
  readonly mediaType: string;
  /** Media types that are accepted, too, and that no format of its own has. */
  readonly otherMediaTypes?: readonly string[];
  readonly charsets: readonly Charset[];
  /** Whether a request in HTTP/1.0, which knows no Host header, needs one. */
  readonly requiresHost?: boolean;
}

/** What the folder of a wire format exports. */
export interface WireFormat extends FormatTraits {
  /** Its address selects it; the media type selects all others. */
  readonly hasOwnAddress?: true;
  readonly createCodec: (context: FormatContext) => MessageCodec;
}

/** What the formats of a server have in common. */
export interface FormatContext {
  readonly services: readonly Service[];
  readonly places: KeyPlaces;
  readonly conventions: Conventions;
  readonly formatDateTime: FormatDateTime;
  readonly compileRead: CompileRead;
}

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
  /** Absent if the caller names none, or none that is known. */
  readonly charset: Charset | undefined;
}

/** What an error message may contain in addition to the problem. */
export interface ErrorContext {
  readonly requestReference: string;
  /** Known after routing or decoding; needed for the coordinates of issues. */
  readonly operation: Operation | undefined;
  /** Known after routing: the version decides what an error contains. */
  readonly service?: Service | undefined;
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

/** A wire format for the services of a server. */
export interface Protocol extends Required<FormatTraits>, MessageCodec {
  readonly name: string;
}

/** The body is in another format than its media type says; that one reads it, and answers it. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
  readonly format: 'soap11' | 'soap12';

  constructor(format: OtherFormat['format']) {
    super(`the body is ${format}`);
    this.format = format;
  }
}

export interface MessageCodec {
  /** Throws a Problem for bytes that cannot be parsed, and OtherFormat. Errors in fields are issues. */
  decode(body: Buffer, media: Media, target: Target, head: Head): Decoded;
  /** A place in the input or the output as callers of this format write it: an XPath, a JSON pointer, a dotted name. */
  coordinates(path: Path, operation: Operation, side: 'input' | 'output'): string;
  /** `extras`: members that the contract does not know, as a tree to merge into the answer; most formats drop them. */
  encode(operation: Operation, output: unknown, extras?: unknown): Message;
  encodeError(problem: Problem, context: ErrorContext): Message;
  /** Adds to an encoded message that what its caller uses is deprecated; absent where the headers of HTTP are enough. */
  addNotice?(message: Message, notice: DeprecationNotice): Message;
  /** The client's half, for upstreams, documents and tests. */
  encodeRequest(service: Service, operation: Operation, input: unknown): Call;
  decodeResponse(operation: Operation, body: string): { readonly value: unknown; readonly issues: readonly Issue[] };
}

/** The interface of a wire format: bytes to canonical input, and canonical output and problems to messages. Stateless. */
import type { Buffer } from 'node:buffer';
import type {
  CompileRead,
  Conventions,
  DeprecationNotice,
  Extras,
  FaultCode,
  Issue,
  MessageSecurity,
  Operation,
  Path,
  Problem,
  ProblemKind,
  SentKey,
  Service,
} from '../contract/index.ts';
import type { Charset } from '../lib/index.ts';
import type { Leniencies, Leniency } from './leniencies.ts';
import type { Attached, Attachments } from './related.ts';
import type { TextTools } from './text-tools.ts';
import type { Message, WireRequest } from './wire.ts';

/** The facts of a wire format that need no services. */
export interface FormatTraits {
  /** Its heading in the reference. */
  readonly title: string;
  /** The media type of its requests. */
  readonly mediaType: string;
  /** Media types that are accepted, too, and that no format of its own has. */
  readonly otherMediaTypes?: readonly string[];
  /** Media types that are accepted, too, unless the leniency is turned off. */
  readonly lenientMediaTypes?: Readonly<Record<string, Leniency>>;
  readonly charsets: readonly Charset[];
  /** Whether a request in HTTP/1.0, which knows no Host header, needs one. */
  readonly requiresHost?: boolean;
  /** The body names the operation, and the address need not. */
  readonly bodyNamesOperation?: boolean;
  /** The head of a request holds fields, too. */
  readonly hasFieldsInHead?: boolean;
  /** A message has a place for the credential of its caller. */
  readonly hasCredentialInBody?: boolean;
  readonly text: TextTools;
  readonly upstream: UpstreamTraits;
  /** Whether messages of this format exist for an operation of a service. */
  carries(operation: Operation, service: Service): boolean;
  /** The head of a call by POST. */
  callHead(operation: Operation, service: Service): Pick<Call, 'path' | 'contentType' | 'headers'>;
  /** Whether a body that declares no media type is of this format, by its first bytes as Latin-1. No body begins as two formats. */
  begins?(start: string): boolean;
  /** A peculiarity of a client in its headers, beside its name: `SOAPAction quoted`. */
  clientStyle?(headers: Head['headers']): string | undefined;
}

/** How requests to another server are sent in this format, and how its answers are told from others. */
export interface UpstreamTraits {
  /** The header of requests. */
  readonly accept: string;
  isAnswerType(mediaType: string): boolean;
  /** An answer of this format is never empty. */
  readonly isNeverEmpty?: boolean;
  /** Further headers of a request, beside its content type and its own ones. */
  headers?(call: Call): Readonly<Record<string, string>>;
  /** Adds blocks to the header of an envelope that this format has printed. `prefix`: of the envelope. */
  readonly envelope?: { readonly prefix: string; addBlocks(envelope: string, blocks: string): string };
  /** A body has a place for the Idempotency-Key. */
  readonly hasKeyInBody?: boolean;
  /** Servers need the charset in the content type. */
  readonly declaresCharset?: boolean;
}

/** What the folder of a wire format exports. */
export interface WireFormat extends FormatTraits {
  /**
   * Its address selects it, and the media type selects the formats without one. Undefined for a service that does not have it, and where
   * the paths of operations are addresses.
   */
  addressOf?(service: Service): string | undefined;
  readonly createCodec: (context: FormatContext) => MessageCodec;
}

/** What the formats of a server have in common. */
export interface FormatContext {
  readonly services: readonly Service[];
  readonly places: KeyPlaces;
  readonly conventions: Conventions;
  readonly compileRead: CompileRead;
  /** Those that are not turned off. */
  readonly leniencies: Leniencies;
}

/** What the path of a request names. */
export interface Target {
  readonly service: Service;
  /** The version in the path, as the caller wrote it; that of the contract for an address without one. */
  readonly version: number;
  /** The address names no version. */
  readonly isUnversioned?: boolean;
  /** Absent if the body names the operation. */
  readonly operation: Operation | undefined;
  /** Of the version that answers a request with a member or an operation that this one lacks, or of another service at the address. */
  readonly otherwise?: Target;
  /** Fields in the path, decoded; only for an operation with an HTTP binding. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The part of a request's head that can hold fields of the input. */
export type Head = Pick<WireRequest, 'query' | 'headers'>;

/** Where a body may carry what else is in headers of HTTP, for callers that cannot set them. */
export interface KeyPlaces {
  /** A name in a form that is not a field of any operation. */
  readonly formField: string;
  /** WS-Addressing's MessageID in a SOAP header is the Idempotency-Key. */
  readonly messageId: boolean;
  /** WS-Security's UsernameToken in a SOAP header is the credential. By default it is not read. */
  readonly usernameToken?: boolean;
}

/**
 * What the header of a message says to the server rather than to the operation. `decode` fills it in, also where it throws
 * afterwards.
 */
export interface MessageHeader {
  /** Adds to the answer what ties it to the message (WS-Addressing). `problem`: of a refusal. */
  relate?: (answer: Message, problem?: Problem) => Message;
  /** Only where tokens are read. */
  security?: MessageSecurity | undefined;
}

export interface Decoded {
  readonly operation: Operation;
  /** Canonical, if there are no issues. */
  readonly input: unknown;
  readonly issues: readonly Issue[];
  /** The Idempotency-Key in the body. */
  readonly key?: SentKey | undefined;
  /** What the body needed to be read. */
  readonly leniencies?: readonly Leniency[];
  /** The caller reads answers whose bytes are parts of their own (XOP). */
  readonly acceptsXop?: boolean;
}

/** The parts of a content type that matter. */
export interface Media {
  readonly type: string;
  /** Absent if the caller names none, or none that is known. */
  readonly charset: Charset | undefined;
  /** What the body came with, where it is the first of several parts. */
  readonly attachments?: Attachments | undefined;
}

/** What an error message may contain in addition to the problem. */
interface ErrorContext {
  readonly requestReference: string;
  /** Known after routing or decoding; needed for the coordinates of issues. */
  readonly operation: Operation | undefined;
  /** Known after routing: the version decides what an error contains. */
  readonly service?: Service | undefined;
  /** The request reads, or has a key by which a retry finds it. */
  readonly isHarmless?: boolean;
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
  /** As in `Message`. */
  readonly body: string;
  readonly bytes?: Buffer;
  readonly attached?: Attached;
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

/** The response of another server, inflated. */
export interface Reply {
  readonly status: number;
  readonly media: Media;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface DecodedAnswer {
  /** Canonical, if there are no issues. */
  readonly value: unknown;
  readonly issues: readonly Issue[];
  /** Members that the contract does not have: `details.foo`. Each once. */
  readonly unknownMembers: readonly string[];
  /** Blocks of the header that the answer forbids to ignore, and that no contract has. */
  readonly notUnderstood?: readonly string[];
  /** These members with their values. */
  readonly extras?: Extras;
}

/** A refusal with the status of an answer, as some SOAP servers send it. */
export interface RefusedAnswer {
  readonly refusal: Refusal;
}

/** What another server has refused a request for, in its own words. */
export interface Refusal {
  readonly status: number;
  /** The format has one status for most errors: the type of the error implies this one. */
  readonly isStatusImplied?: true;
  readonly code?: string;
  /** The class of the error: `validation`. */
  readonly type?: string;
  readonly message: string;
  readonly issues: readonly RefusalIssue[];
  readonly requestReference?: string;
  /** One that the operation declares. `value`: its canonical data; absent where it breaks the contract. */
  readonly fault?: { readonly problem: ProblemKind; readonly value?: unknown };
  /** Where it is passed on to callers as it is. */
  readonly sent?: Reply;
  /** Elements of the fault that the operation does not declare, as XML. */
  readonly detail?: readonly string[];
  /** In problem details (RFC 9457). */
  readonly details?: { readonly type: string; readonly title: string };
  /** Of a fault of another SOAP server. */
  readonly faultCode?: FaultCode;
  /** A fault of SOAP: whatever its status, no proxy wrote it. */
  readonly isFault?: true;
  /** A SOAP fault that blames the receiver, and that the application did not declare: a SOAP server may answer any failure so. */
  readonly isUndeclared?: true;
}

/** What a format prints of a declared fault. */
export type FaultData = Pick<Problem, 'kind' | 'fault'>;

export interface RefusalIssue {
  /** In the input of the operation. */
  readonly path: Path;
  readonly message: string;
  readonly value?: string;
}

export interface MessageCodec {
  /** Throws a Problem for bytes that cannot be parsed, and OtherFormat. Errors in fields are issues. `header`: filled in. */
  decode(body: Buffer, media: Media, target: Target, head: Head, header?: MessageHeader): Decoded;
  /** A place in the input or the output as callers of this format write it: an XPath, a JSON pointer, a dotted name. `kind`: of an issue there. */
  coordinates(path: Path, operation: Operation, side: 'input' | 'output', kind?: ProblemKind): string;
  /**
   * `extras`: as in `DecodedAnswer`. `asXop`: bytes are parts beside the message, in formats that
   * have parts.
   */
  encode(operation: Operation, output: unknown, extras?: Extras, asXop?: boolean): Message;
  encodeError(problem: Problem, context: ErrorContext): Message;
  /** Adds to an encoded message that what its caller uses is deprecated; absent where the headers of HTTP are enough. */
  addNotice?(message: Message, notice: DeprecationNotice): Message;
  /** The client's half, for upstreams, documents and tests. `key`: for the place in the body, where the format has one. `asXop`: as for `encode`. */
  encodeRequest(service: Service, operation: Operation, input: unknown, key?: string, asXop?: boolean): Call;
  /** Strict: for answers of this program, by their text. */
  decodeResponse(operation: Operation, body: string): { readonly value: unknown; readonly issues: readonly Issue[] };
  /** Accepts what other servers write differently. Throws a Problem for bytes that cannot be parsed. */
  decodeAnswer(operation: Operation, reply: Reply): DecodedAnswer | RefusedAnswer;
  /** Undefined for what is no refusal in this format. `operation`: for the paths of the issues. */
  decodeError(reply: Reply, operation: Operation): Refusal | undefined;
}

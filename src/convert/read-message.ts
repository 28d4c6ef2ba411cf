/** Reads a message that is identified to its canonical value. */
import type { Buffer } from 'node:buffer';
import { type Extras, type Issue, type ObjectSchema, type Operation, Problem } from '../core/contract/index.ts';
import {
  malformedBody,
  OtherFormat,
  type Protocol,
  type ProtocolName,
  type Protocols,
  type Refusal,
  wireFormats,
} from '../core/formats/index.ts';
import { Malformed } from '../core/xml/index.ts';
import type { HttpMessage } from './http-message.ts';
import type { IdentifiedMessage } from './identify-message.ts';

export interface ReadMessage extends IdentifiedMessage {
  readonly content: Content;
  readonly issues: readonly Issue[];
  /** Members of an answer that the contract does not have: `details.foo`. */
  readonly unknownMembers: readonly string[];
}

/** What a message says. */
export type Content =
  | {
      readonly kind: 'value';
      /** Of the value. */
      readonly schema: ObjectSchema;
      /** Canonical, if there are no issues. */
      readonly value: unknown;
      /** Unknown members of an answer. */
      readonly extras?: Extras;
    }
  | { readonly kind: 'refusal'; readonly refusal: Refusal };

/** Throws a Problem for a body that its format refuses. */
export function readMessage(message: IdentifiedMessage, http: HttpMessage, protocols: Protocols): ReadMessage {
  const { side } = message;
  switch (side) {
    case 'request':
      return readRequest(message, http, protocols);
    case 'answer':
      return readAnswer(message, http, protocols);
    case 'error':
      return readError(message, http, protocols);
    default:
      return side satisfies never;
  }
}

function readRequest(message: IdentifiedMessage, { start, headers }: HttpMessage, protocols: Protocols): ReadMessage {
  const { operation, media, target, body } = message;
  const query = start?.kind === 'request' ? start.query : '';
  const bytes = wireFormats[message.format].text.ofFile?.(body) ?? body;
  const { format, result } = inFormat(message.format, (name) =>
    protocols[name].decode(bytes, media, target, { query, headers }),
  );
  const content = { kind: 'value', schema: operation.input, value: result.input } as const;
  return { ...message, format, content, issues: result.issues, unknownMembers: [] };
}

function readError(message: IdentifiedMessage, http: HttpMessage, protocols: Protocols): ReadMessage {
  const { operation, media, body } = message;
  const sent = sentStatus(http);
  // A SOAP server may answer a Fault with status 200.
  const reply = { status: sent < 400 ? statusIn(body) : sent, media, headers: http.headers, body };
  const { format, result } = inFormat(message.format, (name) => protocols[name].decodeError(reply, operation));
  if (result === undefined) throw malformedBody('not an error of this format');
  return { ...message, ...refused(result), format };
}

function readAnswer(message: IdentifiedMessage, http: HttpMessage, protocols: Protocols): ReadMessage {
  const { operation, media, body } = message;
  const reply = { status: sentStatus(http), media, headers: http.headers, body };
  const { format, result } = inFormat(message.format, (name) => protocols[name].decodeAnswer(operation, reply));
  if ('refusal' in result) return { ...message, ...refused(result.refusal), format, side: 'error' };
  readStrictly(protocols[format], operation, message);
  const { issues, unknownMembers, ...content } = result;
  return {
    ...message,
    format,
    issues,
    unknownMembers,
    content: { kind: 'value', schema: operation.output, ...content },
  };
}

function sentStatus({ start }: HttpMessage): number {
  return start?.kind === 'answer' ? start.status : 200;
}

function refused(refusal: Refusal): Pick<ReadMessage, 'content' | 'issues' | 'unknownMembers'> {
  return { content: { kind: 'refusal', refusal }, issues: [], unknownMembers: [] };
}

/** The reading that records coercions. It may refuse what an answer of another server may have. */
function readStrictly(protocol: Protocol, operation: Operation, { media, body }: IdentifiedMessage): void {
  try {
    const text = protocol.text.decode(body, media.charset);
    if (text !== undefined) protocol.decodeResponse(operation, text.trimEnd());
  } catch (thrown) {
    if (!(thrown instanceof Problem) && !(thrown instanceof Malformed)) throw thrown;
  }
}

/** The status that an error in JSON or FORM says itself; that of a Fault otherwise. */
function statusIn(body: Buffer): number {
  const [, status] = /(?:"status"\s*:\s*|(?:^|&)status=)([45]\d\d)\b/.exec(body.toString('latin1')) ?? [];
  return Number(status ?? 500);
}

/** A result, and the format that the body turns out to have: its envelope decides the version of SOAP. */
interface InFormat<T> {
  readonly format: ProtocolName;
  readonly result: T;
}

function inFormat<T>(format: ProtocolName, read: (format: ProtocolName) => T): InFormat<T> {
  try {
    return { format, result: read(format) };
  } catch (thrown) {
    if (!(thrown instanceof OtherFormat)) throw thrown;
    return { format: thrown.format, result: read(thrown.format) };
  }
}

/** Writes a canonical value in other formats, and as programs. */

import {
  type ErrorType,
  type Issue,
  isBound,
  type Operation,
  Problem,
  refusalOfUpstream,
  type Service,
} from '../core/contract/index.ts';
import {
  defaultType,
  type Message,
  type ProtocolName,
  type Protocols,
  type Refusal,
  wireFormats,
} from '../core/formats/index.ts';
import { type LanguageName, languageNames, printCallSource } from './call-source.ts';
import type { ConvertedMessage, ConvertOptions } from './conversion.ts';
import { ConversionError } from './conversion-error.ts';
import type { ReadMessage } from './read-message.ts';

type Targets = ConvertOptions['to'];
type Written = Pick<ReadMessage, 'service' | 'operation' | 'namesOperation' | 'side' | 'content'>;

/** Throws ConversionError for a format that does not carry the operation. */
export function writeMessages(
  targets: Targets = [],
  message: Written,
  protocols: Protocols,
): Readonly<Partial<Record<ProtocolName, ConvertedMessage>>> {
  const formats = targets.filter((each): each is ProtocolName => !isLanguage(each));
  return Object.fromEntries(formats.map((format) => [format, writeMessage(format, message, protocols)]));
}

/** Throws ConversionError for what is no request. */
export function writePrograms(
  { to = [], origin = 'http://127.0.0.1:8080' }: Pick<ConvertOptions, 'to' | 'origin'>,
  { service, operation, side, content }: Written,
  protocols: Protocols,
): Readonly<Partial<Record<LanguageName, string>>> {
  const wanted = to.filter(isLanguage);
  if (wanted.length === 0) return {};
  if (side !== 'request' || content.kind !== 'value')
    throw new ConversionError('target', `an ${side} does not become a program`);
  const request = { service, operation, input: content.value };
  return Object.fromEntries(
    wanted.map((language) => [language, printCallSource(language, request, protocols, { origin })]),
  );
}

function isLanguage(name: string): name is LanguageName {
  return languageNames.some((each) => each === name);
}

function writeMessage(format: ProtocolName, message: Written, protocols: Protocols): ConvertedMessage {
  const { service, operation, side, content } = message;
  if (content.kind === 'refusal') return writeError(format, message, content.refusal, protocols);
  if (!wireFormats[format].carries(operation, service))
    throw new ConversionError('target', notCarried(format, service, operation));
  if (side === 'request') {
    const call = protocols[format].encodeRequest(service, operation, content.value);
    const { method = 'POST', path, headers = {}, contentType, body } = call;
    return { method, path, headers: { ...(body !== '' && { 'Content-Type': contentType }), ...headers }, body };
  }
  return withHead(protocols[format].encode(operation, content.value, content.extras));
}

function notCarried(format: ProtocolName, { name, version }: Service, operation: Operation): string {
  const isOfBound = wireFormats[format].hasFieldsInHead === true;
  if (isBound(operation) === isOfBound) return `version ${version} of ${name} has no messages in ${format}`;
  return `${format} does not carry ${operation.name}: it has ${isOfBound ? 'no' : 'an'} HTTP binding`;
}

/** A refusal in its own words. The operation is needed for the coordinates of its fields only. */
function writeError(
  format: ProtocolName,
  { service, operation, namesOperation }: Written,
  { status, code, type, message, issues, requestReference = '', fault, detail, faultCode }: Refusal,
  protocols: Protocols,
): ConvertedMessage {
  const kind =
    fault === undefined
      ? refusalOfUpstream({
          ...{ status, code: code ?? '000', type: typeOf(type, status) },
          ...(code === undefined && { isUncoded: true }),
        })
      : { ...fault.problem, status };
  const problem = new Problem(kind, message, {
    issues: issues.map((each): Issue => ({ ...each, kind })),
    ...(fault?.value !== undefined && { fault: fault.value }),
    detail,
    faultCode,
  });
  // The operation that declares the fault knows its data.
  const context = { requestReference, service, operation: namesOperation || fault ? operation : undefined };
  return withHead(protocols[format].encodeError(problem, context));
}

function typeOf(type: string | undefined, status: number): ErrorType {
  if (type === 'validation' || type === 'security' || type === 'internal') return type;
  return defaultType(status);
}

function withHead({ status, headers, contentType, body }: Message): ConvertedMessage {
  return { status, headers: { 'Content-Type': contentType, ...headers }, body };
}

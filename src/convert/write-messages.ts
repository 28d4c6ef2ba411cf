/** Writes a canonical value in other formats, and as programs. */
import { isBound } from '../contract/operation.ts';
import type { ProtocolName, Protocols } from '../formats/index.ts';
import { type LanguageName, languageNames, printCallSource } from './call-source.ts';
import type { ConvertedMessage, ConvertOptions } from './conversion.ts';
import { ConversionError } from './conversion-error.ts';
import type { ReadMessage } from './read-message.ts';

type Targets = ConvertOptions['to'];
type Written = Pick<ReadMessage, 'service' | 'operation' | 'side' | 'value'>;

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
  { service, operation, side, value }: Written,
  protocols: Protocols,
): Readonly<Partial<Record<LanguageName, string>>> {
  const wanted = to.filter(isLanguage);
  if (wanted.length > 0 && side !== 'request')
    throw new ConversionError('target', `an ${side} does not become a program`);
  const request = { service, operation, input: value };
  return Object.fromEntries(
    wanted.map((language) => [language, printCallSource(language, request, protocols, { origin })]),
  );
}

export function isLanguage(name: string): name is LanguageName {
  return languageNames.some((each) => each === name);
}

function writeMessage(
  format: ProtocolName,
  { service, operation, side, value }: Written,
  protocols: Protocols,
): ConvertedMessage {
  if (isBound(operation) !== (format === 'rest'))
    throw new ConversionError(
      'target',
      `${format} does not carry ${operation.name}: it has ${isBound(operation) ? 'an' : 'no'} HTTP binding`,
    );
  if (format === 'adapter' && service.legacy?.adapter === undefined)
    throw new ConversionError('target', `version ${service.version} of ${service.name} has no form adapter`);
  if (side === 'request') {
    const {
      method = 'POST',
      path,
      headers = {},
      contentType,
      body,
    } = protocols[format].encodeRequest(service, operation, value);
    return { method, path, headers: { ...(body !== '' && { 'Content-Type': contentType }), ...headers }, body };
  }
  const { status, headers, contentType, body } = protocols[format].encode(operation, value);
  return { status, headers: { 'Content-Type': contentType, ...headers }, body };
}

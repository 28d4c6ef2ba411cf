/** Converts a message from one wire format to others, by way of its canonical form, and says what the conversion changes. */
import { Buffer } from 'node:buffer';
import type { Path } from '../contract/path.ts';
import { Problem } from '../contract/problem.ts';
import { maskSensitive } from '../contract/redaction.ts';
import type { Service } from '../contract/service.ts';
import { createProtocols } from '../formats/index.ts';
import { compileRoutes } from '../gateway/route.ts';
import { CoercionRecorder } from './coercions.ts';
import type { Coercion, Conversion, ConversionIssue, ConvertOptions } from './conversion.ts';
import { malformed } from './conversion-error.ts';
import { splitHttpMessage } from './http-message.ts';
import { identifyMessage, type KnownServices } from './identify-message.ts';
import { findLosses } from './losses.ts';
import { type ReadMessage, readMessage } from './read-message.ts';
import { writeMessages, writePrograms } from './write-messages.ts';

export type Convert = (options: ConvertOptions) => Conversion;

/** Returns the conversion of messages of the services; of each, the newest version last. It throws ConversionError. */
export function createConverter(services: readonly Service[]): Convert {
  const recorder = new CoercionRecorder();
  const protocols = createProtocols(services, undefined, recorder.compileRead);
  const known = { services, protocols, routes: compileRoutes(services) };
  return (options) => {
    recorder.take();
    const read = identifyAndRead(options, known);
    const { operation, service, side, format, value, issues } = read;
    const locate = (path: Path): string =>
      protocols[format].coordinates(path, operation, side === 'request' ? 'input' : 'output');
    const coercions = recorder.take().map(({ path, ...coercion }): Coercion => ({ at: locate(path), ...coercion }));
    const canonical = options.mask === true ? maskSensitive(read.schema, value) : value;
    const isValid = issues.length === 0;
    const losses = isValid ? findLosses(read, writeMessages(options.to, read, protocols), known) : [];
    return {
      service: service.name,
      version: service.version,
      operation: operation.name,
      format,
      side,
      canonical,
      coercions: [...coercions, ...losses.map(({ path, ...loss }): Coercion => ({ at: locate(path), ...loss }))],
      issues: issues.map(
        ({ path, kind, message }): ConversionIssue => ({ at: locate(path), code: kind.code, message }),
      ),
      messages: isValid ? writeMessages(options.to, { ...read, value: canonical }, protocols) : {},
      programs: isValid ? writePrograms(options, { ...read, value: canonical }, protocols) : {},
    };
  };
}

function identifyAndRead(options: ConvertOptions, known: KnownServices): ReadMessage {
  const http = splitHttpMessage(Buffer.from(options.message));
  try {
    return readMessage(identifyMessage(http, options, known), http, known.protocols);
  } catch (thrown) {
    throw thrown instanceof Problem ? malformed(thrown, http.body, http.linesBefore) : thrown;
  }
}

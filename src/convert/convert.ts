/** Converts a message from one wire format to others, by way of its canonical form, and says what the conversion changes. */
import {
  dotted,
  faultOf,
  type MaskSecrets,
  maskSensitive,
  type Operation,
  type Path,
  type ProblemKind,
  type Service,
} from '../core/contract/index.ts';
import { createProtocols, PartRecorder, type Refusal } from '../core/formats/index.ts';
import { compileRoutes } from '../core/gateway/index.ts';
import { CoercionRecorder } from './coercions.ts';
import type {
  Coercion,
  Conversion,
  ConversionIssue,
  ConvertOptions,
  RefusalContent,
  RefusedField,
} from './conversion.ts';
import { textOf } from './http-message.ts';
import { identifyAndRead } from './identify-and-read.ts';
import { createLocator } from './locate.ts';
import { findLosses } from './losses.ts';
import type { Content, ReadMessage } from './read-message.ts';
import { writeMessages, writePrograms } from './write-messages.ts';

export type Convert = (options: ConvertOptions) => Conversion;

/** Returns the conversion of messages of the services; of each, the newest version last. It throws ConversionError. `mask`: masks results. */
export function createConverter(services: readonly Service[], mask: MaskSecrets = maskSensitive): Convert {
  const recorder = new CoercionRecorder();
  const partRecorder = new PartRecorder(recorder.compileRead);
  const protocols = createProtocols(services, undefined, partRecorder.compileRead);
  const known = { services, protocols, routes: compileRoutes(services) };
  return (options) => {
    recorder.take();
    partRecorder.take();
    const read = identifyAndRead(options, known);
    const { operation, service, side, format, issues, unknownMembers } = read;
    const schemaSide = side === 'request' ? 'input' : 'output';
    const coordinatesOf = (path: Path, kind?: ProblemKind): string =>
      protocols[format].coordinates(path, operation, schemaSide, kind);
    const text = textOf(options.message);
    const locate = createLocator({ text, parts: partRecorder.take(), operation, side: schemaSide });
    const placed = (path: Path, kind?: ProblemKind): Pick<ConversionIssue, 'at' | 'place'> => {
      const place = locate(path, kind);
      return { at: coordinatesOf(path, kind), ...(place !== undefined && { place }) };
    };
    const coercions = recorder.take().map(({ path, ...coercion }): Coercion => ({ ...placed(path), ...coercion }));
    const shown = options.mask === true ? masked(read, mask) : read;
    const isValid = issues.length === 0;
    const losses = isValid ? findLosses(read, writeMessages(options.to, read, protocols), known) : [];
    return {
      service: service.name,
      version: service.version,
      ...(read.namesOperation && { operation: operation.name }),
      format,
      side,
      canonical: canonicalOf(shown.content, operation),
      coercions: [
        ...coercions,
        ...unknownMembers.map((at): Coercion => ({ at, changes: ['unknownMember'] })),
        ...losses.map(({ path, ...loss }): Coercion => ({ ...placed(path), ...loss })),
      ],
      issues: issues.map(
        ({ path, kind, message }): ConversionIssue => ({ ...placed(path, kind), code: kind.code, message }),
      ),
      messages: isValid ? writeMessages(options.to, shown, protocols) : {},
      programs: isValid ? writePrograms(options, shown, protocols) : {},
    };
  };
}

/** Without members that the contract does not have: nothing says which of them are sensitive. */
function masked(message: ReadMessage, mask: MaskSecrets): ReadMessage {
  if (message.content.kind === 'refusal')
    return { ...message, content: { kind: 'refusal', refusal: maskedRefusal(message.content.refusal, message, mask) } };
  const { kind, schema, value } = message.content;
  return { ...message, content: { kind, schema, value: mask(schema, value) } };
}

/** Nothing says what of an undeclared detail is sensitive. */
function maskedRefusal(refusal: Refusal, { operation }: ReadMessage, mask: MaskSecrets): Refusal {
  const { detail: _, fault, ...others } = refusal;
  const declared = fault && faultOf(operation, fault.problem);
  if (fault === undefined || declared === undefined) return others;
  return { ...others, fault: { ...fault, ...('value' in fault && { value: mask(declared.detail, fault.value) }) } };
}

function canonicalOf(content: Content, operation: Operation): unknown {
  return content.kind === 'value' ? content.value : refusalContent(content.refusal, operation);
}

function refusalContent(
  { status, code, type, message, issues, requestReference, fault }: Refusal,
  operation: Operation,
): RefusalContent {
  const declared = fault && faultOf(operation, fault.problem);
  return {
    status,
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    message,
    issues: issues.map((issue): RefusedField => ({ field: dotted(issue.path), message: issue.message })),
    ...(requestReference !== undefined && { requestReference }),
    ...(declared && fault?.value !== undefined && { fault: { [declared.element]: fault.value } }),
  };
}

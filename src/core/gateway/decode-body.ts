/** Decodes a body in its format: that of the head, that of its first bytes, or that of its SOAP envelope. */
import type { Buffer } from 'node:buffer';
import { adviceAt, Problem, problems } from '../contract/index.ts';
import {
  addressFormats,
  type Decoded,
  formatOfBody,
  type Media,
  OtherFormat,
  type Protocols,
  type Target,
} from '../formats/index.ts';
import type { RequestState } from './answer.ts';
import { detect, isJsonAsForm, requireReadable } from './detect.ts';
import { type Identified, identify, startMax } from './identify.ts';

/**
 * Sets `request.protocol` to the format of the body, and `request.target` to the version that knows all of it; a refusal is answered in
 * both.
 */
export function decodeBody(received: Buffer, target: Target, request: RequestState, protocols: Protocols): Decoded {
  const { wire, detected } = request;
  const { body, media } = detected.isUnidentified
    ? identifyBody(received, target, request, protocols)
    : { body: received, media: detected.media };
  const decodeFor = (of: Target): Decoded => {
    try {
      return request.protocol.decode(body, media, of, wire, request.header);
    } catch (thrown) {
      if (!(thrown instanceof OtherFormat)) throw thrown;
      request.protocol = protocols[thrown.format];
      return request.protocol.decode(body, media, of, wire, request.header);
    }
  };
  try {
    const decoded = decodeFirstFitting(target, request, decodeFor);
    if (!decoded.issues.some(({ kind }) => kind.name === problems.unknownField.name)) return decoded;
    const advice = adviceOnFormat(body, request, protocols);
    return advice === undefined ? decoded : { ...decoded, issues: [...decoded.issues, ...advice.issues] };
  } catch (thrown) {
    const isOfBody = thrown instanceof Problem && decodingProblems.has(thrown.problem);
    const advice = isOfBody ? adviceOnFormat(body, request, protocols) : undefined;
    if (advice === undefined || !(thrown instanceof Problem)) throw thrown;
    const { kind, message, headers, reason, faultCode } = thrown;
    throw new Problem(kind, message, { ...advice, headers, reason, faultCode, cause: thrown });
  }
}

function decodeFirstFitting(target: Target, request: RequestState, decodeFor: (target: Target) => Decoded): Decoded {
  // A version that has the operation, and not all of the members: it names them where no other version has the operation.
  let closest: { readonly decoded: Decoded; readonly target: Target } | undefined;
  let current = target;
  for (; current.otherwise !== undefined; current = current.otherwise) {
    const decoded = decodeKnown(current, decodeFor);
    if (decoded !== undefined && fits(decoded, current, current.otherwise)) return decoded;
    if (decoded !== undefined) closest = { decoded, target: current };
    request.target = current.otherwise;
  }
  const last = closest && decodeKnown(current, decodeFor);
  if (closest === undefined || last !== undefined) return last ?? decodeFor(current);
  request.target = closest.target;
  return closest.decoded;
}

/** What to do with a body that was refused and begins like one of another format: its media type is the likely mistake. */
function adviceOnFormat(
  body: Buffer,
  { protocol }: RequestState,
  protocols: Protocols,
): ReturnType<typeof adviceAt> | undefined {
  const named = formatOfBody(body.toString('latin1', 0, startMax));
  if (named === undefined || (named === 'form' && !body.includes('='))) return undefined;
  const { title, mediaType, ...other } = protocols[named];
  if (other.text === protocol.text || mediaType === protocol.mediaType) return undefined;
  const text = `the body looks like ${title}, and is read as ${protocol.title}: send ${mediaType}`;
  return adviceAt('Content-Type', text);
}

const decodingProblems: ReadonlySet<string> = new Set([
  problems.undecodable.name,
  problems.unreadable.name,
  problems.unknownOperation.name,
]);

/** Returns undefined for a body with an operation that the service lacks. */
function decodeKnown(target: Target, decodeFor: (target: Target) => Decoded): Decoded | undefined {
  try {
    return decodeFor(target);
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.kind.name === problems.unknownOperation.name) return undefined;
    throw thrown;
  }
}

/** Whether no member is one that another version of the service may have. */
function fits({ issues }: Decoded, { service }: Target, otherwise: Target): boolean {
  if (otherwise.service.name !== service.name) return true;
  return !issues.some(({ kind }) => kind.name === problems.unknownField.name);
}

function identifyBody(
  received: Buffer,
  target: Target,
  request: RequestState,
  protocols: Protocols,
): { readonly body: Buffer; readonly media: Media } {
  const { wire, route, detected } = request;
  // A form without a body has its fields in the query, and no media type.
  const isInQuery =
    received.length === 0 && detected.media.type === '' && route.format === addressFormats.adapter && wire.query !== '';
  const { contentType, body, attachments }: Identified = isInQuery
    ? { contentType: request.protocol.mediaType, body: received }
    : identify(received, detected.media.type, wire.headers['content-type']);
  const found = detect(wire, route, protocols, contentType);
  request.protocol = found.protocol;
  if (isJsonAsForm(detected, route, protocols) && found.media.type !== detected.media.type)
    request.detected = { ...found, leniency: 'json-as-form' };
  requireReadable(found, route, target, protocols);
  return { media: attachments === undefined ? found.media : { ...found.media, attachments }, body };
}

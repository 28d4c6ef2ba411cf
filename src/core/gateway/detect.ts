/** Detects the protocol of a request; total, since even a refusal needs a format. */

import {
  addressFormats,
  byMediaType,
  fallbackFormats,
  formDataType,
  type Leniency,
  type Media,
  multipartType,
  namedProtocols,
  type Protocol,
  type ProtocolName,
  type Protocols,
  type Target,
  unsupportedMedia,
  type WireRequest,
} from '../formats/index.ts';
import { BoundedMap, charsetOf } from '../lib/index.ts';
import type { Route } from './route.ts';

export interface Detected {
  readonly protocol: Protocol;
  readonly media: Media;
  /** The protocol's media type and charset were declared, so that its body can be read. */
  readonly isReadable: boolean;
  /** The head does not say what the body is: no media type, multipart, or that of a form, which curl declares for every body. */
  readonly isUnidentified: boolean;
  /** The media type is accepted by it. */
  readonly leniency: Leniency | undefined;
}

/** The media type that a header declares. */
interface Declared extends Media {
  /** Whether it names a charset that is not known, or two. */
  readonly hasUnknownCharset: boolean;
}

const none: Declared = Object.freeze({ type: '', charset: undefined, hasUnknownCharset: false });

const media = new BoundedMap<string, Declared>(256);

/** The protocol of a request: the address decides, then the media type, then Accept. */
export function detect(
  { method, headers }: WireRequest,
  route: Route,
  protocols: Protocols,
  contentType = headers['content-type'],
): Detected {
  const declared = mediaOf(contentType);
  const named = Object.hasOwn(byMediaType, declared.type) ? byMediaType[declared.type] : undefined;
  const name = route.isOwnPath
    ? ownFormat(method, route, named, headers)
    : (route.format ?? named ?? fallback(route, headers));
  const protocol = protocols[name];
  const isCarried = carries(protocol, route, method, declared);
  const hasCharset =
    !declared.hasUnknownCharset && (declared.charset === undefined || protocol.charsets.includes(declared.charset));
  const isUnnamed = declared.type === '' ? !isCarried : isCarried && isInParts(declared);
  return {
    protocol,
    media: declared,
    isReadable: isCarried && hasCharset,
    isUnidentified: (!route.isOwnPath && isUnnamed) || isJsonAsForm({ protocol, media: declared }, route, protocols),
    leniency: isCarried ? protocol.lenientMediaTypes[declared.type] : undefined,
  };
}

/** Whether a body that is declared as a form may be JSON: in the place of FORM, or where no form is read. */
export function isJsonAsForm(
  { protocol, media: { type } }: Pick<Detected, 'protocol' | 'media'>,
  { format }: Route,
  { form, json }: Protocols,
): boolean {
  if (type !== form.mediaType || !Object.hasOwn(json.lenientMediaTypes, type)) return false;
  return protocol === form || format === addressFormats.bound;
}

/** Refuses a request that no format can read, and says what to send to the address. Throws 415. */
export function requireReadable(detected: Detected, route: Route, { operation }: Target, protocols: Protocols): void {
  const { protocol, media, isReadable } = detected;
  if (isReadable) return;
  if (carries(protocol, route, 'POST', media)) throw unsupportedMedia('charset', protocol.charsets);
  const selected = namedProtocols.filter((name) => byMediaType[protocols[name].mediaType] === name);
  const named = selected.map((name) => protocols[name]);
  // Where the path names no operation, the body does.
  const fitting = operation === undefined ? named.filter((each) => each.bodyNamesOperation) : named;
  const formats = route.format === undefined ? fitting : [protocols[route.format]];
  const types = formats.map(({ mediaType }) => mediaType);
  throw unsupportedMedia('Content-Type', types, { headers: { Accept: types.join(', ') } });
}

/** Clients send few different headers: each is parsed once. */
function mediaOf(header: string | undefined): Declared {
  if (header === undefined) return none;
  const known = media.get(header);
  if (known !== undefined) return known;
  const parsed = parseMedia(header);
  // Each multipart header has a boundary of its own.
  if (header.length < 200 && !isInParts(parsed)) media.set(header, parsed);
  return parsed;
}

function isInParts({ type }: Media): boolean {
  return type === multipartType || type === formDataType;
}

/** `application/json; charset="UTF-8"`; ignores other parameters (SOAP 1.2 has `action`). */
function parseMedia(header: string): Declared {
  const [type = '', ...parameters] = header.split(';');
  const charsets = parameters.flatMap((each) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(each)?.[1] ?? []);
  const [label, ...others] = charsets;
  const charset = label === undefined ? undefined : charsetOf(label);
  const hasUnknownCharset = others.length > 0 || (label !== undefined && charset === undefined);
  return Object.freeze({ type: type.trim().toLowerCase(), charset, hasUnknownCharset });
}

/** Without a format of the address or the media type: as the address or Accept suggests, else JSON. */
function fallback(route: Route, headers: WireRequest['headers']): ProtocolName {
  return /xml/i.test(headers.accept?.slice(0, 200) ?? '') ? fallbackFormats.xml : route.fallback;
}

/** At the path of an upstream: FORM where a form is sent that the upstream does not take, or is asked for, and else its own format. */
function ownFormat(
  method: string,
  route: Route,
  named: ProtocolName | undefined,
  headers: WireRequest['headers'],
): ProtocolName {
  const isForm =
    named === 'form' || (headers['content-type'] === undefined && headers.accept?.startsWith(formType) === true);
  return isForm && bodyTypeOf(method, route) !== formType ? 'form' : 'rest';
}

const formType = 'application/x-www-form-urlencoded';

function bodyTypeOf(method: string, route: Route): string | undefined {
  try {
    return route.target(method).operation?.upstream?.body?.type;
  } catch {
    // It is refused later, in a format.
    return undefined;
  }
}

/** Whether the declared media type is one of the protocol. */
function carries(
  { mediaType, otherMediaTypes, lenientMediaTypes }: Protocol,
  { format, isOwnPath }: Route,
  method: string,
  { type }: Media,
): boolean {
  if (isOwnPath) return true;
  if (type === mediaType || otherMediaTypes.includes(type) || Object.hasOwn(lenientMediaTypes, type)) return true;
  // A request without a body need not declare a media type where an HTTP binding names the operation.
  return format === addressFormats.bound && (method === 'GET' || type === '');
}

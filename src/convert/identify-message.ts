/** Finds what a message is: its format, whether it is a request, an answer or an error, and its operation. */
import type { Buffer } from 'node:buffer';
import {
  contractOf,
  isBound,
  namedOperations,
  newestOf,
  type Operation,
  Problem,
  type Service,
} from '../core/contract/index.ts';
import {
  addressFormats,
  byMediaType,
  type Media,
  type MessageClues,
  multipartType,
  type ProtocolName,
  type Protocols,
  type Target,
  type WireRequest,
  wireFormats,
} from '../core/formats/index.ts';
import { detect, type Identified, identify, type Route, type Routes } from '../core/gateway/index.ts';
import { ConversionError } from './conversion-error.ts';
import type { HttpMessage } from './http-message.ts';

/** A request, the answer to one, or the refusal of one. */
export type MessageSide = 'request' | 'answer' | 'error';

/** What the message need not say, and its caller knows. */
export interface MessageHints {
  readonly from?: ProtocolName | undefined;
  readonly service?: string | undefined;
  readonly version?: number | undefined;
  readonly operation?: string | undefined;
  readonly side?: 'request' | 'answer' | undefined;
}

/** The services that messages may belong to. */
export interface KnownServices {
  /** Of each service, the newest version last. */
  readonly services: readonly Service[];
  readonly routes: Routes;
  readonly protocols: Protocols;
}

export interface IdentifiedMessage {
  readonly format: ProtocolName;
  readonly side: MessageSide;
  readonly service: Service;
  readonly operation: Operation;
  /** False for an error that does not name its operation: another one of the service stands in. */
  readonly namesOperation: boolean;
  /** Of a request. */
  readonly target: Target;
  readonly media: Media;
  /** Without the parts of a multipart body around it. */
  readonly body: Buffer;
}

/** Throws ConversionError, and a Problem for a body that its format refuses. */
export function identifyMessage(http: HttpMessage, named: MessageHints, known: KnownServices): IdentifiedMessage {
  const wire = wireOf(http);
  const route = known.routes.find(wire.path);
  const { format, body, ...identified } = identifyFormat(http, wire, route, named, known.protocols);
  const { charset = identified.media.charset } = http;
  const media = { ...identified.media, charset };
  const { clues } = wireFormats[format].text;
  const found = clues?.(body, media.charset);
  if (found === undefined && wireFormats[format].bodyNamesOperation) refuseBody(format, { body, media }, known);
  const side = sideOf(http, named, found, body);
  const target = targetOf(route, http);
  const wanted: Wanted = {
    name: named.operation ?? operationIn(found, side) ?? target?.operation?.name,
    service: named.service ?? found?.service ?? target?.service.name,
    version: named.version ?? target?.version,
    namespace: found?.namespace,
  };
  const namesOperation = side !== 'error' || wanted.name !== undefined;
  const contract =
    named.operation === undefined && named.service === undefined && target?.operation !== undefined
      ? { service: target.service, operation: target.operation }
      : namesOperation
        ? findOperation(known.services, wanted)
        : standIn(known.services, wanted, { format, text: body.toString('utf8') });
  return {
    format: formatFor(contract.operation, format, found?.service !== undefined),
    side,
    ...contract,
    namesOperation,
    target: target?.operation === contract.operation ? target : { version: contract.service.version, ...contract },
    media,
    body,
  };
}

function wireOf({ start, headers, body }: HttpMessage): WireRequest {
  const { method, path, query } = start?.kind === 'request' ? start : { method: 'POST', path: '', query: '' };
  return { method, path, query, headers, inspect: () => {}, body: async () => body };
}

interface IdentifiedFormat {
  readonly format: ProtocolName;
  readonly media: Media;
  readonly body: Buffer;
}

function identifyFormat(
  { headers, body }: HttpMessage,
  wire: WireRequest,
  route: Route,
  { from }: MessageHints,
  protocols: Protocols,
): IdentifiedFormat {
  const declared = detect(wire, route, protocols).media;
  if (from !== undefined) return { format: from, media: { ...declared, type: protocols[from].mediaType }, body };
  // Only those of operations that callers name have a type of error.
  if (declared.type === 'application/problem+json' && !body.includes('"errorType"'))
    return { format: addressFormats.bound, media: declared, body };
  const isNamed = Object.hasOwn(byMediaType, declared.type) && declared.type !== multipartType;
  const found: Identified = isNamed
    ? { contentType: declared.type, body }
    : identify(body, declared.type, headers['content-type']);
  const { media } = detect(wire, route, protocols, isNamed ? headers['content-type'] : found.contentType);
  const format = route.format ?? byMediaType[media.type];
  if (format === undefined)
    throw new ConversionError('unnamed', 'the message is like none of the formats: name its format');
  const { attachments } = found;
  return { format, media: attachments === undefined ? media : { ...media, attachments }, body: found.body };
}

/** An operation with an HTTP binding has one format. A form whose body names the operation is the adapter's. */
function formatFor(operation: Operation, format: ProtocolName, hasAction: boolean): ProtocolName {
  if (isBound(operation)) return addressFormats.bound;
  return hasAction && wireFormats[format].addressOf === undefined ? addressFormats.adapter : format;
}

/** Undefined for an address that is not served, such as that of another server. */
function targetOf(route: Route, { start }: HttpMessage): Target | undefined {
  if (start?.kind !== 'request') return undefined;
  try {
    return route.target(start.method);
  } catch (thrown) {
    if (thrown instanceof Problem) return undefined;
    throw thrown;
  }
}

/** Throws the Problem of a body that does not say what it is. */
function refuseBody(
  format: ProtocolName,
  { body, media }: Pick<IdentifiedFormat, 'body' | 'media'>,
  { services, protocols }: KnownServices,
): void {
  const service = services.find((each) => namedOperations(each).length > 0);
  if (service === undefined) return;
  const target = { service, version: service.version, operation: undefined };
  protocols[format].decode(body, media, target, { query: '', headers: {} });
}

function operationIn(clues: MessageClues | undefined, side: MessageSide): string | undefined {
  return side === 'answer' ? clues?.operation?.replace(/Response$/, '') : clues?.operation;
}

function sideOf(
  { start }: HttpMessage,
  { side }: MessageHints,
  clues: MessageClues | undefined,
  body: Buffer,
): MessageSide {
  if (clues?.side === 'error' || (start?.kind === 'answer' && start.status >= 400)) return 'error';
  if (side === 'answer' || start?.kind === 'answer') return isErrorBody(body) ? 'error' : 'answer';
  if (side === 'request' || start?.kind === 'request') return 'request';
  return clues?.side ?? (isErrorBody(body) ? 'error' : 'request');
}

/** Errors in JSON and FORM have members that no contract has together; the adapter's are one line. */
function isErrorBody(body: Buffer): boolean {
  const text = body.toString('utf8').trim();
  if (text.startsWith('{')) return /"errorCode"\s*:/.test(text) && /"(?:message|detail)"\s*:/.test(text);
  return /(?:^|&)errorCode=/.test(text) || /^(?:validation|security|internal) \d/.test(text);
}

interface Wanted {
  readonly name: string | undefined;
  readonly service: string | undefined;
  readonly version: number | undefined;
  readonly namespace: string | undefined;
}

interface ErrorText {
  readonly format: ProtocolName;
  readonly text: string;
}

/** An operation that the format carries: one that declares a fault of the text, if there is one. */
function standIn(services: readonly Service[], wanted: Wanted, { format, text }: ErrorText) {
  const carried = contractsOf(services, wanted).flatMap((service) =>
    [...service.operations.values()].flatMap((operation) =>
      wireFormats[format].carries(operation, service) ? { service, operation } : [],
    ),
  );
  const [first] = carried;
  if (first !== undefined)
    return (
      carried.find(({ operation: { faults = [] } }) => faults.some((each) => text.includes(each.element))) ?? first
    );
  throw new ConversionError('unnamed', `no service has answers in ${format}`);
}

/** Without a version, the newest contract of each service, or the newest that has the operation. */
function contractsOf(services: readonly Service[], { service, version, name }: Wanted): readonly Service[] {
  const hasOperation = ({ operations }: Service) => name !== undefined && operations.has(name);
  return newestOf(services)
    .filter((each) => service === undefined || each.name === service)
    .flatMap((newest) =>
      version === undefined
        ? (services.findLast((each) => each.name === newest.name && hasOperation(each)) ?? newest)
        : (contractOf(services, newest.name, version) ?? []),
    );
}

function findOperation(services: readonly Service[], wanted: Wanted) {
  const { name, namespace } = wanted;
  const contracts = contractsOf(services, wanted);
  if (contracts.length === 0)
    throw new ConversionError(
      'unnamed',
      `no such service or version: ${newestOf(services).map(printService).join(', ')}`,
    );
  if (name === undefined) {
    const names = contracts.flatMap(({ operations }) => [...operations.keys()]);
    throw new ConversionError('unnamed', `the message does not name its operation: name one of ${names.join(', ')}`);
  }
  const having = contracts.filter(({ operations }) => operations.has(name));
  const ofNamespace = having.filter(({ namespaces }) =>
    Object.values(namespaces?.uris ?? {}).includes(namespace ?? ''),
  );
  const [found, ...others] = ofNamespace.length > 0 ? ofNamespace : having;
  if (found === undefined) {
    const inVersion = wanted.version === undefined ? '' : ` in version ${wanted.version}`;
    throw new ConversionError('unnamed', `no service has the operation ${name}${inVersion}`);
  }
  if (others.length > 0) {
    const names = [found, ...others].map((each) => each.name);
    throw new ConversionError('unnamed', `several services have ${name}: name one of ${names.join(', ')}`);
  }
  return { service: found, operation: found.operations.get(name)! };
}

function printService({ name, answers: { from, to } }: Service): string {
  return from === to ? `${name} v${from}` : `${name} v${from} to v${to}`;
}

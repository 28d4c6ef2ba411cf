/** The wire formats. A new one is a folder and a line here. */
import {
  type CompileRead,
  compileRead,
  conventionsOf,
  isBound,
  namedOperations,
  type ObjectSchema,
  type Operation,
  partsIn,
  type Service,
} from '../contract/index.ts';
import { adapter } from './form/adapter.ts';
import { form } from './form/index.ts';
import { partsOfForm } from './form/pairs.ts';
import { json } from './json/index.ts';
import { allLeniencies, type Leniencies } from './leniencies.ts';
import type { FormatTraits, KeyPlaces, Protocol, WireFormat } from './protocol.ts';
import { rest } from './rest/index.ts';
import { soap11, soap12 } from './soap/index.ts';

/** The formats of operations without an HTTP binding: callers name the operation. */
const namedFormats = { soap11, soap12, json, form, adapter } as const;
export type NamedProtocol = keyof typeof namedFormats;
export const namedProtocols = Object.freeze(Object.keys(namedFormats) as NamedProtocol[]);

/** `rest` carries the operations with an HTTP binding: a method and a path name them. */
const formats = { ...namedFormats, rest } as const;
/** The name of a wire format: `soap11`, `soap12`, `json`, `form`, `adapter` or `rest`. */
export type ProtocolName = keyof typeof formats;
export const wireFormats: Readonly<Record<ProtocolName, WireFormat>> = formats;
export const protocolNames = Object.freeze(Object.keys(formats) as ProtocolName[]);

export type Protocols = Readonly<Record<ProtocolName, Protocol>>;

/**
 * `compile`: reads the fields of messages. Throws if the form field of the Idempotency-Key is a field of an operation, or if a format cannot
 * express an operation.
 */
export function createProtocols(
  services: readonly Service[],
  places: KeyPlaces = defaultPlaces,
  compile: CompileRead = compileRead,
  leniencies: Leniencies = allLeniencies,
): Protocols {
  for (const service of services)
    for (const { name, input, output } of namedOperations(service)) {
      if (Object.hasOwn(input.fields, places.formField))
        throw new Error(`${places.formField} is a field of ${name}: the Idempotency-Key needs another name`);
      if (!isExpressible(input) || !isExpressible(output))
        throw new Error(`${name} has a map of records: only an operation with a binding may have one`);
    }
  const conventions = conventionsOf(services);
  const context = { services, places, conventions, compileRead: compile, leniencies };
  const protocols = Object.entries<WireFormat>(formats).map(([name, format]) => [
    name,
    Object.freeze<Protocol>({ name, ...traitsOf(format, leniencies), ...format.createCodec(context) }),
  ]);
  return Object.freeze(Object.fromEntries(protocols));
}

/** The same members for every format, in one order, so that reading them costs the same in all. */
function traitsOf(format: WireFormat, leniencies: Leniencies): Required<FormatTraits> {
  const { lenientMediaTypes = {} } = format;
  return {
    title: format.title,
    mediaType: format.mediaType,
    otherMediaTypes: format.otherMediaTypes ?? [],
    lenientMediaTypes: Object.fromEntries(Object.entries(lenientMediaTypes).filter(([, each]) => leniencies.has(each))),
    charsets: format.charsets,
    requiresHost: format.requiresHost ?? false,
    bodyNamesOperation: format.bodyNamesOperation ?? false,
    hasFieldsInHead: format.hasFieldsInHead ?? false,
    hasCredentialInBody: format.hasCredentialInBody ?? false,
    text: format.text,
    upstream: format.upstream,
    carries: format.carries,
    callHead: format.callHead,
    begins: format.begins ?? (() => false),
    clientStyle: format.clientStyle ?? (() => undefined),
  };
}

const ownTypes = new Set(namedProtocols.map((name) => wireFormats[name].mediaType));

/** The format that a media type declares. */
export const byMediaType: Readonly<Record<string, NamedProtocol>> = Object.freeze(
  Object.fromEntries(
    namedProtocols.flatMap((name) => {
      const { mediaType, otherMediaTypes = [], lenientMediaTypes = {}, addressOf }: WireFormat = namedFormats[name];
      const own = [mediaType, ...otherMediaTypes];
      const types = [...own, ...Object.keys(lenientMediaTypes).filter((type) => !ownTypes.has(type))];
      return addressOf !== undefined ? [] : types.map((type) => [type, name]);
    }),
  ),
);

/** Whether a name is that of a format. Requests for documents have another one. */
export function isFormat(name: string): name is ProtocolName {
  return Object.hasOwn(formats, name);
}

/** The format that a body has whose request declares no media type. */
export function formatOfBody(start: string): NamedProtocol | undefined {
  return namedProtocols.find((name) => wireFormats[name].begins?.(start));
}

/** The formats of answers to requests that name none: to callers that accept XML, and to all others. */
export const fallbackFormats = Object.freeze({ xml: 'soap11', other: 'json' } as const);

/** The format of an address that a service has in one format alone. */
export function formatAt(address: string, service: Service): NamedProtocol | undefined {
  return namedProtocols.find((name) => wireFormats[name].addressOf?.(service) === address);
}

/** The addresses that a service has in one format alone. */
export function ownAddressesOf(service: Service): readonly string[] {
  return namedProtocols.flatMap((name) => wireFormats[name].addressOf?.(service) ?? []);
}

/** The formats of the form adapter, and of operations with an HTTP binding. */
export const addressFormats = Object.freeze({ adapter: 'adapter', bound: 'rest' } as const);

/** The formats in which another server can be called. One of them is chosen for operations that callers name. */
export type UpstreamFormat = NamedProtocol;
export const upstreamFormats: readonly UpstreamFormat[] = namedProtocols;

/** The formats that carry an operation. */
export function formatsOf(operation: Operation, service: Service): readonly ProtocolName[] {
  return protocolNames.filter((name) => wireFormats[name].carries(operation, service));
}

/** The format of calls that do not ask for one. */
export function usualFormat(operation: Operation): ProtocolName {
  return isBound(operation) ? addressFormats.bound : fallbackFormats.other;
}

/** The names and the values of a query. */
export const queryParts = partsOfForm;

const defaultPlaces: KeyPlaces = Object.freeze({ formField: 'idempotencyKey', messageId: true });

/** Form pairs and XML have no map of records. */
function isExpressible(schema: ObjectSchema): boolean {
  return partsIn(schema).every(({ schema }) => schema.kind !== 'map' || schema.item === undefined);
}

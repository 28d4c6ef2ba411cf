/** The protocols spoken; adding one is its folder and a line here. */
import type { Schema } from '../contract/schema.ts';
import { namedOperations, type Service } from '../contract/service.ts';
import { walk } from '../contract/walk.ts';
import { adapter } from './form/adapter.ts';
import { form } from './form/index.ts';
import { json } from './json/index.ts';
import type { KeyPlaces, NamedProtocol, Protocol, ProtocolName } from './protocol.ts';
import { rest } from './rest/index.ts';
import { soapEleven, soapTwelve } from './soap/index.ts';

export type Protocols = Readonly<Record<ProtocolName, Protocol>>;

const usualPlaces: KeyPlaces = Object.freeze({ formField: 'idempotencyKey', messageId: true });

/** Whether every format can say it: flat pairs and XML have no map of records. */
const isSpeakable = (shape: Schema): boolean =>
  walk<boolean>(shape, {
    scalar: () => true,
    joined: () => true,
    list: (_, item) => item,
    map: (_, item) => item === undefined,
    object: (_, members) => members.every(({ part }) => part),
  });

/** Throws where the form field for keys is a field of an operation, and for what not every format can say. */
export const createProtocols = (services: readonly Service[], places: KeyPlaces = usualPlaces): Protocols => {
  for (const service of services)
    for (const { name, input, output } of namedOperations(service)) {
      if (Object.hasOwn(input.fields, places.formField))
        throw new Error(`${places.formField} is a field of ${name}: the Idempotency-Key needs another name`);
      if (!isSpeakable(input) || !isSpeakable(output))
        throw new Error(`${name} has a map of records: only an operation with a binding may have one`);
    }
  return Object.freeze({
    soap11: soapEleven(services, places),
    soap12: soapTwelve(services, places),
    json: json(services),
    form: form(services, places),
    adapter: adapter(services, places),
    rest: rest(services),
  });
};

/** Which protocol a media type declares; the form adapter is told by its address. */
export const byMediaType: Readonly<Record<string, NamedProtocol>> = Object.freeze({
  'text/xml': 'soap11',
  'application/soap+xml': 'soap12',
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
});

/** The wire formats. A new one is a folder and a line here. */
import { conventionsOf } from '../contract/conventions.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { namedOperations, type Service } from '../contract/service.ts';
import { walk } from '../contract/walk.ts';
import { createAdapter } from './form/adapter.ts';
import { createForm } from './form/index.ts';
import { createJson } from './json/index.ts';
import type { KeyPlaces, NamedProtocol, Protocol, ProtocolName } from './protocol.ts';
import { createRest } from './rest/index.ts';
import { createSoap11, createSoap12 } from './soap/index.ts';

export type Protocols = Readonly<Record<ProtocolName, Protocol>>;

/** Throws if the form field of the Idempotency-Key is a field of an operation, or if a format cannot express an operation. */
export function createProtocols(services: readonly Service[], places: KeyPlaces = defaultPlaces): Protocols {
  for (const service of services)
    for (const { name, input, output } of namedOperations(service)) {
      if (Object.hasOwn(input.fields, places.formField))
        throw new Error(`${places.formField} is a field of ${name}: the Idempotency-Key needs another name`);
      if (!isExpressible(input) || !isExpressible(output))
        throw new Error(`${name} has a map of records: only an operation with a binding may have one`);
    }
  const conventions = conventionsOf(services);
  return Object.freeze({
    soap11: createSoap11(services, places, conventions),
    soap12: createSoap12(services, places, conventions),
    json: createJson(services, conventions),
    form: createForm(services, places, conventions),
    adapter: createAdapter(services, places, conventions),
    rest: createRest(services, conventions),
  });
}

/** The format that a media type declares. The address decides for the form adapter and for rest. */
export const byMediaType: Readonly<Record<string, NamedProtocol>> = Object.freeze({
  'text/xml': 'soap11',
  'application/soap+xml': 'soap12',
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
});

const defaultPlaces: KeyPlaces = Object.freeze({ formField: 'idempotencyKey', messageId: true });

/** Form pairs and XML have no map of records. */
function isExpressible(schema: ObjectSchema): boolean {
  return walk<boolean>(schema, {
    scalar: () => true,
    joined: () => true,
    list: (_, item) => item,
    map: (_, item) => item === undefined,
    object: (_, members) => members.every(({ part }) => part),
  });
}

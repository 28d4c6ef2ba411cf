/** The protocols spoken; adding one is its folder and a line here. */
import type { Service } from '../contract/operation.ts';
import { adapter } from './form/adapter.ts';
import { form } from './form/index.ts';
import { json } from './json/index.ts';
import type { KeyPlaces, Protocol, ProtocolName } from './protocol.ts';
import { soapEleven, soapTwelve } from './soap/index.ts';

export type Protocols = Readonly<Record<ProtocolName, Protocol>>;

const usualPlaces: KeyPlaces = Object.freeze({ formField: 'idempotencyKey', messageId: true });

/** Throws where the form field for keys is a field of an operation. */
export const speak = (services: readonly Service[], places: KeyPlaces = usualPlaces): Protocols => {
  for (const { operations } of services)
    for (const { name, input } of operations.values())
      if (Object.hasOwn(input.fields, places.formField))
        throw new Error(`${places.formField} is a field of ${name}: the Idempotency-Key needs another name`);
  return Object.freeze({
    soap11: soapEleven(services, places),
    soap12: soapTwelve(services, places),
    json: json(services),
    form: form(services, places),
    adapter: adapter(services, places),
  });
};

/** Which protocol a media type declares; the form adapter is told by its address. */
export const byMediaType: Readonly<Record<string, ProtocolName>> = Object.freeze({
  'text/xml': 'soap11',
  'application/soap+xml': 'soap12',
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
});

/** The protocols spoken; adding one is its folder and a line here. */
import type { Service } from '../contract/operation.ts';
import { adapter } from './form/adapter.ts';
import { form } from './form/index.ts';
import { json } from './json/index.ts';
import type { Protocol, ProtocolName } from './protocol.ts';
import { soapEleven, soapTwelve } from './soap/index.ts';

export type Protocols = Readonly<Record<ProtocolName, Protocol>>;

export const speak = (services: readonly Service[]): Protocols =>
  Object.freeze({
    soap11: soapEleven(services),
    soap12: soapTwelve(services),
    json: json(services),
    form: form(services),
    adapter: adapter(services),
  });

/** Which protocol a media type declares; the form adapter is told by its address. */
export const byMediaType: Readonly<Record<string, ProtocolName>> = Object.freeze({
  'text/xml': 'soap11',
  'application/soap+xml': 'soap12',
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
});

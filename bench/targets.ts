/** What is measured: one request in each format and for each server, and how its answer is decoded. */

import { createProtocols, type NamedProtocol } from '../src/core/formats/wire-formats.ts';
import { services } from '../src/payments/index.ts';
import { recurringV25 } from '../src/payments/recurring/versions.ts';
import { demoAuthorization } from '../test/support/server.ts';

/** `uncached`: Triglyph without the shopper cache. `soapUnprefixed`: (a) with cheaper answers that are not valid. */
export const serverNames = [
  'triglyph',
  'uncached',
  'soapPackage',
  'soapUnprefixed',
  'bareKoa',
  'fastify',
  'plainHttp',
  'gsoap',
  'jaxWs',
] as const;
export type ServerName = (typeof serverNames)[number];
export type TargetName =
  | 'triglyphSoap'
  | 'triglyphJson'
  | 'triglyphForm'
  | 'triglyphWrite'
  | 'soapPackage'
  | 'bareKoa'
  | 'bareKoaForm'
  | 'fastify'
  | 'plainHttp'
  | 'gsoap'
  | 'jaxWs'
  | 'uncachedSoap'
  | 'uncachedJson'
  | 'soapUnprefixed';

export interface Target {
  readonly name: TargetName;
  readonly label: string;
  readonly server: ServerName;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SHOPPER is the placeholder of the shopper's reference. */
  readonly body: string;
  /** Each request has an Idempotency-Key of its own and writes. */
  readonly writes?: true;
  /** The canonical answer; throws for anything that is none. */
  decode(body: string): unknown;
  /** The canonical answer as text, equal for equal content in every format; throws for anything else. */
  read(body: string): string;
}

const protocols = createProtocols(services);
const service = recurringV25;
const listing = service.operations.get('listRecurringDetails')!;
const storing = service.operations.get('storeToken')!;
const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'SHOPPER' };

/** JSON and FORM print whole seconds, SOAP prints milliseconds. */
const inSeconds = (key: string, value: unknown): unknown =>
  key === 'creationDate' && typeof value === 'number' ? Math.floor(value / 1000) : value;

const target = (name: TargetName, label: string, server: ServerName, port: number, format: NamedProtocol): Target => {
  const protocol = protocols[format];
  const decode = (answer: string): unknown => {
    const { value, issues } = protocol.decodeResponse(listing, answer);
    if (issues.length > 0) throw new Error(`${name}: ${issues.map(({ message }) => message).join('; ')}\n${answer}`);
    return value;
  };
  const { path, contentType, body } = protocol.encodeRequest(service, listing, shopper);
  return Object.freeze({
    name,
    label,
    server,
    url: `http://127.0.0.1:${port}${path}`,
    headers: { Authorization: demoAuthorization, 'Content-Type': contentType },
    body,
    decode,
    read: (answer) => JSON.stringify(decode(answer), inSeconds),
  } satisfies Target);
};

/** Stores one card for each shopper again and again: a warm transaction with its idempotency record. */
const writeTarget = (port: number): Target => {
  const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2040', holderName: 'Anna van Dijk' };
  const input = { ...shopper, card, recurring: { contract: ['RECURRING'] } };
  const { path, contentType, body } = protocols.json.encodeRequest(service, storing, input);
  return Object.freeze<Target>({
    name: 'triglyphWrite',
    label: 'Triglyph, storeToken with a key, JSON',
    server: 'triglyph',
    url: `http://127.0.0.1:${port}${path}`,
    headers: { Authorization: demoAuthorization, 'Content-Type': contentType },
    body,
    writes: true,
    decode: (answer) => answer,
    read: (answer) => answer,
  });
};

/** A server without a port is not started. */
export const targetsAt = (
  ports: Readonly<Partial<Record<ServerName, number>>>,
): Readonly<Record<TargetName, Target>> => {
  const at = (name: TargetName, label: string, server: ServerName, format: NamedProtocol) =>
    target(name, label, server, ports[server] ?? 0, format);
  return Object.freeze({
    triglyphSoap: at('triglyphSoap', 'Triglyph, SOAP', 'triglyph', 'soap11'),
    soapPackage: at('soapPackage', '(a) `soap` package, SOAP', 'soapPackage', 'soap11'),
    triglyphJson: at('triglyphJson', 'Triglyph, JSON', 'triglyph', 'json'),
    bareKoa: at('bareKoa', '(b) bare Koa, JSON', 'bareKoa', 'json'),
    fastify: at('fastify', '(c) Fastify, JSON', 'fastify', 'json'),
    plainHttp: at('plainHttp', '(f) `node:http`, printed texts, JSON', 'plainHttp', 'json'),
    gsoap: at('gsoap', '(d) gSOAP, SOAP', 'gsoap', 'soap11'),
    jaxWs: at('jaxWs', '(e) JAX-WS RI, SOAP', 'jaxWs', 'soap11'),
    triglyphWrite: writeTarget(ports.triglyph ?? 0),
    triglyphForm: at('triglyphForm', 'Triglyph, FORM', 'triglyph', 'form'),
    bareKoaForm: at('bareKoaForm', '(b) bare Koa, FORM', 'bareKoa', 'form'),
    uncachedSoap: at('uncachedSoap', 'Triglyph without memory, SOAP', 'uncached', 'soap11'),
    uncachedJson: at('uncachedJson', 'Triglyph without memory, JSON', 'uncached', 'json'),
    soapUnprefixed: at('soapUnprefixed', '(a) without prefixes, SOAP', 'soapUnprefixed', 'soap11'),
  });
};

export const reference = (number: number): string => `shopper-${String(number).padStart(6, '0')}`;

/** Sends one request outside any measurement. */
export const ask = async ({ url, headers, body, name }: Target, shopper: string): Promise<string> => {
  const answer = await fetch(url, { method: 'POST', headers, body: body.replaceAll('SHOPPER', shopper) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`);
  return text;
};

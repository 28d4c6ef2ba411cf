/** What is measured: one call in each format and to each server, and how its answer is read. */

import { createProtocols } from '../src/formats/index.ts';
import type { NamedProtocol } from '../src/formats/protocol.ts';
import { services } from '../src/services/index.ts';
import { recurringV25 } from '../src/services/recurring/v25.ts';

/** `forgetful`: Triglyph that remembers no shopper. `soapUnprefixed`: (a) with answers that are not valid, and cheaper. */
export type ServerName = 'triglyph' | 'soapPackage' | 'bareKoa' | 'forgetful' | 'soapUnprefixed';
export type TargetName =
  | 'triglyphSoap'
  | 'triglyphJson'
  | 'triglyphForm'
  | 'soapPackage'
  | 'bareKoa'
  | 'forgetfulSoap'
  | 'forgetfulJson'
  | 'soapUnprefixed';

export interface Target {
  readonly name: TargetName;
  readonly label: string;
  readonly server: ServerName;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SHOPPER stands where the shopper's reference belongs. */
  readonly body: string;
  /** The canonical answer as text, equal for equal content whatever the format; throws for anything else. */
  read(body: string): string;
}

const protocols = createProtocols(services);
const service = recurringV25;
const operation = service.operations.get('listRecurringDetails')!;
const authorization = `Basic ${Buffer.from('ws@Company.Demo:demo-password').toString('base64')}`;

/** JSON and FORM print whole seconds, SOAP prints milliseconds. */
const inSeconds = (key: string, value: unknown): unknown =>
  key === 'creationDate' && typeof value === 'number' ? Math.floor(value / 1000) : value;

const target = (name: TargetName, label: string, server: ServerName, port: number, speaks: NamedProtocol): Target => {
  const protocol = protocols[speaks];
  const input = { merchantAccount: 'DemoMerchant', shopperReference: 'SHOPPER' };
  const { path, contentType, body } = protocol.encodeRequest(service, operation, input);
  return Object.freeze({
    name,
    label,
    server,
    url: `http://127.0.0.1:${port}${path}`,
    headers: { Authorization: authorization, 'Content-Type': contentType },
    body,
    read(answer) {
      const { value, issues } = protocol.decodeResponse(operation, answer);
      if (issues.length > 0) throw new Error(`${name}: ${issues.map(({ message }) => message).join('; ')}\n${answer}`);
      return JSON.stringify(value, inSeconds);
    },
  } satisfies Target);
};

/** A server without a port is not there to be asked. */
export const targetsAt = (
  ports: Readonly<Partial<Record<ServerName, number>>>,
): Readonly<Record<TargetName, Target>> => {
  const at = (name: TargetName, label: string, server: ServerName, speaks: NamedProtocol) =>
    target(name, label, server, ports[server] ?? 0, speaks);
  return Object.freeze({
    triglyphSoap: at('triglyphSoap', 'Triglyph, SOAP', 'triglyph', 'soap11'),
    soapPackage: at('soapPackage', '(a) `soap` package, SOAP', 'soapPackage', 'soap11'),
    triglyphJson: at('triglyphJson', 'Triglyph, JSON', 'triglyph', 'json'),
    bareKoa: at('bareKoa', '(b) bare Koa, JSON', 'bareKoa', 'json'),
    triglyphForm: at('triglyphForm', 'Triglyph, FORM', 'triglyph', 'form'),
    forgetfulSoap: at('forgetfulSoap', 'Triglyph without memory, SOAP', 'forgetful', 'soap11'),
    forgetfulJson: at('forgetfulJson', 'Triglyph without memory, JSON', 'forgetful', 'json'),
    soapUnprefixed: at('soapUnprefixed', '(a) without prefixes, SOAP', 'soapUnprefixed', 'soap11'),
  });
};

export const reference = (number: number): string => `shopper-${String(number).padStart(6, '0')}`;

/** Asks once, outside of any measurement. */
export const ask = async ({ url, headers, body, name }: Target, shopper: string): Promise<string> => {
  const answer = await fetch(url, { method: 'POST', headers, body: body.replaceAll('SHOPPER', shopper) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`);
  return text;
};

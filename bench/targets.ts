/** What is measured: one call in each format and to each server, and how its answer is read. */
import { services } from '../src/api/index.ts';
import { speak } from '../src/protocol/index.ts';
import type { ProtocolName } from '../src/protocol/protocol.ts';

export type TargetName = 'triglyphSoap' | 'triglyphJson' | 'triglyphForm' | 'soapPackage' | 'bareKoa';
export type ServerName = 'triglyph' | 'soapPackage' | 'bareKoa';

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

const protocols = speak(services);
const service = services.at(-1)!;
const operation = service.operations.get('listRecurringDetails')!;
const authorization = `Basic ${Buffer.from('ws@Company.Demo:demo-password').toString('base64')}`;

/** JSON and FORM print whole seconds, SOAP prints milliseconds. */
const inSeconds = (key: string, value: unknown): unknown =>
  key === 'creationDate' && typeof value === 'number' ? Math.floor(value / 1000) : value;

const target = (name: TargetName, label: string, server: ServerName, port: number, speaks: ProtocolName): Target => {
  const protocol = protocols[speaks];
  const input = { merchantAccount: 'DemoMerchant', shopperReference: 'SHOPPER' };
  const { path, contentType, body } = protocol.ask(service, operation, input);
  return Object.freeze({
    name,
    label,
    server,
    url: `http://127.0.0.1:${port}${path}`,
    headers: { Authorization: authorization, 'Content-Type': contentType },
    body,
    read(answer) {
      const { value, issues } = protocol.hear(operation, answer);
      if (issues.length > 0) throw new Error(`${name}: ${issues.map(({ message }) => message).join('; ')}\n${answer}`);
      return JSON.stringify(value, inSeconds);
    },
  } satisfies Target);
};

export const targetsAt = (ports: Readonly<Record<ServerName, number>>): Readonly<Record<TargetName, Target>> =>
  Object.freeze({
    triglyphSoap: target('triglyphSoap', 'Triglyph, SOAP', 'triglyph', ports.triglyph, 'soap11'),
    soapPackage: target('soapPackage', '(a) `soap` package, SOAP', 'soapPackage', ports.soapPackage, 'soap11'),
    triglyphJson: target('triglyphJson', 'Triglyph, JSON', 'triglyph', ports.triglyph, 'json'),
    bareKoa: target('bareKoa', '(b) bare Koa, JSON', 'bareKoa', ports.bareKoa, 'json'),
    triglyphForm: target('triglyphForm', 'Triglyph, FORM', 'triglyph', ports.triglyph, 'form'),
  });

export const reference = (number: number): string => `shopper-${String(number).padStart(6, '0')}`;

/** Asks once, outside of any measurement. */
export const ask = async ({ url, headers, body, name }: Target, shopper: string): Promise<string> => {
  const answer = await fetch(url, { method: 'POST', headers, body: body.replaceAll('SHOPPER', shopper) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`);
  return text;
};

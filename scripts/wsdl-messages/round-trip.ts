/** Sends random messages of a WSDL through its contract and back, and says what differs. Runs in a thread that may be ended. */
import { Buffer } from 'node:buffer';
import { parentPort } from 'node:worker_threads';
import type { Operation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { Head, Target } from '../../src/core/formats/protocol.ts';
import { createProtocols, type Protocols } from '../../src/core/formats/wire-formats.ts';
import type { LocatedElement } from '../../src/core/xml/located.ts';
import { Definitions } from '../../src/readers/wsdl/definitions.ts';
import { loadDocuments } from '../../src/readers/wsdl/documents.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import {
  childNamed,
  childrenNamed,
  mimeUri,
  nameIn,
  nameOf,
  soap12Uri,
  soapUri,
  wsdlUri,
} from '../../src/readers/wsdl/names.ts';
import { createReading } from '../../src/readers/wsdl/read-location.ts';
import { SchemaIndex } from '../../src/readers/wsdl/schema-index.ts';
import { MessageGenerator, Unable } from './generate.ts';
import { contentOfBody, firstDifference, type Instance, print } from './instance.ts';
import { Random } from './random.ts';

/** A message that did not come back unchanged. */
export interface Changed {
  readonly operation: string;
  readonly side: 'input' | 'output';
  /** The format that it went through. */
  readonly through: Through;
  /** Begins with the kind of the difference. */
  readonly text: string;
  readonly sent: string;
}

export interface RoundTrips {
  readonly file: string;
  readonly sent: Readonly<Record<Through, number>>;
  readonly changed: readonly Changed[];
  /** Operations for which no message was made, with the reason. */
  readonly unable: readonly string[];
  readonly crash?: string;
}

const formats = ['json', 'form'] as const;
export type Through = (typeof formats)[number];

/** Changes a body on its way: a control of those who measure. */
export type Alter = (body: string) => string;

export interface RoundTripOptions {
  readonly seed: number;
  readonly messagesEach: number;
  readonly alter?: Alter;
}

interface MessageOf {
  readonly name: string;
  readonly side: 'input' | 'output';
  readonly style: string;
  readonly wrapper: { readonly uri: string; readonly local: string };
  readonly parts: readonly LocatedElement[];
  readonly soapAction: string;
}

const reading = { allowNetwork: false, folder: '/' };

/** Throws where the document cannot be imported. */
export async function roundTrips(
  file: string,
  { seed, messagesEach, alter = (body) => body }: RoundTripOptions,
): Promise<RoundTrips> {
  const { definitions: roots, schemas } = await loadDocuments(file, createReading(reading));
  const imported = await importWsdl(file, reading);
  const index = new SchemaIndex(schemas);
  const random = new Random(seed);
  const generator = new MessageGenerator(index, random);
  const changed: Changed[] = [];
  const unable: string[] = [];
  const sent = { json: 0, form: 0 };
  const declared = messagesOf(new Definitions(roots));
  for (const { service } of imported.services) {
    const protocols = createProtocols([service]);
    for (const operation of service.operations.values())
      for (const message of declared.filter((each) => each.name === operation.name))
        for (let left = messagesEach; left > 0; left -= 1) {
          const instances = generated(generator, message, unable);
          if (instances === undefined) break;
          for (const through of formats) {
            sent[through] += 1;
            const text = roundTrip({ protocols, service, operation, message, through, alter }, instances);
            if (text !== undefined)
              changed.push({
                operation: operation.name,
                side: message.side,
                through,
                text,
                sent: print(instances).text,
              });
          }
        }
  }
  return { file, sent, changed, unable };
}

function generated(
  generator: MessageGenerator,
  { name, side, style, wrapper, parts }: MessageOf,
  unable: string[],
): readonly Instance[] | undefined {
  let reason = '';
  for (let tries = 0; tries < 20; tries += 1)
    try {
      return generator.message(style, wrapper, parts);
    } catch (thrown) {
      if (!(thrown instanceof Unable)) throw thrown;
      reason = thrown.message;
    }
  unable.push(`${name} ${side}: ${reason}`);
  return undefined;
}

/** Those of each port type once, as the first port of SOAP 1.1 binds it, or else the first one. Encoded ones have no schema. */
function messagesOf(definitions: Definitions): readonly MessageOf[] {
  const ports = definitions.services().flatMap((service) => childrenNamed(service, wsdlUri, 'port'));
  const bindings =
    ports.length === 0 ? definitions.bindings() : ports.map((port) => definitions.named('binding', port, 'binding'));
  const found = new Map<string, readonly MessageOf[]>();
  const portTypes = new Set(bindings.map((binding) => binding && definitions.named('portType', binding, 'type')));
  const names = [...portTypes].flatMap((each) => (each === undefined ? [] : childrenNamed(each, wsdlUri, 'operation')));
  for (const soap of [soapUri, soap12Uri])
    for (const binding of bindings) {
      const portType = binding && definitions.named('portType', binding, 'type');
      const soapBinding = binding && childNamed(binding, soap, 'binding');
      if (binding === undefined || portType === undefined || soapBinding === undefined) continue;
      for (const bound of childrenNamed(binding, wsdlUri, 'operation')) {
        const name = nameOf(bound);
        const declared = childrenNamed(portType, wsdlUri, 'operation').filter((each) => nameOf(each) === name);
        // The import renames one of two, which may be of several services.
        if (declared.length !== 1 || found.has(name) || names.filter((each) => nameOf(each) === name).length > 1)
          continue;
        const own = childNamed(bound, soap, 'operation');
        const style = own?.attributes.get('style') ?? soapBinding.attributes.get('style') ?? 'document';
        const soapAction = own?.attributes.get('soapAction') ?? '';
        const sides = (['input', 'output'] as const).flatMap((side) =>
          messageOf(definitions, { side, style, soapAction, soap, name, bound, declared: declared[0]! }),
        );
        found.set(name, sides);
      }
    }
  return [...found.values()].flat();
}

interface Bound {
  readonly side: 'input' | 'output';
  readonly style: string;
  readonly soapAction: string;
  readonly soap: string;
  readonly name: string;
  readonly bound: LocatedElement;
  readonly declared: LocatedElement;
}

function messageOf(
  definitions: Definitions,
  { side, style, soapAction, soap, name, bound, declared }: Bound,
): readonly MessageOf[] {
  const named = childNamed(declared, wsdlUri, side);
  const message = named && definitions.named('message', named, 'message');
  const inBinding = childNamed(bound, wsdlUri, side);
  if (message === undefined || (inBinding && childrenNamed(inBinding, mimeUri, 'multipartRelated').length > 0))
    return [];
  const body = inBinding && childNamed(inBinding, soap, 'body');
  if (body?.attributes.get('use') === 'encoded') return [];
  // SOAP 1.1 says nothing of the namespace of such an element.
  if (style === 'rpc' && (body?.attributes.get('namespace') ?? '') === '') return [];
  const headers = new Set(
    inBinding === undefined
      ? []
      : childrenNamed(inBinding, soap, 'header')
          .filter((each) => definitions.named('message', each, 'message') === message)
          .map(({ attributes }) => attributes.get('part')),
  );
  const chosen = body?.attributes.get('parts')?.trim().split(/\s+/);
  const parts = childrenNamed(message, wsdlUri, 'part').filter(
    (part) => chosen?.includes(nameOf(part)) ?? !headers.has(nameOf(part)),
  );
  if (parts.length === 0 || (style !== 'rpc' && parts.some((part) => nameIn(part, 'element') === undefined))) return [];
  const local = side === 'input' ? name : `${name}Response`;
  return [{ name, side, style, wrapper: { uri: body?.attributes.get('namespace') ?? '', local }, parts, soapAction }];
}

const none: Head = { query: '', headers: {} };

/** A message on its way. */
interface Journey {
  readonly protocols: Protocols;
  readonly service: Service;
  readonly operation: Operation;
  readonly message: MessageOf;
  readonly through: Through;
  readonly alter: Alter;
}

/** Says what differs; undefined for nothing. */
function roundTrip(journey: Journey, instances: readonly Instance[]): string | undefined {
  const { text, declared } = print(instances);
  const envelope = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"${declared}><e:Body>${text}</e:Body></e:Envelope>`;
  try {
    const back =
      journey.message.side === 'input' ? requestThrough(journey, envelope) : answerThrough(journey, envelope);
    if ('fault' in back) return back.fault;
    const difference = firstDifference(instances, contentOfBody(back.text));
    return difference && (back.extras === '' ? difference : `kept beside: ${back.extras}; ${difference}`);
  } catch (thrown) {
    if (thrown instanceof Problem) return `refused: ${thrown.message}`;
    return `crash: ${thrown instanceof Error ? (thrown.stack ?? thrown.message).slice(0, 600) : String(thrown)}`;
  }
}

type Back = { readonly text: string; readonly extras: string } | { readonly fault: string };

const media = (type: string) => ({ type: type.split(';', 1)[0]!, charset: undefined });

function requestThrough({ protocols, service, operation, message, through, alter }: Journey, envelope: string): Back {
  const target: Target = { service, version: service.version, operation };
  const head: Head = { query: '', headers: { soapaction: `"${message.soapAction}"` } };
  const byBody = { ...target, operation: undefined };
  const first = protocols.soap11.decode(Buffer.from(envelope), media('text/xml'), byBody, head);
  if (first.operation !== operation) return { fault: `operation: ${first.operation.name}` };
  if (first.issues.length > 0) return { fault: `refused: ${first.issues[0]!.message}` };
  const { body, contentType } = protocols[through].encodeRequest(service, operation, first.input);
  const second = protocols[through].decode(Buffer.from(alter(body)), media(contentType), target, none);
  if (second.issues.length > 0) return { fault: `refused by ${through}: ${second.issues[0]!.message}` };
  return { text: protocols.soap11.encodeRequest(service, operation, second.input).body, extras: '' };
}

function answerThrough({ protocols, operation, through, alter }: Journey, envelope: string): Back {
  const reply = (type: string, body: string) => ({
    status: 200,
    media: media(type),
    headers: {},
    body: Buffer.from(body),
  });
  const first = protocols.soap11.decodeAnswer(operation, reply('text/xml', envelope));
  if (!('issues' in first)) return { fault: 'refused: a fault' };
  if (first.issues.length > 0) return { fault: `refused: ${first.issues[0]!.message}` };
  const written = protocols[through].encode(operation, first.value);
  const second = protocols[through].decodeAnswer(operation, reply(written.contentType, alter(written.body)));
  if (!('issues' in second)) return { fault: `refused by ${through}: a fault` };
  if (second.issues.length > 0) return { fault: `refused by ${through}: ${second.issues[0]!.message}` };
  const extras = first.extras?.members.map(({ name }) => name).join(', ') ?? '';
  return { text: protocols.soap11.encode(operation, second.value).body, extras };
}

parentPort?.on('message', (file: string) => {
  const seed = Number(process.env.SEED ?? 1);
  const messagesEach = Number(process.env.MESSAGES ?? 3);
  void roundTrips(file, { seed, messagesEach })
    .catch(
      (thrown: unknown): RoundTrips => ({
        file,
        sent: { json: 0, form: 0 },
        changed: [],
        unable: [],
        crash: thrown instanceof Error ? (thrown.stack ?? thrown.message).slice(0, 600) : String(thrown),
      }),
    )
    .then((found) => parentPort?.postMessage(found));
});

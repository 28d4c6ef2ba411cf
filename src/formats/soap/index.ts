/** SOAP: the first child of the Body names the operation, whatever SOAPAction and path say. */
import type { Buffer } from 'node:buffer';
import { namespaceUris } from '../../contract/namespaces.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Path } from '../../contract/path.ts';
import { Problem } from '../../contract/problem.ts';
import { namedOperations, type Service, serviceAddress } from '../../contract/service.ts';
import { decodeXml, UnknownEncoding, Unreadable } from '../../xml/decode.ts';
import type { Element } from '../../xml/element.ts';
import { limits } from '../../xml/limits.ts';
import { Malformed, parse } from '../../xml/parse.ts';
import { escapeXml } from '../../xml/print.ts';
import { compileCodecs } from '../codec.ts';
import { malformedBody } from '../malformed-body.ts';
import { operationInBody, unknownOperation } from '../named-operation.ts';
import type { KeyPlaces, Protocol } from '../protocol.ts';
import { textOf } from '../text.ts';
import { answered } from '../wire.ts';
import { type Dialect, soap11, soap12 } from './dialect.ts';
import { isBlank, isNil, openEnvelope } from './envelope.ts';
import { compilePrint } from './print.ts';
import { reader } from './read.ts';

const known: ReadonlySet<string> = new Set(Object.values(namespaceUris));
/** An answer of ours may be larger than what a caller may send. */
const ownLimits = { ...limits, elementsMax: 50_000 };
const absent: Element = Object.freeze({ namespace: '', local: 'request', attributes: [], children: [], text: '' });

const readXml = (body: Buffer, charset: string | undefined): Element => {
  try {
    return parse(decodeXml(body, charset));
  } catch (thrown) {
    if (thrown instanceof UnknownEncoding) throw new Problem('unsupportedMedia', undefined, { reason: 'encoding' });
    if (thrown instanceof Unreadable) throw malformedBody(thrown.message);
    if (thrown instanceof Malformed) throw malformedBody(thrown.reason);
    throw thrown;
  }
};

/** The only child of `<disable>`, which must be called `request` (or `result`); none or nil is an empty one. */
const wrapped = (message: Element, name: string): Element => {
  const [inner, ...rest] = message.children;
  if (inner === undefined && isBlank(message.text)) return absent;
  if (inner?.local !== name || !known.has(inner.namespace) || rest.length > 0 || !isBlank(message.text))
    throw malformedBody(`not one ${name}`);
  return isNil(inner) ? absent : inner;
};

/** `/Envelope/Body/disable/request/card/number`; items count from 1, as XPath does. */
const xpath = (path: Path, operation: Operation | undefined): string => {
  const steps = path.map((step) => (typeof step === 'string' ? step : `${step.itemName}[${step.index + 1}]`));
  return ['/Envelope/Body', operation?.name ?? '*', 'request', ...steps].join('/');
};

/** Where the element around a request or a result lives: in the namespace of the operation's service. */
const namespacesOf = (services: readonly Service[]): ReadonlyMap<Operation, string> =>
  new Map(
    services.flatMap((service) =>
      namedOperations(service).map((each) => [each, namespaceUris[service.namespace!]] as const),
    ),
  );

const soap = (dialect: Dialect, services: readonly Service[], places: KeyPlaces): Protocol => {
  const codecs = compileCodecs(services, reader, compilePrint);
  const namespaces = namespacesOf(services);
  const { prefix, mediaType } = dialect;
  const contentType = `${mediaType};charset=utf-8`;
  const head =
    `<?xml version="1.0" encoding="UTF-8"?><${prefix}:Envelope xmlns:${prefix}="${dialect.envelope}"` +
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<${prefix}:Body>`;
  const tail = `</${prefix}:Body></${prefix}:Envelope>`;
  const message = (operation: Operation, name: string, part: string, content: string) =>
    `${head}<ns1:${name} xmlns:ns1="${namespaces.get(operation)}"><ns1:${part}>${content}</ns1:${part}></ns1:${name}>${tail}`;

  return Object.freeze<Protocol>({
    name: dialect.protocol,
    charsets: ['utf-8', 'utf8', 'utf-16'],

    decode(body, { charset }, target) {
      const { message: first, messageId } = openEnvelope(readXml(body, charset), dialect);
      if (!known.has(first.namespace)) throw unknownOperation(target.service);
      const operation = operationInBody(first.local, target.service);
      // A path that names another operation than the body is a mistake, or somebody trying to pass a filter.
      if (target.operation !== undefined && target.operation !== operation)
        throw malformedBody('path and body disagree');
      const { value, issues } = codecs.read(operation, 'input', wrapped(first, 'request'));
      return { operation, input: value, issues, key: places.messageId ? messageId : undefined };
    },

    encode: (operation, output) =>
      answered(
        contentType,
        message(operation, `${operation.name}Response`, 'result', codecs.print(operation, 'output', output)),
      ),

    encodeError(problem, { operation }) {
      const text = textOf(problem, (path) => xpath(path, operation));
      const { status, body } = dialect.fault(problem, escapeXml(text));
      return { status, contentType, headers: problem.headers, body: head + body + tail };
    },

    encodeRequest: (service, operation, input) => ({
      path: serviceAddress(service),
      contentType,
      body: message(operation, operation.name, 'request', codecs.print(operation, 'input', input)),
    }),

    decodeResponse(operation, body) {
      const { message: first } = openEnvelope(parse(body, ownLimits), dialect);
      if (first.local !== `${operation.name}Response`) throw malformedBody('not the answer');
      return codecs.read(operation, 'output', wrapped(first, 'result'));
    },
  });
};

export const soapEleven = (services: readonly Service[], places: KeyPlaces): Protocol => soap(soap11, services, places);
export const soapTwelve = (services: readonly Service[], places: KeyPlaces): Protocol => soap(soap12, services, places);

/** SOAP 1.1 and 1.2: the first child of the Body names the operation, whatever SOAPAction and path say. */

import {
  adviceAt,
  conventionsOfMessages,
  elementAround,
  elementName,
  elementPrefix,
  type Field,
  faultOf,
  fieldOf,
  hasHref,
  headerFieldOf,
  isBound,
  isRepeated,
  mayAttach,
  mayHaveAttributes,
  mayHaveLongLists,
  mayRetry,
  membersIn,
  namedOperations,
  namespacesOfMessage,
  type Operation,
  type Path,
  type Problem,
  replyActionOf,
  type Schema,
  type Service,
  serviceAddress,
  soapActionOf,
  transientHeader,
  uriOf,
  valueLengthMax,
  withDepth,
} from '../../contract/index.ts';
import { memoizeWeakly } from '../../lib/index.ts';
import { type Element, escapeXml, type Limits, limits } from '../../xml/index.ts';
import { compileAnswers, decodedAnswer } from '../answers.ts';
import { flat } from '../append.ts';
import { bodyCharsets } from '../body-text.ts';
import { compileCodecs, ownersOf, type Side } from '../codec.ts';
import { errorText, furtherIssues, issueText } from '../errors.ts';
import { compileFaults } from '../faults.ts';
import type { Leniency } from '../leniencies.ts';
import { malformedBody } from '../malformed-body.ts';
import { multipartType } from '../multipart.ts';
import { unknownOperation } from '../named-operation.ts';
import type {
  FormatContext,
  Head,
  MessageCodec,
  MessageHeader,
  Refusal,
  Reply,
  Target,
  WireFormat,
} from '../protocol.ts';
import { type Attachments, packageOf } from '../related.ts';
import { type Message, okMessage } from '../wire.ts';
import { type Addressed, addressing, printReply, readAddressing, refuseUnwantedReply } from './addressing.ts';
import { extrasBlock, noticeBlock, textOf } from './answer-blocks.ts';
import { ReceivedParts, withParts } from './attachments.ts';
import { fieldsIn, openFault, openReply } from './decode-answer.ts';
import { decodeFault, retryNamespace } from './decode-fault.ts';
import { type Dialect, dialect11, dialect12, isFaultOfServer } from './dialect.ts';
import { compileHeaders } from './header.ts';
import { printInvalidFields } from './invalid-fields.ts';
import { declarations, faultElement, messageName } from './namespaces.ts';
import {
  limitsFor,
  longRequestLimits,
  notUnderstood,
  openEnvelope,
  parse,
  parserFor,
  responseLimits,
  type UnderstandsBlock,
  unwrap,
} from './parse.ts';
import { xmlText } from './parts.ts';
import { compilePrint, type PrintBytes } from './print.ts';
import { compileIsOfInterface, createAnswerReader, createReader, orUnqualified } from './read.ts';
import { messageOf, sizeLimits } from './references.ts';
import { isSecurity, readSecurity } from './security.ts';
import { PartCollector } from './sent-parts.ts';

/**
 * Whether the text of a fault is its message alone, as a SOAP server has it: for a declared fault, which its element names, for one of
 * another SOAP server, and for a refusal of another server without a code.
 */
function isTextOfServer(problem: Problem, operation: Operation | undefined): boolean {
  const { kind } = problem;
  if (kind.isUncoded === true || isFaultOfServer(problem)) return true;
  return operation !== undefined && faultOf(operation, kind) !== undefined;
}

const answerTypes: ReadonlySet<string> = new Set([
  'text/xml',
  'application/xml',
  'application/soap+xml',
  multipartType,
]);

export const soap11 = createFormat(dialect11);
export const soap12 = createFormat(dialect12);

function createFormat(dialect: Dialect): WireFormat {
  const { title, mediaType, otherMediaTypes } = dialect;
  return Object.freeze<WireFormat>({
    title,
    mediaType,
    otherMediaTypes,
    charsets: [...bodyCharsets, 'utf-16'],
    bodyNamesOperation: true,
    hasCredentialInBody: true,
    text: xmlText,
    upstream: {
      accept: dialect.accept,
      hasKeyInBody: true,
      isAnswerType: (type) => answerTypes.has(type),
      headers: ({ headers }) => (headers === undefined ? dialect.defaultHeaders : {}),
      envelope: { prefix: dialect.prefix, addBlocks: (text, blocks) => addBlocks(dialect, text, blocks) },
    },
    carries: (operation) => !isBound(operation),
    callHead: (operation, service) => callHead(dialect, operation, service),
    // The envelope says which version of SOAP a body is.
    ...(dialect === dialect11 && {
      begins: (start: string) => /^(?:\xff\xfe|\xfe\xff|(?:\xef\xbb\xbf)?[\t\n\r ]*<)/.test(start),
    }),
    clientStyle: dialect.clientStyle,
    createCodec: (context) => createCodec(dialect, context),
  });
}

function callHead(dialect: Dialect, operation: Operation, service: Service): ReturnType<WireFormat['callHead']> {
  const contentType = `${dialect.mediaType};charset=utf-8`;
  return { path: serviceAddress(service), ...dialect.head(contentType, soapActionOf(operation, dialect.format)) };
}

function createCodec(dialect: Dialect, context: FormatContext): MessageCodec {
  const { services, places } = context;
  const isOfInterface = compileIsOfInterface(services);
  const isMember = orUnqualified(isOfInterface);
  const parseXml = parserFor(context);
  const acceptsBlanks = context.leniencies.has('blanks-before-xml');
  const reader = createReader(isMember);
  const collector = new PartCollector();
  const printBytes: PrintBytes = (schema) => collector.contentOf(schema);
  const codecOf = compileCodecs(context, {
    carried: namedOperations,
    reader,
    compilePrint: (schema, formatDateTime, service, side) =>
      compilePrint(schema, formatDateTime, service, side, printBytes),
  });
  const answerReader = createAnswerReader();
  const readAnswer = compileAnswers(answerReader, context, textOf);
  const faults = compileFaults(context, { carried: namedOperations, reader: answerReader, compilePrint });
  const { prefix, mediaType } = dialect;
  const contentType = `${mediaType};charset=utf-8`;
  const head = `${envelopeStart(dialect)}<${prefix}:Body>`;
  const tail = `</${prefix}:Body></${prefix}:Envelope>`;
  const frames = compileFrames(services, head, tail);
  const operations = new Map(
    services.map((service) => [service, Map.groupBy(namedOperations(service), (each) => elementName(each, 'input'))]),
  );
  const withinOf = memoizeWeakly((service: Service) => {
    const inputs = namedOperations(service).map(({ input }) => input);
    const usual = inputs.some(mayHaveLongLists) ? longRequestLimits : limits;
    return withDepth(limitsFor(valueLengthMax(inputs), usual), ...inputs);
  });
  /** The operation with its message. The path and the action choose among several with one element. */
  const findOperation = (
    body: Element,
    { service, operation }: Target,
    action: string | undefined,
  ): Found | undefined => {
    const byElement = operations.get(service);
    const inBody = (byElement?.get('') ?? []).filter((each) => holds(each, body));
    const choose = (among: readonly Operation[]): Operation | undefined => {
      if (among.length < 2) return among[0];
      if (operation !== undefined && among.includes(operation)) return operation;
      const named = among.filter((each) => soapActionOf(each, dialect.format) === (action ?? ''));
      return named.length === 1 ? named[0] : undefined;
    };
    if (inBody.length > 0) {
      const [first] = body.children;
      const found = choose(inBody);
      if (found !== undefined && !(body.children.length === 1 && byElement?.has(first!.local)))
        return { operation: found, first: { ...body, local: '' } };
    }
    const inputs = namedOperations(service).map(({ input }) => input);
    const first = messageOf(body, sizeLimits(withinOf(service), hasHref(...inputs)));
    const sharing = byElement?.get(first.local) ?? [];
    const inNamespace = sharing.filter((each) => uriOf(service, elementPrefix(each, 'input')) === first.namespace);
    const found = choose(inNamespace.length > 0 ? inNamespace : sharing);
    return found && { operation: found, first };
  };
  const message = (operation: Operation, side: Side, value: unknown): string => {
    const frame = frames.get(operation)![side];
    return frame.start + codecOf(operation)[side].print(value) + frame.end;
  };
  const owners = ownersOf(services, namedOperations);
  const readFault = (fault: Element, { status }: Reply, operation: Operation): Refusal => {
    const { part } = frames.get(operation)!.input;
    const { faultCode, ...refusal } = decodeFault(fault, status, { operation, part, isOfInterface, faults });
    // Plain errors have type and code in the text.
    const isPlain = conventionsOfMessages(owners.get(operation)!).errors === 'plain';
    return { ...refusal, isFault: true, ...(!isPlain && faultCode && { faultCode }) };
  };
  const headersOf = compileHeaders(context);
  const withBlocks = (text: string, blocks: string): string => addBlocks(dialect, text, blocks);
  const withHeader = (operation: Operation, side: Side, value: unknown): string =>
    withBlocks(message(operation, side, value), headersOf(operation, side).print(value));
  /** A message, with what stands beside it. `head`: of a message without parts. */
  const write = (operation: Operation, side: Side, value: unknown, asXop: boolean, head: WrittenHead): Written => {
    const schema = operation[side];
    const may = mayAttach(schema);
    const isXop = asXop && may !== 'nothing';
    if (!isXop && may !== 'always') return { ...head, body: withHeader(operation, side, value) };
    const { text: body, parts } = collector.collect(isXop, () => {
      collector.addFields(schema, value);
      return withHeader(operation, side, value);
    });
    if (!isXop && parts.length === 0) return { ...head, body };
    const action = dialect === dialect12 && side === 'input' ? soapActionOf(operation, dialect.format) : '';
    return { ...head, body, ...packageOf(parts, { contentType, isXop, action }) };
  };
  const relateTo =
    (addressed: Addressed, service: Service, operationOf: () => Operation | undefined): Relate =>
    (message, problem) => {
      const operation = operationOf();
      const declared = problem && operation && faults.print(operation, problem);
      const action =
        operation === undefined || (problem !== undefined && declared === undefined)
          ? undefined
          : replyActionOf(service, operation, declared?.element);
      return { ...message, body: withBlocks(message.body, printReply(addressed, action, problem)) };
    };
  const withMessageId = (text: string, key: string | undefined): string =>
    key === undefined
      ? text
      : withBlocks(text, `<wsa:MessageID xmlns:wsa="${addressing}">${escapeXml(key)}</wsa:MessageID>`);

  return {
    decode(bytes, { charset, attachments }, target, head, messageHeader = {}) {
      const received = attachments && new ReceivedParts(attachments);
      let addressed: Addressed | undefined;
      let found: Found | undefined;
      const onHeader = (blocks: readonly Element[]): void => {
        addressed = readAddressing(blocks);
        // An answer is tied to its request by the identifier of the request (WS-Addressing, section 3.4).
        if (addressed?.messageId !== undefined)
          messageHeader.relate = relateTo(addressed, target.service, () => found?.operation);
        if (places.usernameToken === true) messageHeader.security = readSecurity(blocks, dialect);
      };
      const find = (content: Element) =>
        findOperation(content, target, dialect.actionIn(head.headers) || addressed?.action);
      const understands: UnderstandsBlock = (content, block) => {
        if (isSecurity(block) && places.usernameToken === true) return true;
        const operation = find(content)?.operation;
        return operation !== undefined && headersOf(operation, 'input').knows(block);
      };
      const options = {
        dialect,
        parseXml: withParts(parseXml, received),
        acceptsBlanks,
        within: withinOf(target.service),
        understands,
        onHeader,
      };
      const { body: content, key: sent, header, hasBlanks } = parse(bytes, charset, options);
      found = find(content);
      if (found === undefined) {
        const names = `the first element of the Body names the operation, in the namespace ${uriOf(target.service, undefined)}`;
        throw unknownOperation(target.service, '/Envelope/Body', names);
      }
      const { operation, first } = found;
      if (addressed?.isReplyUnwanted && !operation.oneWay) refuseUnwantedReply(addressed);
      const isPlain = elementPrefix(operation, 'input') === '' && first.namespace === '';
      if (first.local !== '' && !isPlain && !isOfInterface(first))
        throw malformedBody(
          'wrong namespace',
          operation.name,
          wantedNamespace(operation, first, target.service).issues,
        );
      // A path that names another operation than the body is a mistake, or an attempt to get past a filter of paths.
      if (target.operation !== undefined && target.operation !== operation)
        throw malformedBody('path and body disagree');
      const { part } = frames.get(operation)!.input;
      const fields = headersOf(operation, 'input').join(unwrap(first, part, isMember), header);
      const body = received?.join(fields, operation.input) ?? fields;
      const { value, issues, leniencies = [] } = codecOf(operation).input.read({ body });
      if (issues.length === 0) received?.requireAllRead();
      const key = sent?.isMessageId === true && !places.messageId ? undefined : sent;
      return {
        ...{ operation, input: value, issues, key },
        ...((hasBlanks || leniencies.length > 0) && {
          leniencies: [...leniencies, ...(hasBlanks ? blanksBeforeXml : [])],
        }),
        ...(acceptsXop(attachments, head) && { acceptsXop: true }),
      };
    },

    coordinates: (path, operation, side) => xpath(path, operation, frames.get(operation)?.[side].part, side),

    encode(operation, output, extras, asXop = false) {
      const written = write(operation, 'output', output, asXop, { contentType });
      const further = membersIn(extras);
      const body = further === undefined ? written.body : withBlocks(written.body, extrasBlock(further));
      return { ...okMessage(contentType, ''), ...written, body };
    },

    encodeError(problem, { operation, service, isHarmless = false }) {
      const part = operation && frames.get(operation)?.input.part;
      const declared = faults.print(operation, problem);
      // Stubs throw their typed exception where its data stands alone in the detail. That data names a single field itself.
      const isAlone = declared !== undefined && problem.issues.length === 1;
      const issues = isAlone ? [] : furtherIssues(problem, declared === undefined ? service : undefined);
      const detail = printInvalidFields(
        issues.map((each) => ({ name: each.where ?? xpath(each.path, operation, part), message: issueText(each) })),
      );
      const data = declared === undefined || service === undefined ? '' : faultElement(service, declared);
      const isOfServer = isTextOfServer(problem, operation);
      const isTransient = mayRetry(problem, isHarmless) === true;
      const wait = isTransient && data === '' ? retryDetail(problem) : '';
      const text = isOfServer ? problem.message : errorText(problem);
      const others = (problem.detail ?? []).join('');
      const traits = { isTextOfServer: isOfServer, isTransient };
      const { status, body } = dialect.fault(problem, escapeXml(text), data + others + detail + wait, traits);
      return { status, contentType, headers: problem.headers, body: head + body + tail };
    },

    // A receiver ignores a header block that it does not know, unless the block demands otherwise (SOAP 1.1, section 4.2.3).
    addNotice: (message, notice) => ({
      ...message,
      body: withBlocks(message.body, noticeBlock(notice)),
    }),

    encodeRequest(service, operation, input, key, asXop = false) {
      const head = callHead(dialect, operation, service);
      const written = write(operation, 'input', input, asXop, head);
      return { ...head, ...written, body: withMessageId(written.body, key) };
    },

    decodeResponse(operation, body) {
      const { body: content, header } = openEnvelope(parseXml(body, limitsOfAnswer(operation)), dialect);
      const name = elementName(operation, 'output');
      const first =
        name === '' ? content : messageOf(content, sizeLimits(limitsOfAnswer(operation), hasHref(operation.output)));
      if (name !== '' && first.local !== name) throw malformedBody('not the answer');
      const { part } = frames.get(operation)!.output;
      const fields = headersOf(operation, 'output').join(unwrap(first, part, isMember), header);
      return codecOf(operation).output.read({ body: fields });
    },

    decodeAnswer(operation, reply) {
      const { message: first, header, received } = openReply(operation, reply, parseXml, limitsOfAnswer(operation));
      if (first.local === 'Fault') return { refusal: readFault(first, reply, operation) };
      const { part } = frames.get(operation)!.output;
      const fields = elementName(operation, 'output') === '' ? first : fieldsIn(first, operation.output, part);
      const joined = headersOf(operation, 'output').join(fields, header);
      const answer = readAnswer(operation, { body: received?.join(joined, operation.output) ?? joined });
      if (answer.issues.length === 0) received?.requireAllRead();
      const { knows } = headersOf(operation, 'output');
      const unread = notUnderstood(header, (block) => isSecurity(block) || knows(block));
      return { ...decodedAnswer(answer), ...(unread.length > 0 && { notUnderstood: unread }) };
    },

    decodeError(reply, operation) {
      const fault = openFault(reply, parseXml);
      return fault && readFault(fault, reply, operation);
    },
  };
}

/** The headers that say that a request may be sent again, for stubs, which see the fault alone. */
function retryDetail({ retryAfterSeconds }: Problem): string {
  const element = (name: string, text: string): string => `<t:${name} xmlns:t="${retryNamespace}">${text}</t:${name}>`;
  return element(transientHeader, 'true') + element('retry-after', String(retryAfterSeconds));
}

function limitsOfAnswer({ output }: Operation): Limits {
  return limitsFor(valueLengthMax([output]), responseLimits);
}

type WrittenHead = Pick<Message, 'contentType'>;

/** A message with its head; another content type where it has parts. */
type Written = Pick<Message, 'contentType' | 'body' | 'attached'>;

/** Whether a caller that has sent an XOP package, or that names the type of one, reads one. */
function acceptsXop(attachments: Attachments | undefined, { headers: { accept = '' } }: Head): boolean {
  if (/application\/xop\+xml/i.test(accept)) return true;
  return attachments?.isXop === true && (accept === '' || /multipart\/(?:related|\*)|\*\/\*/i.test(accept));
}

type Relate = NonNullable<MessageHeader['relate']>;

const blanksBeforeXml: readonly Leniency[] = ['blanks-before-xml'];

function envelopeStart({ prefix, envelope }: Dialect): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?><${prefix}:Envelope xmlns:${prefix}="${envelope}"` +
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
  );
}

/** Adds blocks to the header of an envelope that was printed here. */
function addBlocks(dialect: Dialect, text: string, blocks: string): string {
  if (blocks === '') return text;
  const start = envelopeStart(dialect);
  const headerStart = `${start}<${dialect.prefix}:Header>`;
  if (text.startsWith(headerStart)) return headerStart + blocks + text.slice(headerStart.length);
  return `${headerStart}${blocks}</${dialect.prefix}:Header>${text.slice(start.length)}`;
}

/** `/Envelope/Body/disable/request/card/number`; items count from 1, and attributes have an at sign, as in XPath. */
function xpath(path: Path, operation: Operation | undefined, part: string | undefined, side: Side = 'input'): string {
  let schema: Schema | undefined = operation?.[side];
  const steps = path.flatMap((step, at) => {
    if (typeof step !== 'string') {
      schema = schema?.kind === 'list' ? schema.item : undefined;
      return `${step.itemName}[${step.index + 1}]`;
    }
    const field: Field | undefined = schema?.kind === 'object' ? fieldOf(schema, step) : undefined;
    schema = field?.schema;
    // Its items have the name.
    if (schema !== undefined && isRepeated(schema) && typeof path[at + 1] === 'object') return [];
    const xml = field?.xml;
    switch (xml) {
      case 'attribute':
        return `@${step}`;
      case 'type':
        return '@type';
      case 'attributes':
        return '@*';
      case 'text':
      case 'mixed':
        return 'text()';
      case 'order':
        return '*';
      case 'header':
      case 'attachment':
      case undefined:
        return step;
      default:
        return xml satisfies never;
    }
  });
  if (operation !== undefined && steps[0] === headerFieldOf(operation[side]) && steps.length > 0)
    return ['/Envelope/Header', ...steps.slice(1)].join('/');
  const message = operation === undefined ? '*' : elementName(operation, side);
  return ['/Envelope/Body', ...(message === '' ? [] : [message]), ...(part === undefined ? [] : [part]), ...steps].join(
    '/',
  );
}

/** An operation with the element that holds its fields, or the element around that. */
interface Found {
  readonly operation: Operation;
  readonly first: Element;
}

/** Whether the elements of a Body are the fields of an operation. */
function holds({ input }: Operation, { children }: Element): boolean {
  if (children.length === 0)
    return Object.values(input.fields).every(({ required, xml }) => !required || xml === 'header');
  return children.every(({ local }) => Object.hasOwn(input.fields, local));
}

/** What is around the fields of a message. */
interface Frame {
  /** The element that holds them, where the element of the operation does not. */
  readonly part: string | undefined;
  readonly start: string;
  readonly end: string;
}

function compileFrames(
  services: readonly Service[],
  head: string,
  tail: string,
): ReadonlyMap<Operation, Readonly<Record<Side, Frame>>> {
  const frameOf = (service: Service, operation: Operation, side: Side): Frame => {
    const name = messageName(service, operation, side);
    const part = elementAround(service, operation, side);
    const declared = declarations(service, namespacesOfMessage(operation, side));
    // The Body declares what its elements need.
    if (name === '') return { part, start: flat(head.slice(0, -1), declared, '>'), end: tail };
    // The content ends a start tag with attributes.
    const startEnd = mayHaveAttributes(operation[side]) ? '' : '>';
    if (part === undefined)
      return { part, start: flat(head, `<${name}${declared}${startEnd}`), end: flat(`</${name}>`, tail) };
    const start = flat(head, `<${name}${declared}>`, `<ns1:${part}${startEnd}`);
    return { part, start, end: flat(`</ns1:${part}></${name}>`, tail) };
  };
  const frames = new Map<Operation, Readonly<Record<Side, Frame>>>();
  for (const service of services)
    for (const operation of namedOperations(service)) {
      const known = frames.get(operation);
      const frame = { input: frameOf(service, operation, 'input'), output: frameOf(service, operation, 'output') };
      // Its codec is compiled for one of the services.
      if (known !== undefined && known.input.part !== frame.input.part)
        throw new TypeError(`${operation.name} belongs to services of different SOAP styles`);
      frames.set(operation, frame);
    }
  return frames;
}

function wantedNamespace(operation: Operation, { namespace, local }: Element, service: Service) {
  const wanted = uriOf(service, elementPrefix(operation, 'input'));
  const sent = namespace === '' ? 'no namespace' : 'another namespace';
  return adviceAt(`/Envelope/Body/${local}`, `it has ${sent}: send it in ${wanted === '' ? 'none' : wanted}`);
}

/** Describes a request that has been answered: its line, and its details with everything masked that is secret. */
import { Buffer } from 'node:buffer';
import {
  type Field,
  isBound,
  keyHeader,
  locationOf,
  type Operation,
  problems,
  type Service,
} from '../../core/contract/index.ts';
import {
  type Attachments,
  createProtocols,
  type Decoded,
  isFormat,
  lengthOf,
  PartRecorder,
  type Protocol,
  type Protocols,
  queryParts,
  type VisitedPart,
} from '../../core/formats/index.ts';
import { type Answer, type HttpFacts, identify, type LogEntry } from '../../core/gateway/index.ts';
import { isStorableProblem } from '../../core/idempotency/index.ts';
import { type Charset, charsetIn } from '../../core/lib/index.ts';
import { describeTokens } from '../../core/spool/index.ts';
import { maskRequestId } from '../../http/index.ts';
import { type MaskText, maskBody, masked, maskPlain } from './mask/mask-body.ts';
import { maskCanonical } from './mask/mask-canonical.ts';
import { type MaskedHeader, maskHeaders, secretsIn } from './mask/mask-headers.ts';
import { knownWords, lenientText, type MaskedText } from './mask/mask-shape.ts';
import type { KeyResult, TrafficDetails, TrafficIssue, TrafficMessage } from './record.ts';
import type { Recording } from './recording.ts';
import { describeSteps } from './steps.ts';

/** Characters of a message that are kept. */
const messageLengthMax = 65_536;
const queryLengthMax = 2_000;
const textLengthMax = 1_000;
const issuesMax = 100;

export interface DescribeParts {
  /** Masks the secrets in a text. */
  readonly maskText: MaskText;
  /** Words that are shown of a body that no format could read. */
  readonly words: ReadonlySet<string>;
  /** The operations that read: `Recurring listRecurringDetails`. */
  readonly reading: ReadonlySet<string>;
  readonly reread: Reread;
}

/** Reads messages again, to say what their formats have read where. */
interface Reread {
  protocol(name: string): Protocol | undefined;
  request(
    read: ReadRequest,
    body: Buffer,
    charset: Charset | undefined,
    attachments?: Attachments,
  ): readonly VisitedPart[];
  answer(name: string, decoded: Decoded, body: string): readonly VisitedPart[];
}

export function describeDetails(
  recording: Recording,
  answer: Answer,
  http: HttpFacts,
  parts: DescribeParts,
): TrafficDetails {
  const { headers } = recording.request.request;
  const { message, entry, decoded } = answer;
  const key = message.headers[keyHeader] ?? decoded?.key?.text ?? headers[keyHeader.toLowerCase()];
  const { problem } = entry;
  const details: TrafficDetails = {
    tenant: entry.tenant,
    client: entry.client,
    address: http.address,
    requestId: maskRequestId(http.requestId),
    traceId: http.traceId,
    received: describeReceived(recording, answer, parts),
    canonical: describeCanonical(answer, parts),
    issues: describeIssues(answer, parts),
    problem: problem && {
      name: problem.problem,
      code: problem.code,
      message: parts.maskText(problem.message.slice(0, textLengthMax)),
    },
    key: { length: key?.length, isWeak: entry.weakKey === true },
    ...describeSteps(recording, http.ms),
    answer: describeAnswer(answer, parts),
  };
  // A caller may put its key or its password anywhere.
  return withoutSecrets(details, [...secretsIn(headers), ...(key === undefined ? [] : [key])]);
}

/** `reading`: the operations that read, each with the name of its service before it and a blank between. */
export function keyResultOf(
  { weakKey, replayed, problem, service, operation }: LogEntry,
  reading: ReadonlySet<string>,
): KeyResult {
  if (weakKey === undefined) return 'none';
  if (replayed) return 'replayed';
  if (problem?.kind === problems.keyReused) return 'conflict';
  if (problem?.kind === problems.inProgress) return 'inProgress';
  if (problem !== undefined && !isStorableProblem(problem)) return 'notStored';
  return operation === undefined || reading.has(`${service} ${operation}`) ? 'unused' : 'new';
}

function describeReceived(
  { request: { request: wire, body }, format }: Recording,
  { decoded, entry }: Answer,
  parts: DescribeParts,
): TrafficDetails['received'] {
  const { maskText } = parts;
  const operation = decoded?.operation;
  const isRead = format !== undefined && operation !== undefined;
  const read = isRead ? { format, service: entry.service, operation } : undefined;
  const sent = messageIn(body ?? Buffer.alloc(0), wire.headers['content-type'], isRead);
  const { text, isCut } = maskRequest(sent.body, sent.charset, read, parts, sent.attachments);
  const shown = [text, ...(sent.attachments?.parts ?? []).map((part, at) => `part ${at + 1}: ${lengthOf(part)} bytes`)];
  return {
    headers: maskHeaders(wire.headers, maskText),
    query: maskQuery(wire.query, operation, parts),
    body: describeTokens(shown.join('\n\n')),
    isCut,
    isReadable: isRead || body === undefined || body.length === 0,
  };
}

interface SentMessage {
  readonly body: Buffer;
  readonly charset: Charset | undefined;
  readonly attachments?: Attachments | undefined;
}

/** The message of a multipart body that was read, with the parts beside it; any other body as it is. */
function messageIn(body: Buffer, header: string | undefined, isRead: boolean): SentMessage {
  const type = (header ?? '').replace(/;.*/s, '').trim().toLowerCase();
  if (isRead && type.startsWith('multipart/')) {
    const { contentType, body: root, attachments } = identify(body, type, header);
    return { body: root, charset: charsetIn(contentType), attachments };
  }
  return { body, charset: charsetIn(header) };
}

interface ReadRequest {
  readonly format: string;
  readonly service?: string | undefined;
  readonly operation: Operation;
}

/** `read`: undefined for a body that no format could read. */
export function maskRequest(
  body: Buffer,
  charset: Charset | undefined,
  read: ReadRequest | undefined,
  { reread, maskText, words }: DescribeParts,
  attachments?: Attachments,
): MaskedText {
  const tools = read && reread.protocol(read.format)?.text;
  const text = tools?.decode(body, charset) ?? lenientText(body, charset);
  const values = read === undefined ? [] : reread.request(read, body, charset, attachments);
  return maskBody(text, { tools, read: values, maskText, words, lengthMax: messageLengthMax });
}

/** Only an operation with an HTTP binding has fields in the query. */
function maskQuery(
  query: string,
  operation: Operation | undefined,
  { maskText, words }: Pick<DescribeParts, 'maskText' | 'words'>,
): string {
  const fields: Readonly<Record<string, Field>> =
    operation === undefined || !isBound(operation) ? {} : operation.input.fields;
  const parts = queryParts(query) ?? [];
  const read = parts.flatMap((part, at): readonly VisitedPart[] => {
    const name = parts[at - 1]?.decoded ?? '';
    const field = part.kind === 'value' && Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined || locationOf(field) !== 'query') return [];
    const { start, end, decoded } = part;
    return [
      {
        path: [name],
        schema: field.schema,
        text: decoded,
        place: { document: query, value: { start, end }, name: { start, end } },
      },
    ];
  });
  const tools = { parts: queryParts };
  return maskBody(query, { tools, read, maskText, words, lengthMax: queryLengthMax }).text;
}

function describeCanonical({ decoded }: Answer, { maskText }: DescribeParts): string | undefined {
  if (decoded === undefined || decoded.issues.length > 0) return undefined;
  const text = JSON.stringify(maskCanonical(decoded.operation.input, decoded.input, maskText), null, 2);
  return text.length > messageLengthMax ? undefined : text;
}

function describeIssues(
  { entry: { problem, protocol }, decoded }: Answer,
  { reread, maskText }: DescribeParts,
): readonly TrafficIssue[] {
  const operation = decoded?.operation;
  if (problem === undefined || operation === undefined) return [];
  return problem.issues.slice(0, issuesMax).map(({ path, kind, message }) => ({
    at: maskText(reread.protocol(protocol)?.coordinates(path, operation, 'input', kind) ?? ''),
    problem: kind.name,
    code: kind.code,
    message: maskText(message.slice(0, textLengthMax)),
  }));
}

function describeAnswer(answer: Answer, parts: DescribeParts): TrafficMessage {
  const { message } = answer;
  const headers = Object.entries(message.headers).map(
    ([name, value]): MaskedHeader => [name, name === keyHeader ? masked : parts.maskText(value)],
  );
  const { contentType, body } = message;
  const { text, isCut } = maskAnswer(body, contentType, answer, parts);
  return { headers: [['Content-Type', contentType], ...headers], body: text, isCut };
}

function maskAnswer(
  body: string,
  contentType: string,
  { entry, decoded }: Answer,
  { reread, maskText, words }: DescribeParts,
): MaskedText {
  const protocol = reread.protocol(entry.protocol);
  const lengthMax = messageLengthMax;
  // A format answers a refusal in another media type than its own as a text.
  if (protocol !== undefined && !contentType.startsWith(protocol.mediaType))
    return maskPlain(body, maskText, lengthMax);
  const isOutput = entry.problem === undefined && decoded !== undefined;
  const read = isOutput ? reread.answer(entry.protocol, decoded, body) : 'all';
  return maskBody(body, { tools: protocol?.text, read, maskText, words, lengthMax });
}

/** Shorter secrets are found in many words. */
const secretLengthMin = 6;

function withoutSecrets(details: TrafficDetails, secrets: readonly string[]): TrafficDetails {
  const replaced = secrets.filter((each) => each.length >= secretLengthMin);
  if (replaced.length === 0) return details;
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return replaced.reduce((text, secret) => text.replaceAll(secret, masked), value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clean(each)]));
  };
  return clean(details) as TrafficDetails;
}

/** What the contracts of a server say of its requests. */
export function describePartsOf(services: readonly Service[], maskText: MaskText): DescribeParts {
  const operations = services.flatMap((service) => [...service.operations.values()].map((each) => ({ service, each })));
  return Object.freeze<DescribeParts>({
    maskText,
    reread: createReread(services),
    words: knownWords(operations.map(({ each }) => each)),
    reading: new Set(
      operations.flatMap(({ service, each }) => (each.effect === 'reads' ? [`${service.name} ${each.name}`] : [])),
    ),
  });
}

/** The protocols are created for the first request whose details are recorded. */
function createReread(services: readonly Service[]): Reread {
  const recorder = new PartRecorder();
  let created: Protocols | undefined;
  const protocolOf = (name: string): Protocol | undefined => {
    // No member has this name: the pair of an Idempotency-Key is masked as a member that the contract does not have.
    created ??= createProtocols(services, { formField: '', messageId: true }, recorder.compileRead);
    return isFormat(name) ? created[name] : undefined;
  };
  const partsOf = (read: () => unknown): readonly VisitedPart[] => {
    recorder.take();
    try {
      read();
      return recorder.take();
    } catch {
      // What cannot be read again is masked.
      return [];
    }
  };
  return {
    protocol: protocolOf,
    request: ({ format, service: name, operation }, body, charset, attachments) =>
      partsOf(() => {
        const protocol = protocolOf(format);
        const service = services.findLast(
          (each) => each.name === name && each.operations.get(operation.name) === operation,
        );
        if (protocol === undefined || service === undefined) return;
        const target = { service, version: service.version, operation };
        const media = { type: protocol.mediaType, charset, ...(attachments && { attachments }) };
        protocol.decode(body, media, target, { query: '', headers: {} });
      }),
    answer: (name, { operation }, body) => partsOf(() => protocolOf(name)?.decodeResponse(operation, body)),
  };
}

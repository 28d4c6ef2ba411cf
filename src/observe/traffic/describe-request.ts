/** Describes a request that has been answered: its line, and its details with everything masked that is secret. */
import { problems } from '../../contract/problem.ts';
import { keyHeader } from '../../contract/retry.ts';
import type { Service } from '../../contract/service.ts';
import type { Protocol } from '../../formats/protocol.ts';
import type { Answer, LogEntry } from '../../gateway/answer.ts';
import type { HttpFacts } from '../../gateway/request-observer.ts';
import { maskRequestId } from '../../http/request-id.ts';
import { isStorableProblem } from '../../idempotency/stored-outcome.ts';
import { type BodyMasking, maskBody, textOf } from './mask/mask-body.ts';
import { maskCanonical } from './mask/mask-canonical.ts';
import { type MaskedHeader, maskHeaders, secretsIn } from './mask/mask-headers.ts';
import { knownWords } from './mask/mask-shape.ts';
import { type MaskText, masked } from './mask/masked-output.ts';
import { answerPlace, refusalPlace, requestPlace } from './mask/place.ts';
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
  readonly protocols: Readonly<Record<string, Pick<Protocol, 'coordinates'>>>;
}

export function describeDetails(
  recording: Recording,
  answer: Answer,
  http: HttpFacts,
  parts: DescribeParts,
): TrafficDetails {
  const { headers } = recording.request.request;
  const { message, entry, decoded } = answer;
  const key = message.headers[keyHeader] ?? decoded?.key ?? headers[keyHeader.toLowerCase()];
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
  { decoded }: Answer,
  parts: DescribeParts,
): TrafficDetails['received'] {
  const { maskText, words } = parts;
  const operation = decoded?.operation;
  const read = operation === undefined ? undefined : format;
  const place = operation === undefined || read === undefined ? undefined : requestPlace(read, operation);
  const masking: BodyMasking = { format: read, place, maskText, words, lengthMax: messageLengthMax };
  const text = body === undefined ? '' : textOf(body, wire.headers['content-type']);
  const { text: shown, isCut } = maskBody(text, masking);
  const queryMasking = { ...masking, format: 'form', place: operation?.input, lengthMax: queryLengthMax };
  return {
    headers: maskHeaders(wire.headers, maskText),
    query: maskBody(wire.query, queryMasking).text,
    body: shown,
    isCut,
    isReadable: read !== undefined || text === '',
  };
}

function describeCanonical({ decoded }: Answer, { maskText }: DescribeParts): string | undefined {
  if (decoded === undefined || decoded.issues.length > 0) return undefined;
  const text = JSON.stringify(maskCanonical(decoded.operation.input, decoded.input, maskText), null, 2);
  return text.length > messageLengthMax ? undefined : text;
}

function describeIssues(
  { entry: { problem, protocol }, decoded }: Answer,
  { protocols, maskText }: DescribeParts,
): readonly TrafficIssue[] {
  const operation = decoded?.operation;
  if (problem === undefined || operation === undefined) return [];
  return problem.issues.slice(0, issuesMax).map(({ path, kind, message }) => ({
    at: maskText(protocols[protocol]?.coordinates(path, operation, 'input', kind) ?? ''),
    problem: kind.name,
    code: kind.code,
    message: maskText(message.slice(0, textLengthMax)),
  }));
}

function describeAnswer({ message, entry, decoded }: Answer, parts: DescribeParts): TrafficMessage {
  const headers = Object.entries(message.headers).map(
    ([name, value]): MaskedHeader => [name, name === keyHeader ? masked : parts.maskText(value)],
  );
  const isOutput = entry.problem === undefined && decoded !== undefined;
  const { text, isCut } = maskBody(message.body, {
    ...parts,
    format: message.contentType.startsWith('text/plain') ? 'text' : entry.protocol,
    place: isOutput ? answerPlace(entry.protocol, decoded.operation) : refusalPlace,
    lengthMax: messageLengthMax,
  });
  return { headers: [['Content-Type', message.contentType], ...headers], body: text, isCut };
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
export function describePartsOf(
  services: readonly Service[],
  protocols: DescribeParts['protocols'],
  maskText: MaskText,
): DescribeParts {
  const operations = services.flatMap((service) => [...service.operations.values()].map((each) => ({ service, each })));
  return Object.freeze<DescribeParts>({
    maskText,
    protocols,
    words: knownWords(operations.map(({ each }) => each)),
    reading: new Set(
      operations.flatMap(({ service, each }) => (each.effect === 'reads' ? [`${service.name} ${each.name}`] : [])),
    ),
  });
}

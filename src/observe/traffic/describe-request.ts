/** Describes a request that has been answered: its line, and its details with everything masked that is secret. */
import { type Problem, problems } from '../../contract/problem.ts';
import { keyHeader } from '../../contract/retry.ts';
import type { Service } from '../../contract/service.ts';
import type { Protocol } from '../../formats/protocol.ts';
import type { LogEntry } from '../../gateway/answer.ts';
import type { ObservedRequest as ObservedHttp } from '../../http/log-request.ts';
import { maskRequestId } from '../../http/request-id.ts';
import { isStorableProblem } from '../../idempotency/stored-outcome.ts';
import { type BodyMasking, maskBody, textOf } from './mask/mask-body.ts';
import { maskCanonical } from './mask/mask-canonical.ts';
import { type MaskedHeader, maskHeaders, secretsIn } from './mask/mask-headers.ts';
import { knownWords } from './mask/mask-shape.ts';
import { type MaskText, masked } from './mask/masked-output.ts';
import { answerPlace, refusalPlace, requestPlace } from './mask/place.ts';
import type { ObservedRequest } from './observed-request.ts';
import type { KeyResult, TrafficDetails, TrafficIssue, TrafficMessage } from './record.ts';
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
  observed: ObservedRequest,
  entry: LogEntry,
  http: ObservedHttp,
  parts: DescribeParts,
): TrafficDetails {
  const { wire, answer } = observed;
  const key = answer?.message.headers[keyHeader] ?? answer?.decoded?.key ?? wire.headers[keyHeader.toLowerCase()];
  const { problem } = entry;
  const details: TrafficDetails = {
    tenant: entry.tenant,
    client: entry.client,
    address: http.address,
    requestId: maskRequestId(http.requestId),
    traceId: http.traceId,
    received: describeReceived(observed, parts),
    canonical: describeCanonical(observed, parts),
    issues: describeIssues(problem, entry, observed, parts),
    problem: problem && {
      name: problem.problem,
      code: problem.code,
      message: parts.maskText(problem.message.slice(0, textLengthMax)),
    },
    key: { length: key?.length, isWeak: entry.weakKey === true },
    ...describeSteps(observed, http.ms),
    answer: describeAnswer(observed, parts),
  };
  // A caller may put its key or its password anywhere.
  return withoutSecrets(details, [...secretsIn(wire.headers), ...(key === undefined ? [] : [key])]);
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
  { wire, body, answer, format }: ObservedRequest,
  parts: DescribeParts,
): TrafficDetails['received'] {
  const { maskText, words } = parts;
  const operation = answer?.decoded?.operation;
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

function describeCanonical({ answer }: ObservedRequest, { maskText }: DescribeParts): string | undefined {
  const { decoded } = answer ?? {};
  if (decoded === undefined || decoded.issues.length > 0) return undefined;
  const text = JSON.stringify(maskCanonical(decoded.operation.input, decoded.input, maskText), null, 2);
  return text.length > messageLengthMax ? undefined : text;
}

function describeIssues(
  problem: Problem | undefined,
  { protocol }: LogEntry,
  { answer }: ObservedRequest,
  { protocols, maskText }: DescribeParts,
): readonly TrafficIssue[] {
  const operation = answer?.decoded?.operation;
  if (problem === undefined || operation === undefined) return [];
  return problem.issues.slice(0, issuesMax).map(({ path, kind, message }) => ({
    at: maskText(protocols[protocol]?.coordinates(path, operation, 'input', kind) ?? ''),
    problem: kind.name,
    code: kind.code,
    message: maskText(message.slice(0, textLengthMax)),
  }));
}

function describeAnswer({ answer }: ObservedRequest, parts: DescribeParts): TrafficMessage {
  if (answer === undefined) return { headers: [], body: '', isCut: false };
  const { message, entry, decoded } = answer;
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

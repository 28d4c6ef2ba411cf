/** Problems: the kinds of refusal, those of the engine in one table, and the one error class that carries them. */
import type { Path } from './path.ts';

/** The class of a problem in responses. */
export type ErrorType = 'validation' | 'security' | 'internal' | 'configuration';

/** A kind of refusal. */
export interface ProblemKind {
  /** In logs, metrics and stored outcomes. */
  readonly name: string;
  /** HTTP status in the formats that show it. */
  readonly status: number;
  /** Text, three digits or more; zero-padded. */
  readonly code: string;
  /** An `ErrorType`, or the word of another server. */
  readonly type: string;
  /** `{0}` is the field in dotted form, `{1}` a limit, `{2}` the value of the field; never of a sensitive one. */
  readonly message: string;
  /** The words for these blanks in documents, where they are not a field. */
  readonly blanks?: readonly string[];
  /** Whether the same request with the same key may be sent again; callers read it in a header (wire practice). */
  readonly transient?: boolean;
  /** Where several fields are wrong, this one names the problem. */
  readonly first?: true;
  /** Of the HTTP request, or of its sender rather than its content: formats with one status for their errors keep this one. */
  readonly keepsStatus?: true;
  /** Another server has refused without a code: SOAP has its text alone. */
  readonly isUncoded?: true;
  /** For a problem with a code and a name of its own in problem details (RFC 9457), rather than those of its status. */
  readonly details?: ProblemType;
}

/** How problem details name a kind of problem. */
export interface ProblemType {
  /** The end of its address: `general/not-found`; or a whole URI. */
  readonly type: string;
  readonly title: string;
}

/** A kind without its name, which is its key in the table. */
export type ProblemParts = Omit<ProblemKind, 'name'>;

/** Returns a kind of problem for `defineProblems`: its HTTP status, code, type and message. */
export function kind(
  status: number,
  code: string,
  type: ErrorType,
  message: string,
  also: Partial<ProblemParts> = {},
): ProblemParts {
  return {
    status,
    code,
    type,
    message,
    ...also,
  };
}

/**
 * Declares kinds of problem, in the order in which documents list those of one status. A kind that is declared already,
 * such as one of the engine, is listed for its place.
 */
export function defineProblems<N extends string>(
  table: Readonly<Record<N, ProblemParts | ProblemKind>>,
): Readonly<Record<N, ProblemKind>> {
  return Object.freeze(
    Object.fromEntries(
      Object.entries<ProblemParts | ProblemKind>(table).map(([name, each]) => [
        name,
        'name' in each ? each : Object.freeze({ name, ...each }),
      ]),
    ) as Record<N, ProblemKind>,
  );
}

const beforeOperation = { keepsStatus: true } as const;

/** The problems of the engine: of the protocols, of credentials, of fields and of retries. */
export const problems = defineProblems({
  unauthorized: kind(401, '000', 'security', 'HTTP Status Response - Unauthorized', beforeOperation),
  notAllowed: kind(403, '010', 'security', 'Not allowed'),
  crossSite: kind(403, '010', 'security', 'Not allowed', beforeOperation),
  notFound: kind(404, '000', 'validation', 'Service not found', beforeOperation),
  unknownVersion: kind(404, '000', 'validation', 'Version not found; served here: {0}', {
    ...beforeOperation,
    blanks: ['versions'],
  }),
  unknownOperation: kind(404, '000', 'validation', 'Operation not found; served here: {0}', { blanks: ['operations'] }),
  methodNotAllowed: kind(405, '000', 'validation', 'Method not allowed', beforeOperation),
  timeout: kind(408, '000', 'validation', 'Request timed out', beforeOperation),
  tooLarge: kind(413, '29_100', 'validation', 'Request larger than the maximum of {0} bytes', {
    ...beforeOperation,
    blanks: ['n'],
  }),
  unsupportedMedia: kind(415, '000', 'validation', 'Unsupported media type', beforeOperation),
  expectationFailed: kind(417, '000', 'validation', 'Expectation not supported', beforeOperation),
  tooManyRequests: kind(429, '000', 'security', 'Too many requests', { ...beforeOperation, transient: true }),
  badRequest: kind(400, '000', 'validation', 'Bad request', beforeOperation),
  invalidKey: kind(
    400,
    '000',
    'validation',
    'Idempotency-Key is not 1 to 64 printable characters without blanks, quotes or backslashes',
  ),
  undecodable: kind(400, '702', 'validation', 'Problem parsing request: {0}', { blanks: ['what is wrong'] }),
  unreadable: kind(400, '702', 'validation', 'Problem parsing request: {0}', { blanks: ['what is wrong'] }),
  structure: kind(400, '702', 'validation', 'Problem parsing request: {0}', { blanks: ['what is wrong'] }),
  unknownField: kind(400, '702', 'validation', 'Structure of {0} contains the following unknown fields: [{1}]', {
    blanks: ['type', 'names'],
  }),
  mustUnderstand: kind(500, '702', 'validation', 'Header not understood'),
  versionMismatch: kind(500, '702', 'validation', 'Envelope version not understood'),
  brownOut: kind(410, '000', 'validation', 'Switched off until {0}, since it is deprecated: {1}', {
    blanks: ['time', 'what'],
  }),
  retired: kind(410, '000', 'validation', 'Switched off since {0}: {1}', { blanks: ['time', 'what'] }),
  missingField: kind(422, '158', 'validation', 'Required field {0} not specified'),
  invalidField: kind(422, '192', 'validation', 'Invalid field {0}'),
  tooLong: kind(422, '29_001', 'validation', "Field '{0}' may not exceed {1} characters", { blanks: ['field', 'n'] }),
  inProgress: kind(409, '704', 'validation', 'Request already processed or in progress', { transient: true }),
  keyReused: kind(422, '704', 'validation', 'Idempotency-Key already used for another request', { transient: false }),
  internal: kind(500, '701', 'internal', 'Server could not process request'),
  unavailable: kind(503, '703', 'internal', 'Required resource temporarily unavailable', { transient: true }),
  overloaded: kind(503, '703', 'internal', 'Required resource temporarily unavailable', {
    ...beforeOperation,
    transient: true,
  }),
  badAnswer: kind(502, '701', 'internal', 'No valid answer from the server behind the gateway'),
  answerTooLarge: kind(
    502,
    '701',
    'configuration',
    'The request was executed, and its answer is larger than the gateway accepts: ask the operator of the service',
    { transient: false },
  ),
  unknownMembers: kind(
    502,
    '701',
    'configuration',
    'The request was executed, and its answer has members that the contract of the gateway does not have: {0}',
    { transient: false, blanks: ['names'] },
  ),
  outcomeUnknown: kind(
    502,
    '701',
    'internal',
    'The outcome of this request is not known, and it is not repeated: ask the operator of the service',
    { transient: false },
  ),
  emptyRequest: kind(400, '000', 'validation', 'Empty input which would have resulted in a null result.'),
});

/** The name of every kind that `refusalOfUpstream` makes: in metrics, logs and stored outcomes. */
export const upstreamRefusal = 'upstreamRefusal';

/** The kind of a refusal by another server, where no kind of the contract has its code. */
export function refusalOfUpstream(
  parts: Pick<ProblemKind, 'status' | 'code' | 'type' | 'transient' | 'keepsStatus' | 'isUncoded' | 'details'>,
): ProblemKind {
  return Object.freeze({ ...parts, name: upstreamRefusal, message: 'Refused' });
}

/** The name of a problem of the engine. */
export type ProblemName = keyof typeof problems;

/** A problem of the engine by its name, or a kind that a service declares. */
export type ProblemRef = ProblemName | ProblemKind;

export function kindOf(problem: ProblemRef): ProblemKind {
  return typeof problem === 'string' ? problems[problem] : problem;
}

/** One thing that is wrong with a request, at a canonical path that each protocol prints in its own coordinates. */
export interface Issue {
  readonly path: Path;
  readonly kind: ProblemKind;
  readonly message: string;
  /** The value of the field, in formats that show it; never of a sensitive field. */
  readonly value?: string;
  /** What is valid there, or what to do: shown behind the message, beside the text of the problem, which clients compare. */
  readonly rule?: string;
  /** The name of a place that is no field: a header, the namespace of a message. `path` is empty. */
  readonly where?: string;
}

/** The text of a problem with its blanks filled. */
export function describe(problem: ProblemRef, ...blanks: readonly string[]): string {
  return kindOf(problem).message.replace(/\{(\d)\}/g, (_, index) => blanks[Number(index)] ?? '');
}

export function issue(path: Path, problem: ProblemRef, ...blanks: readonly string[]): Issue {
  return {
    path,
    kind: kindOf(problem),
    message: describe(problem, ...blanks),
  };
}

/** Details of a problem whose place is no field: what is wrong at `where`, and what to do. */
export function adviceAt(where: string, message: string): { readonly issues: readonly Issue[] } {
  return { issues: [{ path: [], kind: problems.badRequest, message, where }] };
}

const listedMax = 20;

/** Values in the text of a rule: the first 20, and how many more there are. */
export function listed(values: readonly string[]): string {
  const shown = values.slice(0, listedMax).join(', ');
  return values.length > listedMax ? `${shown} and ${values.length - listedMax} more` : shown;
}

/** What a Problem carries besides its kind and its message. */
export interface ProblemDetails {
  readonly issues?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Where the request broke, for metrics and logs; never shown to the caller. */
  readonly reason?: string;
  /** Of a refused log-in: the keyed hash of the name, for logs. */
  readonly nameHash?: string | undefined;
  /** When the request may be sent again, for a transient problem; 1 by default. */
  readonly retryAfterSeconds?: number;
  /** Of a request that another server has refused: the reference that it gave the request. */
  readonly requestReference?: string;
  /** The canonical data of a declared fault (`Operation.faults`). */
  readonly fault?: unknown;
  /** As the member of the problem. */
  readonly sent?: unknown;
  /** Elements of a fault of another server that the operation does not declare, as XML with its namespaces. */
  readonly detail?: readonly string[] | undefined;
  /** The code that another specification, or another SOAP server, has for the fault. */
  readonly faultCode?: FaultCode | undefined;
}

/** Codes of one namespace, each within the one before. None: the fault has those of SOAP alone. */
export interface FaultCode {
  /** Empty for none. Absent: the code stands behind that of SOAP, as in `Client.NotFound`. */
  readonly namespace?: string;
  readonly codes: readonly string[];
}

/** The only error that reaches a protocol. `message` is safe to show. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly nameHash: string | undefined;
  readonly retryAfterSeconds: number;
  readonly requestReference: string | undefined;
  readonly fault: unknown;
  /** The refusal as another server has sent it, for callers to whom it is passed on. It is not stored. */
  readonly sent: unknown;
  readonly detail: readonly string[] | undefined;
  readonly faultCode: FaultCode | undefined;

  constructor(problem: ProblemRef, message = describe(problem), details: ProblemDetails = {}) {
    const { stackTraceLimit } = Error;
    // Callers may cause thousands of refusals before an operation. A stack says nothing of them, and is a tenth of their cost.
    if (kindOf(problem).keepsStatus === true) Error.stackTraceLimit = 0;
    super(message, { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kindOf(problem);
    this.issues = details.issues ?? [];
    this.headers = details.headers ?? {};
    this.reason = details.reason ?? this.kind.name;
    this.nameHash = details.nameHash;
    this.retryAfterSeconds = details.retryAfterSeconds ?? 1;
    this.requestReference = details.requestReference;
    this.fault = details.fault;
    this.sent = details.sent;
    this.detail = details.detail;
    this.faultCode = details.faultCode;
  }

  /** The name of the kind. */
  get problem(): string {
    return this.kind.name;
  }
  get status(): number {
    return this.kind.status;
  }
  get code(): string {
    return this.kind.code;
  }
  get type(): string {
    return this.kind.type;
  }

  /** All that is wrong at once; the first issue names the problem. */
  static of(issues: readonly Issue[]): Problem {
    const ordered = issues.toSorted((a, b) => rank(a.kind) - rank(b.kind));
    const [first] = ordered;
    if (first === undefined) throw new TypeError('a problem needs an issue');
    return new Problem(first.kind, first.message, { issues: ordered });
  }

  /** One wrong field that only the handler can see. */
  static at(path: Path, problem: ProblemRef, ...blanks: readonly string[]): Problem {
    return Problem.of([issue(path, problem, ...blanks)]);
  }

  /**
   * A Problem for anything thrown: what is unforeseen is `internal` and shows no detail.
   * @internal
   */
  static from(thrown: unknown): Problem {
    return thrown instanceof Problem ? thrown : new Problem('internal', undefined, { cause: thrown });
  }
}

/**
 * Whether the refused request may be sent again; undefined where neither is certain. `isHarmless`: the request reads, or has a key by
 * which a retry finds it.
 */
export function mayRetry({ kind }: Problem, isHarmless: boolean): boolean | undefined {
  // What failed in an unforeseen way may have had its effect: with a key the retry finds it, and without one it repeats it.
  const isUnforeseen = kind === problems.internal || kind === problems.badAnswer;
  return isUnforeseen && isHarmless ? true : kind.transient;
}

/** Throws where there are any. */
export function throwIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw Problem.of(issues);
}

/** Structure before the kinds that come first, and then the fields in the contract's order. */
function rank({ status, first }: ProblemKind): number {
  if (status === 400) return 0;
  return first === true ? 1 : 2;
}

/** The outcome of a request, and its text in the idempotency record. */
import {
  createRedactor,
  describe,
  type Extras,
  type Fault,
  type FaultCode,
  faultOf,
  isScalar,
  maskAllButLast4,
  membersIn,
  type ObjectSchema,
  type Operation,
  Problem,
  type ProblemKind,
  type ProblemType,
  partsIn,
  problemsOf,
  type Redact,
  refusalOfUpstream,
  type ScalarSchema,
  type Service,
  upstreamRefusal,
} from '../contract/index.ts';
import { memoizeWeakly } from '../lib/index.ts';
import { bytesBehind, withBytes } from '../spool/index.ts';
import { SealBroken } from '../vault/index.ts';
import type { OwnedRecord, SealedPlace } from './ports.ts';

/** Canonical, so that it can be encoded in any format. */
export interface Outcome {
  /** The reference of the request that had the effect. */
  readonly requestReference: string;
  /** Absent where the request was refused. */
  readonly output?: unknown;
  readonly problem?: Problem;
  /** Members of the answer of another server that the contract does not have. */
  readonly extras?: Extras;
}

/** Stored rows have the reference of the request under this name. */
type Written = {
  readonly requestReference: string;
  readonly output?: unknown;
  readonly extras?: Extras;
  readonly problem?: WrittenProblem;
};

/** `kind`: of a refusal that no contract describes. */
interface WrittenProblem {
  readonly name: string;
  readonly message: string;
  /** Where it is another one than that of the kind. */
  readonly status?: number;
  /** The data of a declared fault. */
  readonly fault?: unknown;
  /** The elements of a fault that the operation does not declare. */
  readonly detail?: readonly string[];
  /** Of a fault of another SOAP server. */
  readonly faultCode?: FaultCode;
  readonly kind?: {
    readonly status: number;
    readonly code: string;
    readonly type: string;
    readonly isUncoded?: true;
    readonly details?: ProblemType;
  };
}

/** Only a refusal by the domain is stored: 422 without field issues. A request with such issues may be corrected. */
export function isStorableProblem(thrown: unknown): thrown is Problem {
  return thrown instanceof Problem && thrown.status === 422 && thrown.issues.length === 0;
}

/** Without what is shown only once: a retry is answered without it. */
export function serializeOutcome({ requestReference, output, extras, problem }: Outcome, operation: Operation): string {
  const further = membersIn(extras);
  return JSON.stringify({
    requestReference,
    ...(problem === undefined
      ? { output: redactOutput(operation, output), ...(further !== undefined && { extras: further }) }
      : { problem: writeProblem(problem, operation) }),
  } satisfies Written);
}

/** No JSON text begins so. */
const sealedPrefix = 'sealed:';

/**
 * The text as it is stored: sealed where the output has what the contract calls sensitive, or members of which it says nothing, or
 * where all of them are.
 */
export function sealOutcome(
  outcome: Outcome,
  operation: Operation,
  { recordKey, hasher }: OwnedRecord,
  text = serializeOutcome(outcome, operation),
): string {
  const isSealed =
    hasher.sealsAll || keepsSensitive(operation, outcome.problem) || membersIn(outcome.extras) !== undefined;
  return isSealed ? sealedPrefix + hasher.seal(text, placeOf(recordKey, operation.name)) : text;
}

/** Of values in files that an outcome has when it is stored. */
const storedBytesMax = 16_777_216;

/** As `sealOutcome`, for an outcome with values in files. Of one that is too large, it is stored that its answer is. */
export async function sealLargeOutcome(outcome: Outcome, operation: Operation, record: OwnedRecord): Promise<string> {
  const text = serializeOutcome(outcome, operation);
  // The effect is there, whether its answer can be read again or not.
  const whole = bytesBehind(text) <= storedBytesMax ? await withBytes(text).catch(() => undefined) : undefined;
  if (whole !== undefined) return sealOutcome(outcome, operation, record, whole);
  const { requestReference } = outcome;
  const limit = `retries get no more than ${storedBytesMax} bytes`;
  const problem = new Problem('answerTooLarge', `${describe('answerTooLarge')} (${limit})`);
  return sealOutcome({ requestReference, problem }, operation, record);
}

/** The text that was sealed, or one that was not, where not all are. Throws `SealBroken`, also for the outcome of another record or operation. */
export function openOutcome(stored: string, operation: string, { recordKey, hasher }: OwnedRecord): string {
  if (stored.startsWith(sealedPrefix))
    return hasher.open(stored.slice(sealedPrefix.length), placeOf(recordKey, operation));
  if (hasher.sealsAll) throw new SealBroken('an outcome is not sealed');
  return stored;
}

function placeOf(record: string, operation: string): SealedPlace {
  return { part: 'outcome', record, operation };
}

/** Throws a TypeError for a text that `serializeOutcome` did not create. */
export function parseOutcome(text: string, service: Service): Outcome {
  const written = JSON.parse(text) as Written;
  const { requestReference, output, extras, problem } = written;
  if (typeof requestReference !== 'string' || !isReference(requestReference))
    throw new TypeError('the outcome has no reference of a request');
  if (problem === undefined) {
    if (typeof output !== 'object' || output === null)
      throw new TypeError('the outcome has neither output nor problem');
    return { requestReference, output, ...(extras !== undefined && { extras }) };
  }
  const { message, fault, detail, faultCode } = problem;
  return { requestReference, problem: new Problem(kindOf(problem, service), message, { fault, detail, faultCode }) };
}

/** Whether a text may be the reference of a request: another server chooses its own. It becomes a header. */
export function isReference(text: string): boolean {
  return /^[\x21-\x7e]{1,100}$/.test(text);
}

function writeProblem(problem: Problem, operation: Operation): WrittenProblem {
  const { problem: name, message, kind, fault, detail, faultCode } = problem;
  const declared = faultOf(operation, kind);
  const undeclared = { ...(detail !== undefined && { detail }), ...(faultCode !== undefined && { faultCode }) };
  if (name !== upstreamRefusal)
    return {
      name,
      message,
      ...undeclared,
      ...(declared !== undefined && declared.problem.status !== kind.status && { status: kind.status }),
      ...(declared !== undefined && fault !== undefined && { fault: redactFault(declared, fault) }),
    };
  const { status, code, type, isUncoded, details } = kind;
  const own = { status, code, type, ...(isUncoded && { isUncoded }), ...(details !== undefined && { details }) };
  return { name, message, ...undeclared, kind: own };
}

function kindOf({ name, kind: written, status }: WrittenProblem, service: Service): ProblemKind {
  const kind = written === undefined ? problemsOf(service).get(name) : refusalOfUpstream(written);
  if (kind === undefined) throw new TypeError(`${service.name} has no problem ${name}`);
  return status === undefined ? kind : Object.freeze({ ...kind, status });
}

const redact = createRedactor(redactionOf);

/** The output as a retry receives it: without security codes, and with masked card numbers. */
export function redactOutput({ output: schema }: Operation, output: unknown): unknown {
  return redact(schema, output);
}

/** The data of a fault, redacted in the same way. */
function redactFault({ detail }: Fault, value: unknown): unknown {
  return redact(detail, value);
}

/** Whether the redacted output, or the data of the refusal, may still have what the contract calls sensitive. */
function keepsSensitive(operation: Operation, refusal?: Problem): boolean {
  if (refusal === undefined) return holdsSensitive(operation.output);
  // Nothing says what another server writes there.
  if (refusal.detail !== undefined) return true;
  const detail = refusal.fault === undefined ? undefined : faultOf(operation, refusal.kind)?.detail;
  return detail !== undefined && holdsSensitive(detail);
}

const holdsSensitive = memoizeWeakly((message: ObjectSchema): boolean =>
  partsIn(message).some(
    ({ schema }) =>
      isScalar(schema) && 'sensitive' in schema && schema.sensitive === true && redactionOf(schema) === undefined,
  ),
);

function redactionOf(schema: ScalarSchema): Redact | undefined {
  if (schema.kind !== 'string') return undefined;
  if (schema.neverStored) return () => undefined;
  return schema.storeAs === 'last4' ? (value) => maskAllButLast4(String(value)) : undefined;
}

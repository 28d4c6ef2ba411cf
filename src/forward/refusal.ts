/** Makes Problems of an upstream's refusals, in its own words. */

import {
  type Issue,
  kindOf,
  type Operation,
  Problem,
  type ProblemKind,
  problems,
  problemsOf,
  refusalOfUpstream,
  type Service,
  upstreamRefusal,
} from '../core/contract/index.ts';
import { defaultType, type Refusal, type Reply } from '../core/formats/index.ts';
import { isReference, mayBeSentAgain } from '../core/idempotency/index.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** `headers`: of the reply. */
type ToProblem = (refusal: Refusal, headers: Reply['headers']) => Problem;

/** Compiles the refusals of one operation. A kind of the contract is recognized by its status, code and type. */
export function compileRefusals(service: Service, operation: Operation): ToProblem {
  const declared = operation.problems.map(kindOf);
  const kinds = [...new Set([...declared, ...problemsOf(service).values()])].filter(isOfOperations);
  return (refusal, headers) => {
    const kind = declaredFault(refusal) ?? knownKind(refusal, declared, kinds) ?? kindIn(refusal);
    const { status, message, requestReference } = refusal;
    const issues = refusal.issues.map((each): Issue => ({ ...each, kind }));
    const wait = retryAfterSeconds(headers['retry-after']);
    // A refusal that the contract knows by its code has the words of the contract.
    const isInOwnWords = kind.name === upstreamRefusal || refusal.fault !== undefined;
    const problem = new Problem(kind, message, {
      issues,
      headers: passedHeaders(headers, wait),
      ...(wait !== undefined && { retryAfterSeconds: wait }),
      ...(requestReference !== undefined && isReference(requestReference) && { requestReference }),
      ...(refusal.fault?.value !== undefined && { fault: refusal.fault.value }),
      ...(refusal.sent !== undefined && { sent: refusal.sent }),
      detail: refusal.detail,
      ...(isInOwnWords && { faultCode: refusal.faultCode }),
    });
    return status === 429 ? mayBeSentAgain(problem) : problem;
  };
}

/** The problem of a declared fault, with the status of its class. */
function declaredFault({ fault, status }: Refusal): ProblemKind | undefined {
  if (fault === undefined) return undefined;
  return fault.problem.status === status ? fault.problem : Object.freeze({ ...fault.problem, status });
}

/** In a header of a response. Node refuses to write control characters. */
const visible = /^[\t\x20-\x7e]+$/;

/** What a refused client needs besides the body. */
function passedHeaders(
  { 'www-authenticate': challenge }: Reply['headers'],
  wait: number | undefined,
): Readonly<Record<string, string>> {
  return {
    ...(wait !== undefined && { 'Retry-After': String(wait) }),
    ...(challenge !== undefined && visible.test(challenge) && { 'WWW-Authenticate': challenge }),
  };
}

/** Refusals before an operation have no code, and `overloaded` is of this gateway's own load. */
function isOfOperations(kind: ProblemKind): boolean {
  return kind.code !== '000' && kind !== problems.overloaded;
}

/** Where several kinds have the code, the text decides: they differ in what they promise about retries. */
function knownKind(
  refusal: Refusal,
  declared: readonly ProblemKind[],
  kinds: readonly ProblemKind[],
): ProblemKind | undefined {
  const isMeant = ({ status, code, type }: ProblemKind): boolean =>
    code === refusal.code &&
    (refusal.type === undefined || type === refusal.type) &&
    (status === refusal.status || refusal.isStatusImplied === true);
  const found = declared.filter(isMeant);
  if (found.length === 1) return found[0];
  const all = kinds.filter(isMeant);
  return all.length === 1 ? all[0] : all.find(({ message }) => message === refusal.message);
}

function kindIn({ status, code, type, details }: Refusal): ProblemKind {
  if (status === 401 && code === undefined) return problems.unauthorized;
  return refusalOfUpstream({
    status,
    code: code ?? '000',
    type: type ?? defaultType(status),
    ...(code === undefined && { isUncoded: true }),
    // Clients of every format recognize a wrong credential and a limit by their status.
    ...((status === 401 || status === 429) && { keepsStatus: true }),
    ...(details !== undefined && { details }),
  });
}

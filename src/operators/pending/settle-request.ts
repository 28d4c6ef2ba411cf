/** Settles a request to another server whose outcome is unknown. `triglyph pending settle` and the console do it. */

import {
  type CallerIdentity,
  dotted,
  type Operation,
  Problem,
  problemsOf,
  refusalOfUpstream,
  type Service,
} from '../../core/contract/index.ts';
import { createProtocols } from '../../core/formats/index.ts';
import { type Outcome, type RequestHasher, sealOutcome } from '../../core/idempotency/index.ts';
import { memoizeWeakly } from '../../core/lib/index.ts';
import type { UnsettledRequest, UnsettledRequests } from '../../stores/index.ts';
import { refuse } from '../operator.ts';
import { pendingProblems } from './contract.ts';

/** What became of a request, as the operator has found out at the other server. */
export interface Settlement {
  readonly result: keyof typeof consequences;
  /** For `done`: JSON text; needed for a request with a key. */
  readonly output?: string | undefined;
  /** For `refused`. */
  readonly code?: string | undefined;
  /** For `refused`; that of the contract where it is absent. */
  readonly message?: string | undefined;
}

/** What a retry gets, by what became of the request. */
const consequences = {
  done: 'A retry gets the output.',
  notDone: 'A retry is executed.',
  refused: 'A retry gets the refusal.',
} as const;

/** Refuses to settle a request so; nothing was changed. The first line says what is wrong, and the others where. */
export function refuseSettlement(...lines: readonly string[]): never {
  return refuse(lines.join('\n'), pendingProblems.notSettled);
}

interface SettlementParts {
  readonly unsettled: Pick<UnsettledRequests, 'find' | 'settle'>;
  readonly requestHasher: RequestHasher;
  /** Those that this program serves. */
  readonly services: readonly Service[];
}

/** Returns what a retry gets. Throws notSettled. */
export async function settleRequest(parts: SettlementParts, id: string, settlement: Settlement): Promise<string> {
  const { unsettled } = parts;
  const request = await unsettled.find(id);
  if (request === undefined)
    refuseSettlement(`no request with the id ${id} is pending: it was answered or settled, or never was`);
  if (request.state === 'inFlight')
    refuseSettlement(`a process may still wait for the answer to ${id}: settle it when its time has passed`);
  const { result, code } = settlement;
  if (result === 'refused' && code === undefined) refuseSettlement('a request that was refused needs the code');
  const isFreed = result === 'notDone' || request.recordKey === undefined;
  const outcome = isFreed ? undefined : outcomeText(request, parts, settlement);
  if (!(await unsettled.settle(id, outcome)))
    refuseSettlement(`the answer to ${id} has arrived, or it was settled meanwhile: nothing was changed`);
  return request.recordKey === undefined ? 'It had no key, so no retry of it can be known.' : consequences[result];
}

/** During a rotation of the index key, a record may be stored under either key. */
export function recordKeysOf(
  hasher: RequestHasher,
  caller: Pick<CallerIdentity, 'tenant' | 'partition'>,
  key: string,
): readonly string[] {
  const own = hasher.recordKey(caller, key);
  return hasher.other === undefined ? [own] : [own, hasher.other.recordKey(caller, key)];
}

function outcomeText(
  request: UnsettledRequest,
  { services, requestHasher }: SettlementParts,
  settlement: Settlement,
): string {
  const {
    id: requestReference,
    recordKey = requestReference,
    service: serviceName,
    operation: operationName,
  } = request;
  const service = services.findLast(({ name }) => name === serviceName);
  const operation = service?.operations.get(operationName);
  if (service === undefined || operation === undefined)
    refuseSettlement(`this program does not serve ${serviceName}.${operationName}: name its configuration file`);
  const outcome: Outcome =
    settlement.result === 'done'
      ? { requestReference, output: readOutput(service, operation, settlement.output) }
      : { requestReference, problem: problemOf(service, settlement) };
  return sealOutcome(outcome, operation, { recordKey, hasher: requestHasher });
}

function readOutput(service: Service, operation: Operation, text: string | undefined): unknown {
  if (text === undefined) refuseSettlement('a request that was done needs the output: a retry gets it');
  const { json, rest } = protocolsFor(service);
  const { value, issues } = decode(text, operation, operation.http === undefined ? json : rest);
  if (issues.length > 0)
    refuseSettlement(
      `the output breaks the contract of ${service.name}.${operation.name}:`,
      ...issues.map(({ path, message }) => `  ${dotted(path)}: ${message}`),
    );
  return value;
}

/** A file may have thousands of outputs of one service. */
const protocolsFor = memoizeWeakly((service: Service) => createProtocols([service]));

function decode(text: string, operation: Operation, protocol: ReturnType<typeof createProtocols>['json']) {
  try {
    return protocol.decodeResponse(operation, text);
  } catch (thrown) {
    if (thrown instanceof Problem) refuseSettlement(`the output is no JSON object: ${thrown.message}`);
    throw thrown;
  }
}

/** The problem of the contract with this code, or one that the contract does not know. */
function problemOf(service: Service, { code = '', message }: Settlement): Problem {
  const kinds = [...problemsOf(service).values()].filter((kind) => kind.status === 422 && kind.code === code);
  const [kind] = kinds;
  if (kind !== undefined) return new Problem(kind, message);
  if (message === undefined) refuseSettlement(`the contract has no refusal ${code}: give its text`);
  return new Problem(refusalOfUpstream({ status: 422, code, type: 'validation' }), message);
}

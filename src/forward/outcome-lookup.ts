/** Asks an upstream, by an operation that reads, what became of a write (decision 0154). */

import { type AnyRequest, type Operation, Problem, type Service } from '../core/contract/index.ts';
import type { Protocols } from '../core/formats/index.ts';
import { isRefusal, type LookedUp, type OutcomeLookup, type RemoteHandler } from '../core/idempotency/index.ts';
import { valueAt } from '../core/lib/index.ts';
import { hasToken } from '../core/spool/index.ts';

type Path = readonly string[];
type Scalar = string | number | boolean;

/** What stands at a path. */
export interface ValueAt<T> {
  readonly at: Path;
  readonly value: T;
}

/** A member of a message, or a constant. */
export type MemberOrConstant = { readonly path: Path } | { readonly value: string | boolean };

/** Where a value of the question comes from: the key of the write, or the write itself. */
export type LookupSource = 'key' | MemberOrConstant;

/** How one operation is asked about. Paths fit the contracts. */
export interface LookupPlan {
  readonly lookupService: Service;
  readonly lookupOperation: Operation;
  readonly input: readonly ValueAt<LookupSource>[];
  /** What was found must have these values, or it is another request's. */
  readonly same: readonly ValueAt<LookupSource>[];
  /** Where the answer has what was found: an object, or a list of them. */
  readonly found: Path;
  /** What was found must have one of these values, or the write is not done yet. */
  readonly done: readonly ValueAt<readonly Scalar[]>[];
  /** The output of the write; members are those of what was found. */
  readonly output: readonly ValueAt<MemberOrConstant>[];
  /** Statuses and codes of refusals which say that there is no such request. */
  readonly notFound: readonly (string | number)[];
  readonly arrivesWithinMs: number | undefined;
}

interface LookupParts {
  readonly service: Service;
  /** The write. */
  readonly operation: Operation;
  readonly plan: LookupPlan;
  /** Of the operation that is asked. */
  readonly handler: RemoteHandler<unknown>;
  readonly protocols: Pick<Protocols, 'json' | 'rest'>;
  readonly sendsKey: boolean;
  readonly needsCaller: boolean;
}

interface Question {
  readonly input: AnyRequest['input'];
  readonly same: readonly ValueAt<Scalar>[];
}

export function createOutcomeLookup<C>(parts: LookupParts): OutcomeLookup<C> {
  const { plan, handler, operation, protocols, sendsKey, needsCaller } = parts;
  const { lookupService, lookupOperation } = plan;
  const protocol = operation.http === undefined ? protocols.json : protocols.rest;

  /** Returns undefined for an output that breaks the contract. */
  function outputOf(found: unknown): unknown {
    const output: Record<string, unknown> = {};
    for (const { at, value: source } of plan.output) {
      const picked = 'value' in source ? source.value : valueAt(found, source.path);
      if (picked !== undefined && picked !== null) setAt(output, at, picked);
    }
    const { value, issues } = protocol.decodeResponse(operation, protocol.encode(operation, output).body);
    return issues.length === 0 ? value : undefined;
  }

  function read(answer: unknown, same: Question['same']): LookedUp {
    const there = valueAt(answer, plan.found);
    const [found, ...others]: readonly unknown[] = Array.isArray(there) ? there : [there];
    if (found === undefined || found === null) return { kind: 'notFound' };
    // Two effects, or a look-up that ignores what it is asked.
    if (others.length > 0) return unknown('several');
    if (same.some(({ at, value }) => valueAt(found, at) !== value)) return unknown('another');
    if (plan.done.some(({ at, value }) => !value.includes(valueAt(found, at) as Scalar))) return unknown('notDone');
    const output = outputOf(found);
    return output === undefined ? unknown('contract') : { kind: 'done', output };
  }

  return Object.freeze<OutcomeLookup<C>>({
    sendsKey,
    needsCaller,
    arrivesWithinMs: plan.arrivesWithinMs,
    questionOf(request, key) {
      const input: Record<string, unknown> = {};
      for (const { at, value: source } of plan.input) {
        const value = readSource(source, request, key);
        if (value === undefined) return undefined;
        setAt(input, at, value);
      }
      const same = plan.same.map(({ at, value: source }) => ({ at, value: readSource(source, request, key) }));
      return same.some(({ value }) => value === undefined) ? undefined : JSON.stringify({ input, same });
    },
    async ask(text, { caller, requestReference, head }, context) {
      try {
        const { input, same } = JSON.parse(text) as Question;
        // Without the body of the write. What is stored is in memory.
        const { sent: _, spool: __, ...others } = head ?? { headers: {} };
        const request = { service: lookupService, operation: lookupOperation, input, caller, requestReference };
        const answer = await handler.forward({ ...request, head: others }, context, undefined);
        return read(answer.output, same);
      } catch (thrown) {
        if (isNotFound(thrown, plan.notFound)) return { kind: 'notFound' };
        return unknown(thrown instanceof Problem ? thrown.problem : thrown instanceof Error ? thrown.name : 'failed');
      }
    },
  });
}

function unknown(reason: string): LookedUp {
  return { kind: 'unknown', reason };
}

/** Only in the words of the upstream itself. */
function isNotFound(thrown: unknown, known: LookupPlan['notFound']): boolean {
  return isRefusal(thrown) && known.some((each) => each === thrown.status || each === thrown.code);
}

function readSource(source: LookupSource, { input }: AnyRequest, key: string | undefined): Scalar | undefined {
  if (source === 'key') return key;
  if ('value' in source) return source.value;
  const value = valueAt(input, source.path);
  if (typeof value === 'string' && hasToken(value)) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function setAt(target: Record<string, unknown>, [step = '', ...below]: Path, value: unknown): void {
  if (below.length === 0) {
    target[step] = value;
    return;
  }
  const inner = (target[step] ?? {}) as Record<string, unknown>;
  target[step] = inner;
  setAt(inner, below, value);
}

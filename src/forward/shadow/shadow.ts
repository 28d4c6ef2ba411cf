/**
 * A second server next to an upstream: it gets copies of requests, and its answers are compared with those that callers got. A share of
 * the requests may be switched to it; the first server then gets the copies.
 */
import { hash, randomUUID } from 'node:crypto';
import {
  type AnyRequest,
  type Extras,
  type MaskSecrets,
  maskSensitive,
  type Operation,
  Problem,
  problems,
  type RequestHead,
} from '../../core/contract/index.ts';
import {
  ApplicationError,
  isRefusal,
  NotSent,
  type RemoteAnswer,
  type RemoteHandler,
} from '../../core/idempotency/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import { type ComparedAnswer, compareAnswers } from '../compare/compare-answers.ts';
import { type Difference, IdPairs } from '../compare/compare-values.ts';
import type { Rules } from '../compare/rules.ts';
import { answerOfThrown } from '../compared-answer.ts';
import { failureIn } from '../failure.ts';
import { namesIn, type Side } from './compare-copy.ts';
import type { Copy, SendCopy } from './copy-messages.ts';
import { CopyQueue } from './copy-queue.ts';
import type { RollbackBound, SwitchOutcome } from './rollback.ts';
import { configuredShare, findShare, isWithin, operationName, type Share, type ShareOptions } from './shares.ts';
import { type Admission, admissionMsMax, type ChangeCounts, SwitchGuard } from './switch-guard.ts';

export interface ShadowOptions extends ShareOptions {
  /** Whether a switch decides by caller, or by the Idempotency-Key or reference of each request. */
  readonly spread: 'caller' | 'request';
  /** Whether writing requests are copied: the shadow is a sandbox then, and is never switched to for them. */
  readonly copiesWrites: boolean;
  /** Whether the shadow may answer callers at all. */
  readonly mayAnswer: boolean;
  /** Whether the shadow receives the credentials of callers. */
  readonly getsCredentials: boolean;
  /** Whether the shadow receives what is sensitive by the contract. */
  readonly getsSecrets: boolean;
  readonly rollback: RollbackBound;
  readonly concurrency: number;
  readonly queueMax: number;
  readonly bytesMax: number;
  /** Percent of one processor that sending and comparing copies may use. */
  readonly cpuPercent: number;
}

export type ShadowEvent = { readonly operation: string } & (
  | { readonly kind: 'copied' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'failed'; readonly reason: string }
  | (ComparedCopy & { readonly kind: 'compared' })
);

export interface ComparedCopy {
  readonly operation: string;
  readonly caller: string;
  readonly reference: string;
  /** When it was answered: milliseconds since the epoch. */
  readonly at: number;
  /** The left values are those of the current server. Secrets are masked. */
  readonly differences: readonly Difference[];
}

interface ShadowParts {
  readonly clock: Clock;
  readonly mask: MaskSecrets;
  readonly rulesOf: (operation: string) => Rules;
  /** The shares that operators have set, now. */
  readonly shares: () => readonly Share[];
  readonly sendCopy: SendCopy;
  /** Whether copies have used less than their share of the processor. */
  readonly mayCopy: () => boolean;
  /** Returns whether a compared answer differs in what is not accepted; false for other events. */
  readonly report: (event: ShadowEvent) => boolean;
  readonly changeCounts: ChangeCounts;
  /** Called once after each `restart`, when the bound is exceeded. */
  readonly rollBack: (why: string) => void;
}

export class Shadow {
  readonly #options: ShadowOptions;
  readonly #parts: ShadowParts;
  readonly #queue: CopyQueue<Copy>;
  readonly #guard: SwitchGuard;
  readonly #ids = new IdPairs();
  /** Copies of requests whose answers are not written yet, by the headers of their requests. */
  readonly #unanswered = new WeakMap<RequestHead['headers'], Copy>();
  /** Requests that the shadow did not answer, until the upstream has. */
  readonly #unsettled = new WeakMap<Error, Admission>();
  #isRollingBack = false;

  constructor(options: ShadowOptions, parts: ShadowParts) {
    this.#options = options;
    this.#parts = parts;
    this.#guard = new SwitchGuard(options.rollback, parts.clock, parts.changeCounts, (why) => this.#rollBack(why));
    this.#queue = new CopyQueue({ ...options, send: (copy) => this.#send(copy) });
  }

  get state() {
    return this.#queue.state;
  }

  /** Returns the handler of an operation that both servers can answer. */
  handler<C>(operation: Operation, current: RemoteHandler<C>, shadow: RemoteHandler<C>): RemoteHandler<C> {
    const mayAnswer = this.#mayAnswer(operation);
    const sides = { current: this.#observeCurrent(current, mayAnswer), shadow: this.#observeShadow(shadow) };
    const switched = this.#guardShadow(sides.shadow, sides.current);
    return Object.freeze<RemoteHandler<C>>({
      ...sides.current,
      sides: {
        deduplicates: current.deduplicates || (mayAnswer && shadow.deduplicates),
        choose: (request) => (mayAnswer && this.#isSwitched(request) ? switched : sides.current),
        named: (upstream) => Object.values(sides).find((each) => each.upstream === upstream),
      },
    });
  }

  /** The answer of a request is written: its copy may be sent. `bytes`: of the request and its answer. */
  answered(headers: RequestHead['headers'], bytes: number): void {
    const copy = this.#unanswered.get(headers);
    if (copy === undefined) return;
    this.#unanswered.delete(headers);
    const operation = operationName(copy.request);
    this.#parts.report({ kind: this.#queue.add(copy, bytes) ? 'copied' : 'dropped', operation });
  }

  /** The shares have changed: what was counted before says nothing of them. */
  restart(): void {
    this.#isRollingBack = false;
    this.#guard.restart();
  }

  /** Tells the store what was counted. Rejects where it does not answer. */
  flush(): Promise<void> {
    return this.#guard.flush();
  }

  /** Drops the copies that wait, and lets those on the way end. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  /** A sandbox has no effect that callers may rely on. */
  #mayAnswer({ effect }: Operation): boolean {
    const { mayAnswer, copiesWrites } = this.#options;
    return mayAnswer && !(copiesWrites && effect === 'writes');
  }

  #isSwitched(request: AnyRequest): boolean {
    if (this.#isRollingBack) return false;
    const { credential } = request.caller;
    const percent = this.#share('answered', request) ?? 0;
    const spread = this.#options.spread === 'caller' ? '' : (request.key ?? request.requestReference);
    return isWithin(percent, `answered ${credential} ${spread}`);
  }

  #isCopied(request: AnyRequest): boolean {
    const of = { operation: operationName(request), caller: request.caller.credential };
    const percent = this.#share('copied', request) ?? configuredShare(this.#options, of);
    return isWithin(percent, `copied ${request.requestReference}`);
  }

  #share(kind: 'copied' | 'answered', request: AnyRequest): number | undefined {
    const shares = this.#parts.shares();
    if (shares.length === 0) return undefined;
    return findShare(shares, kind, { operation: operationName(request), caller: request.caller.credential });
  }

  /** Copies what the upstream answers, and counts how often it refuses. */
  #observeCurrent<C>(handler: RemoteHandler<C>, mayAnswer: boolean): RemoteHandler<C> {
    return Object.freeze<RemoteHandler<C>>({
      ...handler,
      forward: async (request, context, key) => {
        const name = operationName(request);
        try {
          const answer = await handler.forward(request, context, key);
          if (mayAnswer) this.#guard.count(name, 'currentAnswered');
          this.#offer('current', request, key, { output: answer.output }, answer.extras);
          return answer;
        } catch (thrown) {
          const answer = answerOfThrown(thrown);
          if (mayAnswer && !(thrown instanceof NotSent)) this.#guard.count(name, 'currentBad');
          // Copies for callers that are not let in would be requests of anybody.
          if (!('failure' in answer) && !isRefusedCaller(thrown)) this.#offer('current', request, key, answer);
          throw thrown;
        }
      },
    });
  }

  /** Copies what the shadow answers to reads. */
  #observeShadow<C>(handler: RemoteHandler<C>): RemoteHandler<C> {
    return Object.freeze<RemoteHandler<C>>({
      ...handler,
      forward: async (request, context, key) => {
        const answer = await handler.forward(this.#forShadow(request), context, key);
        this.#offer('shadow', request, key, { output: answer.output }, answer.extras);
        return answer;
      },
    });
  }

  /** The shadow for requests that it is the first to get: what it does not answer counts, and the upstream answers what it may. */
  #guardShadow<C>(shadow: RemoteHandler<C>, current: RemoteHandler<C>): RemoteHandler<C> {
    return Object.freeze<RemoteHandler<C>>({
      ...shadow,
      msMax: shadow.msMax + admissionMsMax,
      forward: async (request, context, key) => {
        const name = operationName(request);
        const admission = await this.#guard.admit(name);
        try {
          if (admission === 'denied') throw new NotSent('the shadow must prove first that it answers');
          const answer = await shadow.forward(request, context, key);
          await this.#guard.settle(name, 'answered', admission);
          return answer;
        } catch (thrown) {
          if (thrown instanceof Error && mayAskUpstream(request, thrown)) this.#unsettled.set(thrown, admission);
          else await this.#guard.settle(name, isAnyRefusal(thrown) ? 'refused' : 'failed', admission);
          throw thrown;
        }
      },
      instead: (thrown) => {
        const admission = thrown instanceof Error ? this.#unsettled.get(thrown) : undefined;
        if (admission === undefined) return undefined;
        return Object.freeze<RemoteHandler<C>>({
          ...current,
          forward: (...parameters) => this.#askUpstream(current, parameters, thrown, admission),
        });
      },
    });
  }

  /** Returns the answer of the upstream to a request that the shadow did not answer. A refusal by both is one by the shadow. */
  async #askUpstream<C>(
    { forward }: RemoteHandler<C>,
    parameters: Parameters<RemoteHandler<C>['forward']>,
    thrown: unknown,
    admission: Admission,
  ): Promise<RemoteAnswer> {
    const [request] = parameters;
    const [ended] = await Promise.allSettled([forward(...parameters)]);
    const outcome = this.#judge(request, thrown, ended);
    await this.#guard.settle(operationName(request), outcome, admission);
    // The effect of a write is that of its answer.
    if (outcome === 'answered' && request.operation.effect === 'reads') throw thrown;
    if (ended.status === 'rejected') throw ended.reason;
    return ended.value;
  }

  /** Returns what it says of the shadow that it did not answer, by the answer of the upstream. */
  #judge(request: AnyRequest, thrown: unknown, current: PromiseSettledResult<RemoteAnswer>): SwitchOutcome {
    const isRejected = current.status === 'rejected';
    const left = isRejected ? answerOfThrown(current.reason) : { output: current.value.output };
    // Neither lets the caller in, or neither answers.
    if ('failure' in left || (isRejected && isRefusedCaller(current.reason) && isRefusedCaller(thrown)))
      return 'unproven';
    const right = answerOfThrown(thrown);
    if ('failure' in right || !isAnyRefusal(thrown)) return 'failed';
    const differs = this.#reportOutcome(request, left, right);
    return (left.refusal !== undefined && !isRefusedCaller(thrown)) || !differs ? 'answered' : 'failed';
  }

  /** Returns whether the answers to a request of a caller differ in what is not accepted. */
  #reportOutcome(request: AnyRequest, left: ComparedAnswer, right: ComparedAnswer): boolean {
    const { operation, requestReference: reference, caller } = request;
    const { rulesOf, mask, report, clock } = this.#parts;
    const differences = compareAnswers(operation, left, right, rulesOf(operation.name), this.#ids, mask);
    const compared = { operation: operationName(request), caller: caller.credential, reference, at: clock.now() };
    const differs = report({ kind: 'compared', ...compared, differences });
    this.#guard.count(compared.operation, differs ? 'differing' : 'same');
    return differs;
  }

  #offer(side: Side, request: AnyRequest, key: string | undefined, answer: ComparedAnswer, extras?: Extras): void {
    const { operation, head } = request;
    const isWrite = operation.effect === 'writes';
    // A write is copied to a sandbox, and never to the server that callers rely on.
    if (head === undefined || (isWrite && (!this.#options.copiesWrites || side === 'shadow'))) return;
    if (!this.#isCopied(request)) return;
    const { spool, ...kept } = head;
    // The files of large values are removed when the request is answered, before its copy is sent.
    const isInFiles = spool?.isUsed === true;
    if (isInFiles || !this.#parts.mayCopy()) {
      this.#parts.report({ kind: 'dropped', operation: operationName(request) });
      return;
    }
    const copied = spool === undefined ? request : { ...request, head: kept };
    const to: Side = side === 'current' ? 'shadow' : 'current';
    this.#unanswered.set(head.headers, {
      request: to === 'shadow' ? this.#forCopy(copied) : copied,
      to,
      key: isWrite ? copyKey(key) : undefined,
      answer: { ...answer, extras: namesIn(extras) },
      at: this.#parts.clock.now(),
    });
  }

  /** Leaves out what may hold a credential of the caller, unless the shadow gets it. */
  #forShadow(request: AnyRequest): AnyRequest {
    const { head } = request;
    if (head === undefined || this.#options.getsCredentials) return request;
    const { sent: _, query: __, token: ___, ...rest } = head;
    return { ...request, head: rest };
  }

  /** Masks what is sensitive in a copy, unless the shadow gets it. A request that the shadow answers has what the caller sent. */
  #forCopy(given: AnyRequest): AnyRequest {
    const request = this.#forShadow(given);
    if (this.#options.getsSecrets) return request;
    return { ...request, input: maskSensitive(request.operation.input, request.input) } as AnyRequest;
  }

  /** Sends a copy, and reports what its answer differs in. Never rejects. */
  async #send(copy: Copy): Promise<void> {
    const { request, to, at } = copy;
    const { report, sendCopy } = this.#parts;
    const operation = operationName(request);
    const result = await sendCopy(copy);
    if (result.kind === 'failed') {
      report({ ...result, operation });
      return;
    }
    const { credential: caller } = request.caller;
    const differs = report({ ...result, operation, caller, reference: request.requestReference, at });
    if (to === 'current') this.#guard.count(operation, differs ? 'differing' : 'same');
  }

  #rollBack(why: string): void {
    if (this.#isRollingBack || !this.#parts.shares().some(({ answered = 0 }) => answered > 0)) return;
    this.#isRollingBack = true;
    this.#parts.rollBack(why);
  }
}

/** An error of the application itself, which the upstream may answer as well, and not what became of an answer that callers cannot get. */
function isAnyRefusal(thrown: unknown): boolean {
  if (thrown instanceof ApplicationError) return true;
  return (
    thrown instanceof Problem &&
    isRefusal(thrown) &&
    thrown.kind.transient !== true &&
    thrown.kind !== problems.unknownMembers &&
    failureIn(thrown) === undefined
  );
}

/**
 * Whether the upstream may answer what the shadow did not: any read, and a write that the shadow was not sent, or that it did not let in. A
 * refusal of a write that it let in is its answer.
 */
function mayAskUpstream({ operation }: AnyRequest, thrown: Error): boolean {
  if (operation.effect === 'reads' || thrown instanceof NotSent || isRefusedCaller(thrown)) return true;
  return isRefusal(thrown) && failureIn(thrown)?.progress === 'notDone';
}

/** The shadow has the effect of a request and its retries once, and never under a key of the other server. */
function copyKey(key: string | undefined): string {
  return key === undefined ? randomUUID() : hash('sha256', `copy ${key}`, 'base64url');
}

function isRefusedCaller(thrown: unknown): boolean {
  return thrown instanceof Problem && (thrown.kind.status === 401 || thrown.kind.status === 403);
}

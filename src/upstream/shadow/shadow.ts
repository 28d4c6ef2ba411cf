/**
 * A second server next to an upstream: it gets copies of requests, and its answers are compared with those that callers got. A share of
 * the requests may be switched to it; the first server then gets the copies.
 */
import { hash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type ComparedAnswer, compareAnswers } from '../../compare/compare-answers.ts';
import { type Difference, IdPairs } from '../../compare/compare-values.ts';
import type { Rules } from '../../compare/rules.ts';
import type { AnyRequest, RequestHead } from '../../contract/canonical.ts';
import type { Extras } from '../../contract/extras.ts';
import type { Operation } from '../../contract/operation.ts';
import { Problem } from '../../contract/problem.ts';
import { type MaskSecrets, maskSensitive } from '../../contract/redaction.ts';
import type { Service } from '../../contract/service.ts';
import type { RemoteHandler } from '../../idempotency/ports.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';
import { answerOfThrown } from '../compared-answer.ts';
import { CopyQueue } from './copy-queue.ts';
import { type RollbackBound, RollbackWindow, type SwitchEvent } from './rollback.ts';
import { configuredShare, findShare, isWithin, operationName, type Share, type ShareOptions } from './shares.ts';

/** `current`: the upstream. `shadow`: the server next to it. */
export type Side = 'current' | 'shadow';

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
  /** Whether rules pair the references of both servers: equal answers say something then, too. */
  readonly pairsIds: boolean;
  readonly rollback: RollbackBound;
  readonly concurrency: number;
  readonly queueMax: number;
  readonly bytesMax: number;
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

export interface ShadowParts {
  readonly clock: Clock;
  readonly mask: MaskSecrets;
  readonly rulesOf: (operation: string) => Rules;
  /** The shares that operators have set, now. */
  readonly shares: () => readonly Share[];
  /** The handlers that copies are sent by, over connections of their own. */
  readonly copyTo: (side: Side, service: Service, operation: Operation) => RemoteHandler<unknown>;
  /** Returns whether a compared answer differs in what is not accepted; false for other events. */
  readonly report: (event: ShadowEvent) => boolean;
  /** Called once for each window in which the bound was exceeded. */
  readonly rollBack: (why: string) => void;
}

interface Copy {
  readonly request: AnyRequest;
  readonly to: Side;
  readonly handler: RemoteHandler<unknown>;
  readonly key: string | undefined;
  readonly answer: ComparedAnswer;
  readonly extras: readonly string[];
  readonly at: number;
}

export class Shadow {
  readonly #options: ShadowOptions;
  readonly #parts: ShadowParts;
  readonly #queue: CopyQueue<Copy>;
  readonly #window: RollbackWindow;
  readonly #ids = new IdPairs();
  /** Copies of requests whose answers are not written yet, by the headers of their requests. */
  readonly #unanswered = new WeakMap<RequestHead['headers'], Copy>();
  #isRollingBack = false;

  constructor(options: ShadowOptions, parts: ShadowParts) {
    this.#options = options;
    this.#parts = parts;
    this.#window = new RollbackWindow(options.rollback, parts.clock);
    this.#queue = new CopyQueue({ ...options, send: (copy) => this.#send(copy) });
  }

  get state() {
    return this.#queue.state;
  }

  /** Returns the handler of an operation that both servers can answer. */
  handler<C>(operation: Operation, current: RemoteHandler<C>, shadow: RemoteHandler<C>): RemoteHandler<C> {
    const sides = { current: this.#observe('current', current), shadow: this.#observe('shadow', shadow) };
    const mayAnswer = this.#mayAnswer(operation);
    return Object.freeze<RemoteHandler<C>>({
      ...sides.current,
      sides: {
        deduplicates: current.deduplicates || (mayAnswer && shadow.deduplicates),
        choose: (request) => (mayAnswer && this.#isSwitched(request) ? sides.shadow : sides.current),
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
    this.#window.reset();
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

  /** Wraps one of both servers: what it answers is copied to the other one. */
  #observe<C>(side: Side, handler: RemoteHandler<C>): RemoteHandler<C> {
    return Object.freeze<RemoteHandler<C>>({
      ...handler,
      forward: async (given, context, key) => {
        const request = side === 'shadow' ? this.#forShadow(given) : given;
        try {
          const answer = await handler.forward(request, context, key);
          this.#offer(side, given, key, { output: answer.output }, answer.extras);
          if (side === 'shadow') this.#count('answered');
          return answer;
        } catch (thrown) {
          const answer = answerOfThrown(thrown);
          if (side === 'shadow') this.#count('failure' in answer ? 'failed' : 'answered');
          // Copies for callers that are not let in would be requests of anybody.
          if (!('failure' in answer) && !isRefusedCaller(thrown)) this.#offer(side, given, key, answer);
          throw thrown;
        }
      },
    });
  }

  #offer(side: Side, request: AnyRequest, key: string | undefined, answer: ComparedAnswer, extras?: Extras): void {
    const { service, operation, head } = request;
    const isWrite = operation.effect === 'writes';
    // A write is copied to a sandbox, and never to the server that callers rely on.
    if (head === undefined || (isWrite && (!this.#options.copiesWrites || side === 'shadow'))) return;
    if (!this.#isCopied(request)) return;
    // The files are removed when the request is answered, before its copy is sent.
    const { spool, ...kept } = head;
    if (spool?.isUsed === true) {
      this.#parts.report({ kind: 'dropped', operation: operationName(request) });
      return;
    }
    const copied = spool === undefined ? request : { ...request, head: kept };
    const to: Side = side === 'current' ? 'shadow' : 'current';
    this.#unanswered.set(head.headers, {
      request: to === 'shadow' ? this.#forShadow(copied) : copied,
      to,
      handler: this.#parts.copyTo(to, service, operation),
      key: isWrite ? copyKey(key) : undefined,
      answer,
      extras: namesIn(extras),
      at: this.#parts.clock.now(),
    });
  }

  /** Leaves out what may hold a credential of the caller, unless the shadow gets it. */
  #forShadow(given: AnyRequest): AnyRequest {
    const { getsCredentials, getsSecrets } = this.#options;
    const input = getsSecrets ? given.input : maskSensitive(given.operation.input, given.input);
    const request = { ...given, input } as AnyRequest;
    const { head } = request;
    if (head === undefined || getsCredentials) return request;
    const { sent: _, query: __, token: ___, ...rest } = head;
    return { ...request, head: rest };
  }

  /** Sends a copy, and compares the answers. Never rejects. */
  async #send(copy: Copy): Promise<void> {
    const { request, to, handler, key, at } = copy;
    const { report } = this.#parts;
    const operation = operationName(request);
    try {
      const copied = await this.#ask(handler, request, key);
      if ('failure' in copied) {
        report({ kind: 'failed', operation, reason: copied.reason });
        return;
      }
      const differences = this.#compare(copy, copied);
      const { credential: caller } = request.caller;
      const { requestReference: reference } = request;
      const differs = report({ kind: 'compared', operation, caller, reference, at, differences });
      if (to === 'current') this.#count(differs ? 'differing' : 'same');
    } catch {
      report({ kind: 'failed', operation, reason: 'other' });
    }
  }

  #compare(
    { request, to, answer, extras }: Copy,
    copied: ComparedAnswer & Pick<Copy, 'extras'>,
  ): readonly Difference[] {
    // Most answers are equal: this costs far less than a comparison by the contract.
    const own = { ...answer, extras };
    if (!this.#options.pairsIds && isDeepStrictEqual(own, copied)) return [];
    const rules = this.#parts.rulesOf(request.operation.name);
    const [left, right] = to === 'shadow' ? [own, copied] : [copied, own];
    return [
      ...compareAnswers(request.operation, left, right, rules, this.#ids, this.#parts.mask),
      ...compareExtras(left.extras, right.extras, rules),
    ].slice(0, differencesMax);
  }

  async #ask(handler: RemoteHandler<unknown>, request: AnyRequest, key: string | undefined) {
    try {
      const { output, extras } = await handler.forward(request, undefined, key);
      return { output, extras: namesIn(extras) };
    } catch (thrown) {
      return { ...answerOfThrown(thrown), extras: [] };
    }
  }

  #count(event: SwitchEvent): void {
    const why = this.#window.add(event);
    if (why === undefined || this.#isRollingBack) return;
    this.#isRollingBack = true;
    this.#parts.rollBack(why);
  }
}

/** The shadow has the effect of a request and its retries once, and never under a key of the other server. */
function copyKey(key: string | undefined): string {
  return key === undefined ? randomUUID() : hash('sha256', `copy ${key}`, 'base64url');
}

function isRefusedCaller(thrown: unknown): boolean {
  return thrown instanceof Problem && (thrown.kind.status === 401 || thrown.kind.status === 403);
}

function namesIn(extras: Extras | undefined): readonly string[] {
  return extras?.members.map(({ name }) => name) ?? [];
}

/** Differences of one answer. A server can make up any number, whose count would hold up callers. */
const differencesMax = 1_000;

/** Members that the contract lacks, in the answer of one server only. */
function compareExtras(left: readonly string[], right: readonly string[], rules: Rules): readonly Difference[] {
  const only = (names: readonly string[], others: ReadonlySet<string>, kind: 'missing' | 'added'): Difference[] => {
    const found: Difference[] = [];
    for (const name of names) {
      const path = name.replace(/\.\d+(?=\.|$)/g, '[]');
      if (!others.has(name) && rules.scalar(path)?.kind !== 'ignore') found.push({ kind, path, at: name });
      if (found.length === differencesMax) break;
    }
    return found;
  };
  return [...only(left, new Set(right), 'missing'), ...only(right, new Set(left), 'added')];
}

/** Lets the requests of all callers take turns on the thread that they share, so that no caller can keep it for itself. */
import { Problem } from '../../core/contract/index.ts';
import type { Slot, Turns } from '../../core/gateway/index.ts';
import { measureEventLoop } from '../../core/lib/index.ts';

export interface FairTurnsOptions {
  /** Requests of one caller at the same time; 0 is unlimited. */
  readonly perCallerMax: number;
  /** How long requests may wait for their turn before further ones of their caller are refused; 0 is unlimited. */
  readonly waitMsMax: number;
  readonly onRefused?: (kind: TurnRefusal) => void;
  /** Milliseconds. By default the monotonic clock of the process. */
  readonly now?: () => number;
  /** The share of its time that the thread has worked since the last call, from 0 to 1. By default that of the event loop. */
  readonly utilization?: () => number;
}

/** `atOnce`: the caller has too many requests under way. `waiting`: its requests wait for too long. */
type TurnRefusal = 'atOnce' | 'waiting';

/**
 * Work in one turn of the event loop before it looks for further requests, while several callers are there. A request of a
 * neighbour waits for this, and for reading the requests that follow what was answered meanwhile.
 */
const sharedBudgetMs = 0.08;
/** The budget while there is one caller: no other one waits, and longer turns save system calls. */
const aloneBudgetMs = 5;
/** Fewer waiting requests are no overload: the machine gave the process no time. */
const queueMin = 32;
/** So many requests of one caller keep a thread busy. Further ones only wait, and each that waits makes all of them cost more. */
const busyCallerMax = 64;
/** A thread that works for a larger share of its time is busy. */
const busyShare = 0.9;
/** The first request of each caller in a turn goes first, unless so many callers make all others wait. */
const firstBudgetMs = 20;
/** A caller without a request for this time is forgotten. */
const idleMsMax = 10_000;
const sweepEveryMs = 1_000;

interface Waiting {
  readonly since: number;
  readonly start: () => void;
}

class Line {
  /** Requests that were admitted and are not answered. */
  inside = 0;
  readonly waiting: Waiting[] = [];
  usedAt = 0;
  refusedAt = Number.NEGATIVE_INFINITY;
  /** The turn of the event loop in which its last request started. */
  startedIn = 0;
  readonly returns = new ReturnTimes();
}

export class FairTurns implements Turns {
  readonly #options: FairTurnsOptions;
  readonly #now: () => number;
  readonly #utilization: () => number;
  readonly #onRefused: (kind: TurnRefusal) => void;
  readonly #lines = new Map<string, Line>();
  /** The lines in which requests wait, in the order of their turns. */
  readonly #rotation = new Set<Line>();
  #waiting = 0;
  #sweptAt = 0;
  #isBusy = false;
  /** When the current turn of the event loop began. */
  #startedAt: number | undefined;
  #turnNumber = 0;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#utilization = options.utilization ?? measureEventLoop();
    this.#onRefused = options.onRefused ?? (() => {});
  }

  /** The number of requests that wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Throws `tooManyRequests` or `overloaded`. */
  admit(caller: string): Slot {
    const { perCallerMax, waitMsMax } = this.#options;
    const at = this.#now();
    const line = this.#lineOf(caller, at);
    if (perCallerMax > 0 && line.inside >= this.#maxAtOnce(line, at)) this.#refuse('atOnce', line, at);
    const [first] = line.waiting;
    const isQueue = line.waiting.length >= queueMin;
    if (waitMsMax > 0 && isQueue && first !== undefined && at - first.since > waitMsMax)
      this.#refuse('waiting', line, at);
    line.inside += 1;
    return {
      acquire: () => this.#acquire(line),
      release() {
        line.inside -= 1;
        line.returns.countAnswer();
      },
    };
  }

  #acquire(line: Line): Promise<void> | undefined {
    const at = this.#now();
    if (this.#mayStart(line, at)) return undefined;
    this.#waiting += 1;
    this.#rotation.add(line);
    return new Promise((start) => line.waiting.push({ since: at, start }));
  }

  #refuse(kind: TurnRefusal, line: Line, at: number): never {
    this.#onRefused(kind);
    line.refusedAt = at;
    const retryAfterSeconds = line.returns.countRefusal(at);
    throw new Problem(kind === 'atOnce' ? 'tooManyRequests' : 'overloaded', undefined, {
      reason: kind,
      retryAfterSeconds,
    });
  }

  /** The requests that a caller may have at the same time. One that sends more than a busy thread carries has its answers sooner with fewer. */
  #maxAtOnce({ refusedAt }: Line, at: number): number {
    const { perCallerMax } = this.#options;
    const isFlood = this.#isBusy && at - refusedAt < sweepEveryMs;
    return isFlood ? Math.min(perCallerMax, busyCallerMax) : perCallerMax;
  }

  #openTurn(at: number): number {
    if (this.#startedAt === undefined) {
      this.#startedAt = at;
      this.#turnNumber += 1;
      setImmediate(() => this.#endTurn());
    }
    return this.#startedAt;
  }

  #endTurn(): void {
    this.#startedAt = undefined;
    if (this.#waiting > 0) this.#serve(this.#now());
  }

  /** Starts one request after the other, each after the work of the one before, until the budget is spent. */
  #serve(since: number): void {
    const [line] = this.#rotation;
    if (line === undefined) return;
    this.#rotation.delete(line);
    const next = line.waiting.shift()!;
    // The caller goes to the end of the rotation.
    if (line.waiting.length > 0) this.#rotation.add(line);
    this.#waiting -= 1;
    next.start();
    // Ticks run when all promises are done, and with them what the request does without waiting.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.#waiting === 0) return;
        if (this.#now() - since < this.#budget()) this.#serve(since);
        else this.#openTurn(this.#now());
      }),
    );
  }

  #budget(): number {
    return this.#lines.size > 1 ? sharedBudgetMs : aloneBudgetMs;
  }

  #mayStart(line: Line, at: number): boolean {
    const spentMs = at - this.#openTurn(at);
    const isFirst = line.inside === 1 && line.startedIn !== this.#turnNumber;
    if (isFirst ? spentMs >= firstBudgetMs : this.#waiting > 0 || spentMs >= this.#budget()) return false;
    line.startedIn = this.#turnNumber;
    return true;
  }

  #lineOf(caller: string, at: number): Line {
    if (at - this.#sweptAt > sweepEveryMs) this.#sweep(at);
    let line = this.#lines.get(caller);
    if (line === undefined) {
      line = new Line();
      this.#lines.set(caller, line);
    }
    line.usedAt = at;
    return line;
  }

  #sweep(at: number): void {
    this.#sweptAt = at;
    this.#isBusy = this.#utilization() > busyShare;
    for (const [name, { inside, usedAt }] of this.#lines)
      if (inside === 0 && at - usedAt > idleMsMax) this.#lines.delete(name);
  }
}

/** A refusal costs about a third of an answer, so a caller's refusals take a few hundredths of its share. */
const refusedForEachAnswer = 0.1;
/** In the mean. A single one waits for up to five. */
const secondsMax = 3;
const windowMs = 1_000;

export class ReturnTimes {
  readonly #random: () => number;
  #meanSeconds = 1;
  #windowStartedAt = 0;
  #answered = 0;
  #refused = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** A request was answered. */
  countAnswer(): void {
    this.#answered += 1;
  }

  /** Counts a refusal at a time in milliseconds, and returns the whole seconds after which its request may come again. */
  countRefusal(at: number): number {
    if (at - this.#windowStartedAt >= windowMs) this.#beginWindow(at);
    this.#refused += 1;
    // Requests that are refused together return at different times.
    return 1 + Math.floor(this.#random() * (2 * this.#meanSeconds - 1));
  }

  #beginWindow(at: number): void {
    // Requests that wait at their callers: each refused one returns after the mean.
    const waiting = this.#refused * this.#meanSeconds;
    const seconds = Math.ceil(waiting / (this.#answered * refusedForEachAnswer));
    this.#meanSeconds = waiting === 0 ? 1 : Math.min(Math.max(seconds, 1), secondsMax);
    this.#windowStartedAt = at;
    this.#answered = 0;
    this.#refused = 0;
  }
}

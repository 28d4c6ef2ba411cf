/** What the gateway gets once for all requests to an upstream, and again when it has ended: a session, or a token. It is in memory only. */
import { Problem } from '../core/contract/index.ts';
import { atMost, backoffMs } from '../core/lib/index.ts';
import { UpstreamFailure } from './failure.ts';

/** One that the upstream says has ended sooner is not renewed: requests for another one would follow each other. */
const renewedAfterMs = 1_000;
/** Between failed tries, which may lock the account. */
const backoff = { firstMs: 1_000, maxMs: 60_000 } as const;

interface Renewable {
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** How long it is used. Absent where the upstream alone ends it. */
  readonly msMax?: number | undefined;
}

export class Renewed<T extends Renewable> {
  readonly #name: string;
  #current: T | undefined;
  #pending: Promise<T> | undefined;
  #failure: { readonly failure: UpstreamFailure; readonly until: number } | undefined;
  #failures = 0;

  /** `name`: in the detail of failures, `logIn`. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Returns the present one, or what `start` resolves with. Requests at the same time share a start. Rejects with `UpstreamFailure` within `msMax`. */
  async find(msMax: number, start: () => Promise<T>): Promise<T> {
    const current = this.#current;
    if (current !== undefined && performance.now() - current.startedAt < (current.msMax ?? Number.POSITIVE_INFINITY))
      return current;
    if (this.#failure !== undefined && performance.now() < this.#failure.until) throw this.#failure.failure;
    this.#pending ??= this.#start(start).finally(() => {
      this.#pending = undefined;
    });
    const started = await atMost(msMax, this.#pending);
    if (started === undefined) throw new UpstreamFailure('totalTimeout', 'notSent', { detail: this.#name });
    return started;
  }

  /** The upstream says that it has ended. Returns whether another one may be tried. */
  end(ended: T): boolean {
    if (this.#current !== ended) return true;
    if (performance.now() - ended.startedAt < renewedAfterMs) return false;
    this.#current = undefined;
    return true;
  }

  /** Returns the present one, which is used no more. */
  take(): T | undefined {
    const current = this.#current;
    this.#current = undefined;
    return current;
  }

  async #start(start: () => Promise<T>): Promise<T> {
    try {
      this.#current = await start();
      this.#failures = 0;
      this.#failure = undefined;
      return this.#current;
    } catch (thrown) {
      const failure = failureOf(this.#name, thrown);
      this.#failures += 1;
      this.#failure = { failure, until: performance.now() + backoffMs(this.#failures, backoff) };
      throw failure;
    }
  }
}

/** The request that needs it was not sent. What the upstream says about the try is not for callers. */
function failureOf(name: string, thrown: unknown): UpstreamFailure {
  if (thrown instanceof Problem)
    return new UpstreamFailure('unauthorized', 'notDone', { detail: `${name} ${thrown.status}`, cause: thrown });
  const reason = thrown instanceof UpstreamFailure ? thrown.reason : 'notPrepared';
  const isRefused = reason === 'unauthorized' || reason === 'contract';
  const detail = thrown instanceof UpstreamFailure ? `${name} ${thrown.detail}`.trim() : name;
  return new UpstreamFailure(reason, isRefused ? 'notDone' : 'notSent', { detail, cause: thrown });
}

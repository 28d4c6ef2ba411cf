/** The copies that wait for a shadow: bounded in number and in bytes. What has no place is dropped, so that callers never wait. */

interface CopyQueueOptions<T> {
  /** Copies on the way at a time. */
  readonly concurrency: number;
  /** Copies that wait. */
  readonly queueMax: number;
  /** Bytes of all copies, those on the way included. */
  readonly bytesMax: number;
  /** Sends a copy. Never rejects. */
  readonly send: (copy: T) => Promise<void>;
}

interface Waiting<T> {
  readonly copy: T;
  readonly bytes: number;
}

export class CopyQueue<T> {
  readonly #options: CopyQueueOptions<T>;
  #waiting: Waiting<T>[] = [];
  #active = 0;
  #bytes = 0;
  #isScheduled = false;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(options: CopyQueueOptions<T>) {
    this.#options = options;
  }

  get state() {
    return { waiting: this.#waiting.length, active: this.#active, bytes: this.#bytes };
  }

  /** `bytes`: of the request and its answer. Returns false where the copy was dropped. Sends nothing before the caller has returned. */
  add(copy: T, bytes: number): boolean {
    const { queueMax, bytesMax } = this.#options;
    if (this.#isClosed || this.#waiting.length >= queueMax || this.#bytes + bytes > bytesMax) return false;
    this.#waiting.push({ copy, bytes });
    this.#bytes += bytes;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#sendNext();
      });
    }
    return true;
  }

  /** Drops what waits. Resolves when the copies on the way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { bytes } of this.#waiting) this.#bytes -= bytes;
    this.#waiting = [];
    if (this.#active > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
  }

  #sendNext(): void {
    while (this.#active < this.#options.concurrency) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#active += 1;
      void this.#options.send(next.copy).finally(() => {
        this.#active -= 1;
        this.#bytes -= next.bytes;
        if (this.#active === 0) this.#onIdle?.();
        this.#sendNext();
      });
    }
  }
}

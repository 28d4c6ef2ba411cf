/** Finds workers that hang: their process runs, and does not answer its primary. */
import type { Worker } from 'node:cluster';
import { isWorkerMessage, type PrimaryMessage } from './messages.ts';

const pingEveryMs = 1_000;
/** Pings without an answer after which a worker is not asked for its readiness. */
const silentAfter = 3;
/** Pings without an answer after which a worker counts as hanging. Collecting garbage takes far less. */
const hangsAfter = 10;

export class Heartbeat {
  /** Pings since the last answer. A primary that was suspended itself sent none, so it suspects no worker. */
  readonly #unanswered = new Map<Worker, number>();
  readonly #timer: NodeJS.Timeout;

  /** `onHang` is called once for a worker. */
  constructor(onHang: (worker: Worker) => void) {
    this.#timer = setInterval(() => this.#beat(onHang), pingEveryMs);
    this.#timer.unref();
  }

  /** Watches a worker from the time when it serves. */
  watch(worker: Worker): void {
    this.#unanswered.set(worker, 0);
    worker.on('message', (message: unknown) => {
      if (isWorkerMessage(message) && message.triglyph === 'alive') this.#unanswered.set(worker, 0);
    });
    worker.once('exit', () => this.#unanswered.delete(worker));
  }

  /** The workers that serve and have answered lately. */
  answering(): readonly Worker[] {
    return [...this.#unanswered].filter(([, unanswered]) => unanswered < silentAfter).map(([worker]) => worker);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(onHang: (worker: Worker) => void): void {
    for (const [worker, unanswered] of this.#unanswered) {
      this.#unanswered.set(worker, unanswered + 1);
      if (unanswered === hangsAfter) onHang(worker);
      else if (unanswered < hangsAfter && worker.isConnected())
        worker.send({ triglyph: 'ping' } satisfies PrimaryMessage);
    }
  }
}

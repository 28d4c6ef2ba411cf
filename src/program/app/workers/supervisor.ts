/** Supervises the worker processes: starts them, replaces lost ones, renews them one after the other and stops them. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import { Heartbeat } from './heartbeat.ts';
import { redistributeLostConnections } from './lost-connections.ts';
import { isWorkerMessage } from './messages.ts';

/** A worker that does not serve within this time is killed. */
const startMsMax = 60_000;
/** The wait before a lost worker is replaced, doubled after each failed attempt. */
const respawnMs = 500;
const respawnMsMax = 30_000;
/** A worker that has not ended this long after its time to drain is killed. */
const endMsMax = 1_000;

interface SupervisorOptions {
  readonly workers: number;
  readonly drainMsMax: number;
  readonly report: (text: string) => void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  /** Workers that need no replacement when they end: they drain, or are new in a renewal and do not serve yet. */
  readonly #unsupervised = new WeakSet<Worker>();
  readonly #heartbeat: Heartbeat;
  #respawning: Promise<void> | undefined;
  #renewal: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#heartbeat = new Heartbeat((worker) => {
      options.report(`worker ${worker.process.pid} does not answer and is killed`);
      worker.process.kill('SIGKILL');
    });
  }

  /** The workers that serve and do not hang. */
  answering(): readonly Worker[] {
    return this.#heartbeat.answering();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Resolves with the address for callers when all workers serve. Rejects with the first failure if none can serve. */
  async start(): Promise<string> {
    const attempts = this.#fork(this.#options.workers);
    const callers = await Promise.any(attempts).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
    cluster.on('exit', (worker, code, signal) => {
      if (this.#isStopping || this.#unsupervised.has(worker)) return;
      this.#options.report(`worker ${worker.process.pid} ended with ${signal ?? code}`);
      void this.#respawn();
    });
    await this.#allServe(attempts);
    await this.#respawn();
    return callers;
  }

  /** Replaces every worker, one after the other: the new one serves before the old one drains. Never rejects. */
  renew(): Promise<void> {
    this.#renewal = this.#renewal
      .then(() => this.#replaceAll())
      .catch((thrown: unknown) => {
        if (!this.#isStopping) this.#options.report(`the renewal of the workers failed: ${messageOf(thrown)}`);
      });
    return this.#renewal;
  }

  /** From here on, lost workers are not replaced. */
  beginStop(): void {
    this.#isStopping = true;
  }

  /** Drains and ends all workers. */
  async stop(): Promise<void> {
    this.beginStop();
    await Promise.all(livingWorkers().map((worker) => this.#end(worker)));
    this.#heartbeat.stop();
  }

  async #serving(worker: Worker): Promise<string> {
    const callers = await serving(worker);
    this.#heartbeat.watch(worker);
    return callers;
  }

  #active(): readonly Worker[] {
    return livingWorkers().filter((worker) => !this.#unsupervised.has(worker));
  }

  #missing(): number {
    return this.#isStopping ? 0 : Math.max(0, this.#options.workers - this.#active().length);
  }

  /** Resolves when no worker is missing. There is one loop at a time, whatever number of workers is lost. */
  #respawn(): Promise<void> {
    this.#respawning ??= this.#replaceLost().finally(() => {
      this.#respawning = undefined;
    });
    return this.#respawning;
  }

  async #replaceLost(): Promise<void> {
    for (let waitMs = respawnMs; this.#missing() > 0; ) {
      this.#options.report(
        `${this.#missing()} of ${this.#options.workers} workers are missing: replaced in ${waitMs} ms`,
      );
      await setTimeout(waitMs);
      const isComplete = await this.#allServe(this.#fork(this.#missing()));
      waitMs = isComplete ? respawnMs : Math.min(2 * waitMs, respawnMsMax);
    }
  }

  /** Starts workers side by side. Each promise resolves with the address for callers when its worker serves. */
  #fork(count: number): readonly Promise<string>[] {
    return Array.from({ length: count }, async () => {
      const worker = fork();
      const callers = await this.#serving(worker);
      this.#options.report(`worker ${worker.process.pid} serves`);
      return callers;
    });
  }

  /** Reports the failures, and returns whether there are none. */
  async #allServe(attempts: readonly Promise<string>[]): Promise<boolean> {
    const settled = await Promise.allSettled(attempts);
    for (const attempt of settled)
      if (attempt.status === 'rejected' && !this.#isStopping) this.#options.report(messageOf(attempt.reason));
    return settled.every(({ status }) => status === 'fulfilled');
  }

  async #replaceAll(): Promise<void> {
    for (const old of this.#active()) {
      if (this.#isStopping) return;
      // A worker lost during the renewal has a new replacement already.
      if (old.isDead()) continue;
      const fresh = fork();
      this.#unsupervised.add(fresh);
      await this.#serving(fresh);
      const isSurplus = old.isDead() && this.#missing() === 0;
      const retired = isSurplus ? fresh : old;
      this.#unsupervised.delete(fresh);
      this.#unsupervised.add(retired);
      await this.#end(retired);
    }
    this.#options.report('all workers are renewed');
  }

  /** Drains the worker, and kills it when its time is over. */
  #end(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      if (worker.isDead()) {
        resolve();
        return;
      }
      const timer = globalThis.setTimeout(() => worker.process.kill('SIGKILL'), this.#options.drainMsMax + endMsMax);
      worker.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      worker.process.kill('SIGTERM');
    });
  }
}

/** Returns all workers that run, those that do not serve yet included. */
function livingWorkers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[];
}

function fork(): Worker {
  const worker = cluster.fork();
  // Sending to a worker that has ended is an error of the channel; its end is an event of its own.
  worker.on('error', () => {});
  redistributeLostConnections(worker);
  return worker;
}

/** Resolves with the address for callers. Rejects if the process cannot be created, ends before or takes too long. */
function serving(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(() => {
      worker.process.kill('SIGKILL');
      reject(new Error(`a worker did not serve within ${startMsMax} ms`));
    }, startMsMax);
    const settle = (result: () => void) => () => {
      clearTimeout(timer);
      result();
    };
    let reason: readonly string[] = [];
    worker.on('message', (message: unknown) => {
      if (!isWorkerMessage(message)) return;
      if (message.triglyph === 'failed') reason = message.lines;
      if (message.triglyph === 'serving') settle(() => resolve(message.callers))();
    });
    // A process that cannot be created has no exit.
    worker.once('error', (thrown) => settle(() => reject(thrown))());
    worker.once('exit', (code, signal) =>
      settle(() =>
        reject(new Error([...reason, `a worker ended with ${signal ?? code} before it served`].join('\n'))),
      )(),
    );
  });
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

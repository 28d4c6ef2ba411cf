/** The thread that sends copies and compares their answers: it is started by the first copy, and again after it has ended. */
import { Worker } from 'node:worker_threads';
import { conventionsOf } from '../../contract/conventions.ts';
import { newestOf, type Service } from '../../contract/service.ts';
import { errorCode } from '../../lib/error-code.ts';
import type { UpstreamCredentials } from '../../upstream/options.ts';
import type { Side } from '../../upstream/shadow/compare-copy.ts';
import type {
  CopyMessage,
  CopyReply,
  CopyResult,
  CopySetup,
  SendCopy,
  SideSetup,
} from '../../upstream/shadow/copy-messages.ts';
import type { Backend } from '../backend.ts';
import { createUpstreamCredentials } from '../upstreams/credentials.ts';
import type { UpstreamPlan } from '../upstreams/plan.ts';
import type { ConfiguredUpstream } from '../upstreams/read-upstream.ts';

export interface CopyDependencies {
  readonly services: readonly Service[];
  readonly referenceHeader: string;
  readonly backend: Pick<Backend, 'context' | 'upstreamCredentials'>;
}

export interface Copies {
  /** Returns what sends the copies for the upstream of this name. */
  readonly sendTo: (upstream: string) => SendCopy;
  /** Whether the thread has used less than its share of the processor. */
  mayCopy(): boolean;
  /** Gives up copies that have no answer soon: a server that never answers must not delay the end of the gateway. */
  close(): Promise<void>;
}

/** Of one thread. It is ended when it is beyond. */
export interface CopyLimits {
  readonly memoryMiBMax: number;
  /** Work on one answer, in milliseconds. */
  readonly busyMsMax: number;
}

const standardLimits: CopyLimits = { memoryMiBMax: 256, busyMsMax: 2_000 };
const countEveryMs = 100;
const closeMsMax = 3_000;
/** Work that the thread may do at once after a quiet time. Starting another one costs as much. Milliseconds. */
const burstMs = 1_000;

export function openCopies(
  plan: UpstreamPlan,
  { services, referenceHeader, backend }: CopyDependencies,
  { memoryMiBMax, busyMsMax } = standardLimits,
): Copies {
  const { clock, vault } = backend.context;
  const sealed = { store: backend.upstreamCredentials, vault, clock };
  const credentials = new Map<string, Record<Side, UpstreamCredentials>>();
  const shadows: Record<string, CopySetup['shadows'][string]> = {};
  for (const current of plan.upstreams) {
    const shadow = plan.shadows.get(current.name);
    if (shadow === undefined) continue;
    const own = {
      current: createUpstreamCredentials(current, sealed, plan.callers),
      shadow: createUpstreamCredentials(shadow.upstream, sealed, plan.callers),
    };
    credentials.set(current.name, own);
    const sides = {
      current: sideSetup(current, own.current, shadow.concurrency),
      shadow: sideSetup(shadow.upstream, own.shadow, shadow.concurrency),
    };
    shadows[current.name] = { rules: shadow.rules, sides };
  }
  const start = (): Worker => {
    const conventions = conventionsOf(services);
    const copied = newestOf(services).filter(({ name, operations }) =>
      [...operations.keys()].some((operation) => shadows[plan.upstreamOf(name, operation) ?? ''] !== undefined),
    );
    const setup: CopySetup = {
      ...{ shadows, referenceHeader },
      services: copied.map((service) => ({ ...toData(service), conventions })),
    };
    return new Worker(workerUrl, { workerData: setup, resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax } });
  };
  const cpuPercent = Math.max(0, ...[...plan.shadows.values()].map((each) => each.cpuPercent));
  const thread = new CopyThread(start, cpuPercent, busyMsMax);
  return {
    sendTo:
      (upstream) =>
      async ({ request: { service, operation, ...request }, at: _, ...copy }) => {
        try {
          const own = credentials.get(upstream)?.[copy.to];
          const of = { ...request, service, operation };
          const headers = await own?.find(of);
          if (headers === undefined) return { kind: 'failed', reason: 'notPrepared' };
          const credential = { headers, inQuery: own?.inQuery?.(of) ?? [] };
          const names = { upstream, service: service.name, operation: operation.name };
          return await thread.send({ ...copy, ...names, request, credential });
        } catch {
          return { kind: 'failed', reason: 'notPrepared' };
        }
      },
    mayCopy: () => thread.hasTime,
    close: () => thread.close(),
  };
}

/** The sources, or a bundle, which has the thread as a file of its own. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? '../../upstream/shadow/copy-worker.ts' : '../upstream/shadow/copy-worker.js',
  import.meta.url,
);

/** Leaves out the functions that services of programs have. */
function toData(service: Service): Service {
  const functions = Object.entries(service).filter(([, value]) => typeof value === 'function');
  return { ...service, ...Object.fromEntries(functions.map(([name]) => [name, undefined])) };
}

function sideSetup(
  { lookups: _, session, ...configured }: ConfiguredUpstream,
  { find: __, inQuery: ___, ...credentials }: UpstreamCredentials,
  concurrency: number,
): SideSetup {
  return {
    ...{ ...configured, credentials, connections: concurrency, queueMax: concurrency },
    session: session && { ...session, service: toData(session.service) },
  };
}

class CopyThread {
  readonly #start: () => Worker;
  /** Percent of one processor. */
  readonly #cpuPercent: number;
  readonly #busyMsMax: number;
  readonly #waiting = new Map<number, (result: CopyResult) => void>();
  #worker: Worker | undefined;
  #ids = 0;
  #isClosed = false;
  /** Milliseconds of work that it may do now, and when they were counted. */
  #leftMs = burstMs;
  #countedAt = performance.now();

  constructor(start: () => Worker, cpuPercent: number, busyMsMax: number) {
    this.#start = start;
    this.#cpuPercent = cpuPercent;
    this.#busyMsMax = busyMsMax;
  }

  get hasTime(): boolean {
    this.#use(0);
    return this.#leftMs > 0;
  }

  send(copy: Omit<CopyMessage, 'id'>): Promise<CopyResult> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve({ kind: 'failed', reason: 'closed' });
      this.#ids += 1;
      this.#worker ??= this.#open();
      this.#worker.postMessage({ ...copy, id: this.#ids } satisfies CopyMessage);
      this.#waiting.set(this.#ids, resolve);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    const timer = setTimeout(() => void worker.terminate(), closeMsMax);
    worker.postMessage('close');
    await ended;
    clearTimeout(timer);
  }

  #open(): Worker {
    const worker = this.#start();
    worker.unref();
    const { performance: thread } = worker;
    /** Undefined while it loads, which is no work on copies. */
    let counted: ReturnType<typeof thread.eventLoopUtilization> | undefined;
    let busyMs = 0;
    let reason = 'other';
    const count = (): void => {
      if (counted === undefined) return;
      const { active, idle } = thread.eventLoopUtilization(counted);
      counted = thread.eventLoopUtilization();
      this.#use(active);
      busyMs = idle > 0 ? 0 : busyMs + active;
      if (busyMs <= this.#busyMsMax) return;
      reason = 'outOfTime';
      void worker.terminate();
    };
    worker.on('message', (reply: CopyReply) => {
      if (reply === 'ready') counted = thread.eventLoopUtilization();
      else {
        const [id, result] = reply;
        count();
        busyMs = 0;
        this.#waiting.get(id)?.(result);
        this.#waiting.delete(id);
      }
    });
    worker.on('error', (thrown) => {
      if (errorCode(thrown) === 'ERR_WORKER_OUT_OF_MEMORY') reason = 'outOfMemory';
    });
    const timer = setInterval(count, countEveryMs).unref();
    worker.once('exit', () => {
      clearInterval(timer);
      this.#ended(this.#isClosed ? 'closed' : reason);
    });
    return worker;
  }

  /** What it had to do is given up. The next copy starts another one, when there is time for it. */
  #ended(reason: string): void {
    this.#worker = undefined;
    if (this.#waiting.size > 0) this.#use(burstMs);
    for (const end of this.#waiting.values()) end({ kind: 'failed', reason });
    this.#waiting.clear();
  }

  #use(ms: number): void {
    const now = performance.now();
    const earned = ((now - this.#countedAt) * this.#cpuPercent) / 100;
    this.#countedAt = now;
    this.#leftMs = Math.min(burstMs, this.#leftMs + earned) - ms;
  }
}

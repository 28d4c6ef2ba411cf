/** The process that sends copies and compares their answers: the first copy starts it, and the next one where it has ended. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { conventionsOf, newestOf, type Service } from '../../core/contract/index.ts';
import type {
  CopyMessage,
  CopyReply,
  CopyResult,
  CopySetup,
  SendCopy,
  Side,
  SideSetup,
  ToCopyProcess,
  UpstreamCredentials,
} from '../../forward/index.ts';
import type { Backend } from '../backend.ts';
import { createUpstreamCredentials } from '../upstreams/credentials.ts';
import type { UpstreamPlan } from '../upstreams/plan.ts';
import type { ConfiguredUpstream } from '../upstreams/read-upstream.ts';

interface CopyDependencies {
  readonly services: readonly Service[];
  readonly referenceHeader: string;
  readonly backend: Pick<Backend, 'context' | 'upstreamCredentials'>;
}

export interface Copies {
  /** Returns what sends the copies for the upstream of this name. */
  readonly sendTo: (upstream: string) => SendCopy;
  /** Whether copies have used less than their share of the processor. */
  mayCopy(): boolean;
  /** Gives up copies that have no answer soon: a server that never answers must not delay the end of the gateway. */
  close(): Promise<void>;
}

/** Of the process, which is killed when it is beyond: a thread that runs out of memory may end the gateway. */
export interface CopyLimits {
  /** Of its heap. */
  readonly memoryMiBMax: number;
  /** Work on one answer, in milliseconds. */
  readonly busyMsMax: number;
}

const standardLimits: CopyLimits = { memoryMiBMax: 256, busyMsMax: 2_000 };
const watchEveryMs = 100;
/** On a busy machine it takes seconds to load. */
const startMsMax = 60_000;
const closeMsMax = 3_000;
/** Work that the process may do at once after a quiet time. Starting another one costs as much. Milliseconds. */
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
  const start = (): ChildProcess => {
    const conventions = conventionsOf(services);
    const copied = newestOf(services).filter(({ name, operations }) =>
      [...operations.keys()].some((operation) => shadows[plan.upstreamOf(name, operation) ?? ''] !== undefined),
    );
    const setup: CopySetup = {
      ...{ shadows, referenceHeader },
      services: copied.map((service) => ({ ...toData(service), conventions })),
    };
    const child = fork(workerPath, {
      execArgv: ['--disable-proto=delete', `--max-old-space-size=${memoryMiBMax}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    try {
      child.send(setup satisfies ToCopyProcess);
    } catch (thrown) {
      // A contract with functions in it is no data. The process would wait for it.
      child.kill('SIGKILL');
      throw thrown;
    }
    return child;
  };
  const cpuPercent = Math.max(0, ...[...plan.shadows.values()].map((each) => each.cpuPercent));
  const copies = new CopyProcess(start, cpuPercent, busyMsMax);
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
          return await copies.send({ ...copy, ...names, request, credential });
        } catch {
          return { kind: 'failed', reason: 'notPrepared' };
        }
      },
    mayCopy: () => copies.hasTime,
    close: () => copies.close(),
  };
}

/** In the sources, or in a bundle, which has the program of the process as a file of its own. */
const workerPath = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../forward/shadow/copy-worker.ts' : '../forward/shadow/copy-worker.js',
    import.meta.url,
  ),
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

class CopyProcess {
  readonly #start: () => ChildProcess;
  /** Percent of one processor. */
  readonly #cpuPercent: number;
  readonly #busyMsMax: number;
  readonly #waiting = new Map<number, (result: CopyResult) => void>();
  #child: ChildProcess | undefined;
  #ids = 0;
  #isClosed = false;
  /** Milliseconds of work that copies may take now, here and in the process, and when they were counted. */
  #leftMs = burstMs;
  #countedAt = performance.now();

  constructor(start: () => ChildProcess, cpuPercent: number, busyMsMax: number) {
    this.#start = start;
    this.#cpuPercent = cpuPercent;
    this.#busyMsMax = busyMsMax;
  }

  get hasTime(): boolean {
    this.#use(0);
    return this.#leftMs > 0;
  }

  /** Rejects where the copy is no data. */
  async send(copy: Omit<CopyMessage, 'id'>): Promise<CopyResult> {
    if (this.#isClosed) return { kind: 'failed', reason: 'closed' };
    this.#child ??= this.#open();
    this.#ids += 1;
    const id = this.#ids;
    const startedAt = performance.now();
    this.#child.send({ ...copy, id } satisfies ToCopyProcess);
    // Callers wait for this work.
    this.#use(performance.now() - startedAt);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    child.ref();
    // A process that has exited, or could not be started, still closes.
    const ended = new Promise((resolve) => child.once('close', resolve));
    const timer = setTimeout(() => child.kill('SIGKILL'), closeMsMax);
    child.send('close' satisfies ToCopyProcess);
    await ended;
    clearTimeout(timer);
  }

  #open(): ChildProcess {
    const child = this.#start();
    child.unref();
    child.channel?.unref();
    /** Undefined while it loads, which is no work on copies. */
    let cpuMs: number | undefined;
    /** Intervals without a message: those in which this process itself stood still do not count. */
    let silent = 0;
    let reason = 'other';
    child.on('message', (message) => {
      const reply = message as CopyReply;
      silent = 0;
      this.#use(reply.cpuMs - (cpuMs ?? reply.cpuMs));
      cpuMs = reply.cpuMs;
      if (reply.answered === undefined) return;
      const [id, result] = reply.answered;
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
    const timer = setInterval(() => {
      if (this.#waiting.size === 0) silent = 0;
      silent += 1;
      if (silent * watchEveryMs <= (cpuMs === undefined ? startMsMax : this.#busyMsMax)) return;
      reason = 'outOfTime';
      child.kill('SIGKILL');
    }, watchEveryMs).unref();
    // It cannot be started, or a message no longer reaches it: its end follows.
    child.on('error', () => child.kill('SIGKILL'));
    child.once('close', (_code, signal) => {
      clearInterval(timer);
      // So V8 ends a process without memory.
      if (signal === 'SIGABRT') reason = 'outOfMemory';
      this.#ended(this.#isClosed ? 'closed' : reason);
    });
    return child;
  }

  /** What it had to do is given up. The next copy starts another one, when there is time for it. */
  #ended(reason: string): void {
    this.#child = undefined;
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

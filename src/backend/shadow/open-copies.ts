/** The thread that sends copies and compares their answers: it is started by the first copy, and again after it has ended. */
import { Worker } from 'node:worker_threads';
import { conventionsOf } from '../../contract/conventions.ts';
import { newestOf, type Service } from '../../contract/service.ts';
import type { UpstreamCredentials } from '../../upstream/options.ts';
import type { Side } from '../../upstream/shadow/compare-copy.ts';
import type { CopyMessage, CopyReply, CopyResult, CopySetup, SideSetup } from '../../upstream/shadow/copy-messages.ts';
import type { CompareCopy } from '../../upstream/shadow/shadow.ts';
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
  /** Sends a copy for the upstream of this name. Never rejects. */
  readonly compare: (upstream: string) => CompareCopy;
  /** Whether the thread has used less than its share of the processor. */
  mayCopy(): boolean;
  /** Gives up copies that have no answer soon: a server that never answers must not delay the end of the gateway. */
  close(): Promise<void>;
}

/** Of the thread, in MiB. */
const memoryMax = 256;
/** A thread that works on one answer for longer is ended: milliseconds. */
const busyMsMax = 2_000;
const closeMsMax = 3_000;

/** That the thread may use at once after a quiet time: milliseconds. */
const burstMs = 1_000;

export function openCopies(plan: UpstreamPlan, { services, referenceHeader, backend }: CopyDependencies): Copies {
  const { clock, vault } = backend.context;
  const sealed = { store: backend.upstreamCredentials, vault, clock };
  const credentialsOf = new Map<string, Record<Side, UpstreamCredentials>>();
  const shadows: Record<string, CopySetup['shadows'][string]> = {};
  for (const current of plan.upstreams) {
    const shadow = plan.shadows.get(current.name);
    if (shadow === undefined) continue;
    const credentials = {
      current: createUpstreamCredentials(current, sealed, plan.callers),
      shadow: createUpstreamCredentials(shadow.upstream, sealed, plan.callers),
    };
    credentialsOf.set(current.name, credentials);
    const sideOf = (side: Side, configured: ConfiguredUpstream) =>
      sideSetup(configured, credentials[side], shadow.concurrency);
    const sides = { current: sideOf('current', current), shadow: sideOf('shadow', shadow.upstream) };
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
    return new Worker(workerUrl, { workerData: setup, resourceLimits: { maxOldGenerationSizeMb: memoryMax } });
  };
  const cpuPercent = Math.max(0, ...[...plan.shadows.values()].map((each) => each.cpuPercent));
  const thread = new CopyThread(start, new CpuBudget(cpuPercent));
  return {
    compare: (upstream) => async (copy) => {
      const { headers, inQuery } = await findCredential(credentialsOf.get(upstream)?.[copy.to], copy);
      if (headers === undefined) return { kind: 'failed', reason: 'notPrepared' };
      const { service, operation, ...request } = copy.request;
      return await thread.send({
        ...{ upstream, to: copy.to, service: service.name, operation: operation.name, request },
        ...{ credential: { headers, inQuery }, key: copy.key, answer: copy.answer, pairsIds: copy.pairsIds },
      });
    },
    mayCopy: () => thread.budget.isLeft,
    close: () => thread.close(),
  };
}

/** The sources, or a bundle, which has the thread as a file of its own. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? '../../upstream/shadow/copy-worker.ts' : '../upstream/shadow/copy-worker.js',
  import.meta.url,
);

/** Leaves out the functions that services of programs have. */
function toData({ name, version, answers, doc, roles, address, operations, ...rest }: Service): Service {
  const data = Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== 'function'));
  return { name, version, answers, doc, roles, address, operations, ...data };
}

function sideSetup(
  { name, url, format, key, lookupHeader, timeouts, tls, session, soap, responseBytesMax, ...rest }: ConfiguredUpstream,
  { areOfCaller, areForwarded = false, client }: UpstreamCredentials,
  concurrency: number,
): SideSetup {
  return {
    ...{ name, url, format, key, lookupHeader, timeouts, tls, soap, responseBytesMax },
    session: session && { ...session, service: toData(session.service) },
    ...{ isSingleAddress: rest.isSingleAddress, mtom: rest.mtom, connections: concurrency, queueMax: concurrency },
    credentials: { areOfCaller, areForwarded, ...(client !== undefined && { client }) },
  };
}

async function findCredential(credentials: UpstreamCredentials | undefined, { request }: Parameters<CompareCopy>[0]) {
  try {
    return { headers: await credentials?.find(request), inQuery: credentials?.inQuery?.(request) ?? [] };
  } catch {
    return { headers: undefined, inQuery: [] };
  }
}

/** A share of the time of one processor. */
class CpuBudget {
  readonly #percent: number;
  #leftMs = burstMs;
  #countedAt = performance.now();

  constructor(percent: number) {
    this.#percent = percent;
  }

  get isLeft(): boolean {
    this.use(0);
    return this.#leftMs > 0;
  }

  use(ms: number): void {
    const now = performance.now();
    const earned = ((now - this.#countedAt) * this.#percent) / 100;
    this.#countedAt = now;
    this.#leftMs = Math.min(burstMs, this.#leftMs + earned) - ms;
  }
}

class CopyThread {
  readonly budget: CpuBudget;
  readonly #start: () => Worker;
  readonly #waiting = new Map<number, (result: CopyResult) => void>();
  #worker: Worker | undefined;
  #ids = 0;
  #isClosed = false;
  #watch: NodeJS.Timeout | undefined;
  /** When the thread has replied last, or had nothing to do. */
  #repliedAt = 0;

  constructor(start: () => Worker, budget: CpuBudget) {
    this.#start = start;
    this.budget = budget;
  }

  send(message: Omit<CopyMessage, 'id'>): Promise<CopyResult> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve({ kind: 'failed', reason: 'closed' });
      this.#ids += 1;
      if (this.#waiting.size === 0) this.#repliedAt = performance.now();
      this.#waiting.set(this.#ids, resolve);
      this.#worker ??= this.#open();
      this.#worker.postMessage({ ...message, id: this.#ids } satisfies CopyMessage);
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
    let isLoaded = false;
    worker.on('message', (reply: CopyReply) => {
      this.#repliedAt = performance.now();
      // Loading its modules is no work on copies.
      if (isLoaded) this.budget.use(reply.cpuUs / 1_000);
      isLoaded = true;
      if (reply.result === undefined) return;
      this.#waiting.get(reply.id)?.(reply.result);
      this.#waiting.delete(reply.id);
    });
    // It has no memory left, or a defect. Its end is told next.
    worker.on('error', () => {});
    worker.once('exit', () => this.#ended());
    worker.postMessage(0);
    this.#watch = setInterval(() => {
      if (!isLoaded || this.#waiting.size === 0) return;
      worker.postMessage(0);
      if (performance.now() - this.#repliedAt > busyMsMax) void worker.terminate();
    }, busyMsMax / 4).unref();
    return worker;
  }

  /** What it had to do is given up. The next copy starts another one, when the budget allows it. */
  #ended(): void {
    clearInterval(this.#watch);
    this.#worker = undefined;
    if (this.#waiting.size > 0) this.budget.use(performance.now() - this.#repliedAt);
    for (const end of this.#waiting.values()) end({ kind: 'failed', reason: this.#isClosed ? 'closed' : 'overBudget' });
    this.#waiting.clear();
  }
}

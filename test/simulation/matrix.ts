/** One cell of the crash matrix: a request, its retries and a wrong retry, with faults at chosen calls. */

import type { Format } from '../resources/operations.ts';
import type { ProblemName } from '../resources/problems.ts';
import { type Attempt, newAttempt } from './attempt.ts';
import { Auditor } from './auditor.ts';
import { CacheServer } from './cache-server.ts';
import { epoch, freshDatabase } from './environment.ts';
import { createSequentialIds } from './ids.ts';
import type { CallFault } from './port.ts';
import { Process, type Surroundings, type Variant } from './process.ts';
import { Random } from './random.ts';
import type { SimulatedRequest } from './request.ts';
import { type Owner, owner, Scheduler } from './scheduler.ts';
import type { Isolation } from './sim-engine.ts';

/** A request that is sent until its answer is final. */
export interface Sending {
  readonly request: SimulatedRequest;
  readonly format: Format;
  readonly to: 'first' | 'second';
  /** Before it, the processes restart and the cache is flushed. */
  readonly restarted?: boolean;
  readonly outcome: 'ok' | ProblemName;
}

export interface Cell {
  readonly sendings: readonly Sending[];
  readonly isolation: Isolation;
  /** By the number of the call. */
  readonly faults: ReadonlyMap<number, CallFault>;
  readonly variant?: Variant;
  /** An external updater is asked, rather than the store. */
  readonly asksUpdater?: boolean;
  /** Sent together with the first sending, to the same process, under a key of its own. */
  readonly otherMember?: SimulatedRequest;
}

export interface CellResult {
  /** The point of every call, in order. */
  readonly calls: readonly string[];
  readonly failures: readonly string[];
  readonly trace: readonly string[];
}

const key = 'matrix-key';
const otherMemberKey = 'other-member-key';
const timeoutMs = 10_000;
/** At once, soon, and when a reservation is old enough to be ignored: after that no request may need another attempt. */
const pausesMs = [1, 100, 2_000, 0] as const;

interface Scene {
  readonly scheduler: Scheduler;
  readonly auditor: Auditor;
  readonly client: Owner;
  readonly processes: Readonly<Record<Sending['to'], Process>>;
  readonly history: Attempt[];
}

export async function runCell(cell: Cell): Promise<CellResult> {
  const { sendings, isolation, faults, variant = (parts) => parts, asksUpdater, otherMember } = cell;
  const scheduler = new Scheduler(new Random(1));
  const database = await freshDatabase();
  database.now = () => epoch + scheduler.now;
  const auditor = new Auditor(() => scheduler.now);
  database.committed = (transaction) => auditor.committed(transaction);
  const cacheServer = new CacheServer(() => scheduler.now);
  const calls: string[] = [];
  const surroundings: Surroundings = {
    scheduler,
    network: owner('network'),
    faults: { faultOf: (point) => faults.get(calls.push(point) - 1) ?? 'none', lateMs: () => 50 },
    database,
    cacheServer,
    isolation,
    ids: createSequentialIds(),
    variant,
    restartMs: () => 50,
    onQuestion: asksUpdater ? (question) => auditor.questioned(question) : undefined,
  };
  const processes = { first: new Process('first', surroundings), second: new Process('second', surroundings) };
  const scene = { scheduler, auditor, client: owner('client'), processes, history: [] };
  let isOver = false;
  const sendAll = async (): Promise<void> => {
    for (const sending of sendings) {
      if (sending.restarted) {
        cacheServer.flush();
        for (const process of Object.values(processes)) process.crash();
        await scheduler.turn(scene.client, 'waits for the restart', 100);
      }
      const others: Promise<void>[] = [];
      if (sending === sendings[0] && otherMember !== undefined)
        others.push(
          sendUntilFinal({ ...sending, request: otherMember, format: 'json', outcome: 'ok' }, scene, otherMemberKey),
        );
      await Promise.all([sendUntilFinal(sending, scene, key), ...others]);
    }
    isOver = true;
  };
  void sendAll();
  await scheduler.run(() => isOver || auditor.failures.length > 0);
  if (!isOver && auditor.failures.length === 0) auditor.fail('no task can go on');
  for (const each of otherMember === undefined ? [key] : [key, otherMemberKey])
    if (auditor.executionCount(each) !== 1)
      auditor.fail(`executed ${auditor.executionCount(each)} times under ${each}`);
  auditor.finish(database);
  return { calls, failures: auditor.failures, trace: scheduler.trace };
}

async function sendUntilFinal({ request, format, to, outcome }: Sending, scene: Scene, key: string): Promise<void> {
  const { scheduler, auditor, client, processes, history } = scene;
  for (const pauseMs of pausesMs) {
    const number = history.length + 1;
    const attempt = newAttempt({ number, client: client.name, key, request, format });
    history.push(attempt);
    await scheduler.turn(client, `sends #${number} in ${format} to the ${to}`);
    attempt.sentAt = scheduler.now;
    const answer = await Promise.race([processes[to].send(attempt), scheduler.turn(client, 'gives up', timeoutMs)]);
    await scheduler.turn(client, `#${number}: ${answer?.entry.outcome ?? 'nothing'}`);
    if (answer) {
      attempt.answer = answer;
      if (auditor.answered(attempt)) {
        if (answer.entry.outcome !== outcome) auditor.fail(`#${number} ends with ${answer.entry.outcome}`);
        return;
      }
    }
    await scheduler.turn(client, 'tries again', pauseMs);
  }
  auditor.fail(`no final answer in ${format}`);
}

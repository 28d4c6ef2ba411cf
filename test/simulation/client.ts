/** A simulated client: sends its tasks, again and in other formats, until each key has a final answer. */

import { formatsOf } from '../resources/operations.ts';
import { type Attempt, newAttempt } from './attempt.ts';
import type { Auditor } from './auditor.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import type { SimulatedRequest } from './request.ts';
import { type Owner, owner, type Scheduler } from './scheduler.ts';

export interface ClientTask {
  /** How long the client waits before it, in milliseconds. */
  readonly afterMs: number;
  readonly key: string;
  readonly request: SimulatedRequest;
  /** How many are sent at once. */
  readonly copies: number;
}

export interface ClientSetting {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly processes: readonly Process[];
  readonly auditor: Auditor;
  /** Every attempt of every client. */
  readonly history: Attempt[];
  /** Whether faults are over, so that an answer must arrive. */
  isCalm(): boolean;
  /** The share of answers that are lost on their way. */
  readonly lossShare: number;
}

const timeoutMs = 10_000;
const pausesMs = [1, 20, 200, 1_000, 2_500] as const;
/** Without faults, no request needs more attempts. */
const calmAttemptsMax = 40;

/** Resolves when each task has its final answer. */
export async function runClient(name: string, tasks: readonly ClientTask[], setting: ClientSetting): Promise<void> {
  const self = owner(name);
  for (const task of tasks) {
    await setting.scheduler.turn(self, 'goes on', task.afterMs);
    await Promise.all(Array.from({ length: task.copies }, () => sendUntilFinal(self, task, setting)));
  }
}

async function sendUntilFinal(self: Owner, task: ClientTask, setting: ClientSetting): Promise<void> {
  const { scheduler, random, auditor } = setting;
  for (let calmAttempts = 0; calmAttempts < calmAttemptsMax; ) {
    if (setting.isCalm()) calmAttempts += 1;
    if (await send(self, task, setting)) return;
    await scheduler.turn(self, 'tries again', random.pick(pausesMs));
  }
  auditor.fail(`${self.name} never gets an answer under ${task.key}`);
}

async function send(self: Owner, { key, request }: ClientTask, setting: ClientSetting): Promise<boolean> {
  const { scheduler, random, processes, auditor, history, lossShare } = setting;
  const format = random.pick(formatsOf(request.operation));
  const attempt = newAttempt({ number: history.length + 1, client: self.name, key, request, format });
  history.push(attempt);
  const process = random.pick(processes);
  await scheduler.turn(self, `sends #${attempt.number} ${key} ${request.text}, ${format}`);
  attempt.sentAt = scheduler.now;
  const answer = await Promise.race([process.send(attempt), scheduler.turn(self, 'gives up', timeoutMs)]);
  const isLost = !setting.isCalm() && random.chance(lossShare);
  await scheduler.turn(self, `#${attempt.number}: ${isLost ? 'lost' : (answer?.entry.outcome ?? 'nothing')}`);
  if (!answer || isLost) return false;
  attempt.answer = answer;
  return auditor.answered(attempt);
}

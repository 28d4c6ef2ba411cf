/** A client: sends what it is told to, again and in other formats, until it has a final answer; gives up on no key. */
import type { Attempt } from './attempt.ts';
import type { Auditor } from './auditor.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import { type Body, protocolNamesOf, textOf } from './request-body.ts';
import { type Owner, owner, type Scheduler } from './scheduler.ts';

export interface Errand {
  /** How long the client waits before it, in milliseconds. */
  readonly afterMs: number;
  readonly key: string;
  readonly body: Body;
  /** How many are sent at once. */
  readonly copies: number;
}

export interface Setting {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly processes: readonly Process[];
  readonly auditor: Auditor;
  /** All that was ever sent: the journal of the clients. */
  readonly journal: Attempt[];
  /** Whether faults are over, so that an answer has to come. */
  isCalm(): boolean;
  /** How often an answer is lost on its way. */
  readonly lossShare: number;
}

const patienceMs = 10_000;
const pausesMs = [1, 20, 200, 1_000, 2_500] as const;
/** So many tries without a fault are enough for anyone. */
const calmTriesMax = 40;

const ask = async (self: Owner, errand: Errand, setting: Setting): Promise<boolean> => {
  const { scheduler, random, processes, auditor, journal, lossShare } = setting;
  const attempt: Attempt = {
    number: journal.length + 1,
    client: self.name,
    key: errand.key,
    body: errand.body,
    protocol: random.pick(protocolNamesOf(errand.body)),
    hurt: false,
    unknown: false,
  };
  journal.push(attempt);
  const process = random.pick(processes);
  await scheduler.turn(self, `sends #${attempt.number} ${attempt.key} ${textOf(attempt.body)}, ${attempt.protocol}`);
  const answer = await Promise.race([process.ask(attempt), scheduler.turn(self, 'gives up', patienceMs)]);
  const isLost = !setting.isCalm() && random.chance(lossShare);
  await scheduler.turn(self, `#${attempt.number}: ${isLost ? 'lost' : (answer?.entry.outcome ?? 'nothing')}`);
  if (!answer || isLost) return false;
  attempt.answer = answer;
  return auditor.answered(attempt);
};

const untilFinal = async (self: Owner, errand: Errand, setting: Setting): Promise<void> => {
  const { scheduler, random, auditor } = setting;
  for (let calmTries = 0; calmTries < calmTriesMax; ) {
    if (setting.isCalm()) calmTries += 1;
    if (await ask(self, errand, setting)) return;
    await scheduler.turn(self, 'tries again', random.pick(pausesMs));
  }
  auditor.fail(`${self.name} never gets an answer under ${errand.key}`);
};

/** Resolves when each errand has its final answer. */
export const runClient = async (name: string, errands: readonly Errand[], setting: Setting): Promise<void> => {
  const self = owner(name);
  for (const errand of errands) {
    await setting.scheduler.turn(self, 'goes on', errand.afterMs);
    await Promise.all(Array.from({ length: errand.copies }, () => untilFinal(self, errand, setting)));
  }
};

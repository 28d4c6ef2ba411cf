/** One cell of the crash matrix: a request, its retries and a wrong retry, with a fault at chosen calls to the outside. */
import type { Attempt } from './attempt.ts';
import { Auditor } from './auditor.ts';
import { epoch, freshDatabase } from './environment.ts';
import type { Expected } from './expected.ts';
import type { Fate } from './port.ts';
import { Process, type Surroundings, type Variant } from './process.ts';
import { Random } from './random.ts';
import { Records } from './records.ts';
import { countedReferences } from './references.ts';
import type { Body, Spoken } from './request-body.ts';
import { type Owner, owner, Scheduler } from './scheduler.ts';
import type { Isolation } from './sim-engine.ts';

/** What is sent, and where; each until its answer is final. */
export interface Sending {
  readonly body: Body;
  readonly protocol: Spoken;
  readonly at: 'first' | 'second';
  /** Before it, what the processes and their gates remember is lost. */
  readonly cold?: boolean;
  /** How it ends. */
  readonly outcome: Expected['outcome'] | 'keyReused';
}

export interface Cell {
  readonly sendings: readonly Sending[];
  readonly isolation: Isolation;
  /** By the place of the call among all of them. */
  readonly faults: ReadonlyMap<number, Fate>;
  readonly variant?: Variant;
  /** An updater outside is asked, rather than the store. */
  readonly asks?: boolean;
}

export interface Ran {
  /** Every call to the outside, in order. */
  readonly calls: readonly string[];
  readonly failures: readonly string[];
  readonly trace: readonly string[];
}

const key = 'matrix-key';
const patienceMs = 10_000;
/** At once, soon, and when a claim is old enough to be passed over: then nobody may have to come again. */
const pausesMs = [1, 100, 2_000, 0] as const;

interface Scene {
  readonly scheduler: Scheduler;
  readonly auditor: Auditor;
  readonly client: Owner;
  readonly processes: Readonly<Record<Sending['at'], Process>>;
  readonly journal: Attempt[];
}

const untilFinal = async ({ body, protocol, at, outcome }: Sending, scene: Scene): Promise<void> => {
  const { scheduler, auditor, client, processes, journal } = scene;
  for (const pauseMs of pausesMs) {
    const number = journal.length + 1;
    const attempt: Attempt = { number, client: client.name, key, body, protocol, hurt: false, unknown: false };
    journal.push(attempt);
    await scheduler.turn(client, `sends #${number} in ${protocol} to the ${at}`);
    const answer = await Promise.race([processes[at].ask(attempt), scheduler.turn(client, 'gives up', patienceMs)]);
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
  auditor.fail(`nothing final in ${protocol}`);
};

export const runCell = async ({
  sendings,
  isolation,
  faults,
  variant = (parts) => parts,
  asks,
}: Cell): Promise<Ran> => {
  const scheduler = new Scheduler(new Random(1));
  const database = await freshDatabase();
  database.now = () => epoch + scheduler.now;
  const auditor = new Auditor(() => scheduler.now);
  database.committed = (unit) => auditor.committed(unit);
  const records = new Records(() => scheduler.now);
  const calls: string[] = [];
  const surroundings: Surroundings = {
    scheduler,
    network: owner('network'),
    fates: { of: (point) => faults.get(calls.push(point) - 1) ?? 'well', lateMs: () => 50 },
    database,
    records,
    isolation,
    references: countedReferences(),
    variant,
    restartMs: () => 50,
    questioned: asks ? (question) => auditor.questioned(question) : undefined,
  };
  const processes = { first: new Process('first', surroundings), second: new Process('second', surroundings) };
  const scene = { scheduler, auditor, client: owner('client'), processes, journal: [] };
  let isOver = false;
  const play = async (): Promise<void> => {
    for (const sending of sendings) {
      if (sending.cold) {
        records.flush();
        for (const process of Object.values(processes)) process.crash();
        await scheduler.turn(scene.client, 'waits for the restart', 100);
      }
      await untilFinal(sending, scene);
    }
    isOver = true;
  };
  void play();
  await scheduler.run(() => isOver || auditor.failures.length > 0);
  if (!isOver && auditor.failures.length === 0) auditor.fail('nobody can go on');
  if (auditor.times(key) !== 1) auditor.fail(`done ${auditor.times(key)} times`);
  auditor.finish(database);
  return { calls, failures: auditor.failures, trace: scheduler.trace };
};

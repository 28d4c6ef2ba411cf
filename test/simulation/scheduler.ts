/** The scheduler: virtual time, and a random choice among all tasks that could run next. */
import type { Random } from './random.ts';

/** What tasks belong to: a process, a client, the network. */
export interface Owner {
  readonly name: string;
  /** Its tasks never run. */
  dead: boolean;
  /** Virtual milliseconds. */
  stoppedUntil: number;
}

export const owner = (name: string): Owner => ({ name, dead: false, stoppedUntil: 0 });

interface Task {
  readonly owner: Owner;
  readonly at: number;
  readonly label: string;
  readonly go: () => void;
}

/**
 * Resolves when no promise can go on: Node runs what is due in `nextTick` after all of them. It costs a fraction of a turn of the
 * event loop, and no simulated port waits for one.
 */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** The usual duration of a step in virtual milliseconds: short enough for any two to overlap. */
const latencyMs = [0, 0, 1, 2] as const;

export class Scheduler {
  /** Virtual milliseconds since the start. */
  now = 0;
  readonly trace: string[] = [];
  readonly #random: Random;
  #tasks: Task[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Resolves `ms` from now at the earliest; never for an owner that is dead by then. */
  turn(owner: Owner, label: string, ms: number = this.#random.pick(latencyMs)): Promise<void> {
    return new Promise((go) => {
      if (!owner.dead) this.#tasks.push({ owner, at: this.now + ms, label, go });
    });
  }

  note(owner: Owner, text: string): void {
    this.trace.push(`${this.now} ${owner.name}: ${text}`);
  }

  /** Runs tasks until `isOver`, or until none is left. */
  async run(isOver: () => boolean): Promise<void> {
    for (;;) {
      // The work that the last task started must reach its next port first, or the run would depend on the machine.
      await settled();
      if (isOver()) return;
      const task = this.#next();
      if (task === undefined) return;
      this.note(task.owner, task.label);
      task.go();
    }
  }

  #next(): Task | undefined {
    this.#tasks = this.#tasks.filter(({ owner }) => !owner.dead);
    if (this.#tasks.length === 0) return undefined;
    const times = this.#tasks.map(({ at, owner }) => Math.max(at, owner.stoppedUntil));
    this.now = Math.max(this.now, Math.min(...times));
    const ready = this.#tasks.filter((_, index) => times[index]! <= this.now);
    const picked = this.#random.pick(ready);
    this.#tasks.splice(this.#tasks.indexOf(picked), 1);
    return picked;
  }
}

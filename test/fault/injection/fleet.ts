/** The server processes of a run: started again as soon as they die, and struck on order. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Variables } from '../../support/server.ts';
import { type Nothing, nothing, type Order, type Ready, stoppingLine } from './points.ts';

const program = join(import.meta.dirname, 'server.ts');
/** Starting takes half as long with what Node has compiled before. */
const compiled = join(import.meta.dirname, '../../.cache/compile');
const readyMsMax = 30_000;
const stopMsMax = 20_000;
/** A database that is down ends the start of a server; it is up again long before these are used up. */
const failedStartsMax = 100;

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

const launch = (variables: Variables, log: string): ChildProcess => {
  const stderr = openSync(log, 'a');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: compiled,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'error',
      ...variables,
    },
    cwd: join(log, '..'),
    stdio: ['ignore', 'pipe', stderr, 'ipc'],
  });
  closeSync(stderr);
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  return child;
};

/** One place in the fleet; the process in it changes. */
export class Place {
  readonly #variables: Variables;
  readonly #log: string;
  #child: ChildProcess;
  #over: Promise<unknown> = Promise.resolve();
  #address: string | undefined;
  #closing = false;
  #failedStarts = 0;
  #kills = 0;
  #onStopping = (): void => this.#letGo();

  constructor(variables: Variables, log: string) {
    this.#variables = variables;
    this.#log = log;
    this.#child = this.#launch();
  }

  /** Where it answers; undefined while there is no process that does. */
  get address(): string | undefined {
    return this.#address;
  }

  /** How many processes of it ended by SIGKILL. */
  get kills(): number {
    return this.#kills;
  }

  async ready(): Promise<void> {
    const endsAt = performance.now() + readyMsMax;
    while (this.#address === undefined) {
      if (this.#failedStarts > failedStartsMax || performance.now() > endsAt)
        throw new Error(`a server process does not start:\n${readFileSync(this.#log, 'utf8').slice(-2_000)}`);
      await after(5);
    }
  }

  /** SIGKILL at this moment. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Resolves true once the process has been struck, and false where it did not come to the point in time. */
  async strike(order: Order, msMax: number): Promise<boolean> {
    const child = this.#child;
    const tell = (told: Order | Nothing) => child.connected && child.send(told, () => {});
    const waiting = new AbortController();
    const late = after(msMax, false, { signal: waiting.signal }).catch(() => false);
    const struck = new Promise<boolean>((resolve) => {
      child.once('exit', () => resolve(true));
      this.#onStopping = () => resolve(true);
      tell(order);
      late.then(resolve);
    });
    const done = await struck;
    waiting.abort();
    this.#onStopping = () => this.#letGo();
    if (!done) tell(nothing);
    return done;
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** SIGTERM: answers what it has begun. */
  async stop(): Promise<void> {
    this.#closing = true;
    this.resume();
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), stopMsMax);
    await this.#over;
    clearTimeout(timer);
  }

  async discard(): Promise<void> {
    this.#closing = true;
    this.kill();
    await this.#over;
  }

  /** For a process that stops too late for whoever ordered it: it says so before, and what comes before is of no use. */
  #letGo(): void {
    for (const ms of [0, 50, 250, 1_000]) setTimeout(() => this.resume(), ms).unref();
  }

  #launch(): ChildProcess {
    const child = launch(this.#variables, this.#log);
    this.#over = new Promise<void>((resolve) => {
      child.once('close', (_, signal) => {
        this.#address = undefined;
        if (signal === 'SIGKILL' && !this.#closing) this.#kills += 1;
        if (signal === null) this.#failedStarts += 1;
        if (!this.#closing && this.#failedStarts <= failedStartsMax) this.#child = this.#launch();
        resolve();
      });
    });
    child.once('exit', () => {
      this.#address = undefined;
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes(stoppingLine)) this.#onStopping();
    });
    child.on('message', ({ callers }: Ready) => {
      this.#address = callers;
      this.#failedStarts = 0;
    });
    return child;
  }
}

export interface Fleet {
  readonly places: readonly Place[];
  kills(): number;
  /** Lets them answer what they have begun, and end. */
  stop(): Promise<void>;
  discard(): Promise<void>;
}

/** Logs of errors go to a file for each place, in the folder. */
export const startFleet = async (count: number, folder: string, variables: Variables): Promise<Fleet> => {
  const places = Array.from({ length: count }, (_, index) => new Place(variables, join(folder, `server-${index}.log`)));
  const all = (what: (place: Place) => Promise<void>) => async () => {
    await Promise.all(places.map(what));
  };
  const discard = all((place) => place.discard());
  try {
    await all((place) => place.ready())();
  } catch (thrown) {
    await discard();
    throw thrown;
  }
  return {
    places,
    kills: () => places.reduce((sum, { kills }) => sum + kills, 0),
    stop: all((place) => place.stop()),
    discard,
  };
};

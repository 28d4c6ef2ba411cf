/** The server processes of a run: restarted as soon as they die, and interrupted on request. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { findTestProgram } from '../../support/bundled-programs.ts';
import { environment, program, type Variables } from '../../support/commands.ts';
import { hangMsMax } from '../../support/until.ts';
import { type Interruption, type NoInterruption, noInterruption, stoppingLine } from './crash-points.ts';

/** What a server process runs. It prints its address: `callers at http://127.0.0.1:40123`, or in a line of its log. */
export interface ServerProgram {
  readonly file: string;
  readonly parameters?: readonly string[];
  /** Flags of Node. */
  readonly flags?: readonly string[];
}

/** The program as it is, without crash points. */
export const plainProgram: ServerProgram = { file: program, parameters: ['serve'] };

const ready = /callers(?: at |":")(https?:\/\/[^\s",]+:\d+)/;
const stopMsMax = 20_000;
/** A server does not start while its database is down; the database is up again long before these are used up. */
const failedStartsMax = 100;

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

const launch = (
  { file, parameters = [], flags = [] }: ServerProgram,
  variables: Variables,
  log: string,
): ChildProcess => {
  const stderr = openSync(log, 'a');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, file, ...parameters], {
    env: environment({ LOG_LEVEL: 'error', ...variables }),
    cwd: join(log, '..'),
    stdio: ['ignore', 'pipe', stderr, 'ipc'],
  });
  closeSync(stderr);
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  return child;
};

/** One server of the fleet; its process changes. */
export class ServerSlot {
  readonly #program: ServerProgram;
  readonly #variables: Variables;
  readonly #log: string;
  #child: ChildProcess;
  #over: Promise<unknown> = Promise.resolve();
  #address: string | undefined;
  #closing = false;
  #failedStarts = 0;
  #kills = 0;
  #onStopping = (): void => this.#resumeRepeatedly();

  constructor(program: ServerProgram, variables: Variables, log: string) {
    this.#program = program;
    this.#variables = variables;
    this.#log = log;
    this.#child = this.#launch();
  }

  /** The address; undefined while no process is ready. */
  get address(): string | undefined {
    return this.#address;
  }

  /** How many of its processes SIGKILL has ended. */
  get kills(): number {
    return this.#kills;
  }

  async ready(): Promise<void> {
    const endsAt = performance.now() + hangMsMax;
    while (this.#address === undefined) {
      if (this.#failedStarts > failedStartsMax || performance.now() > endsAt)
        throw new Error(`a server process does not start:\n${readFileSync(this.#log, 'utf8').slice(-2_000)}`);
      await after(5);
    }
  }

  /** Sends SIGKILL. Resolves once the process has ended. */
  async kill(): Promise<void> {
    const over = this.#over;
    this.#child.kill('SIGKILL');
    await over;
  }

  /** Resolves true once the process is interrupted, and false where it does not reach the point in time. */
  async interrupt(interruption: Interruption, msMax: number): Promise<boolean> {
    const child = this.#child;
    const send = (message: Interruption | NoInterruption) => child.connected && child.send(message, () => {});
    const waiting = new AbortController();
    const late = after(msMax, false, { signal: waiting.signal }).catch(() => false);
    const interrupted = new Promise<boolean>((resolve) => {
      child.once('exit', () => resolve(true));
      this.#onStopping = () => resolve(true);
      send(interruption);
      late.then(resolve);
    });
    const isInterrupted = await interrupted;
    waiting.abort();
    this.#onStopping = () => this.#resumeRepeatedly();
    if (!isInterrupted) send(noInterruption);
    return isInterrupted;
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Sends SIGTERM: the process answers the requests that it has begun. */
  async stop(): Promise<void> {
    this.#closing = true;
    this.resume();
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => void this.kill(), stopMsMax);
    await this.#over;
    clearTimeout(timer);
  }

  async discard(): Promise<void> {
    this.#closing = true;
    await this.kill();
  }

  /** Resumes a process that stops after the time limit. Its line comes before the stop, so one signal may be too early. */
  #resumeRepeatedly(): void {
    for (const ms of [0, 50, 250, 1_000]) setTimeout(() => this.resume(), ms).unref();
  }

  #launch(): ChildProcess {
    const child = launch(this.#program, this.#variables, this.#log);
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
    let output: string | undefined = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes(stoppingLine)) this.#onStopping();
      if (output === undefined) return;
      output += text;
      const address = ready.exec(output)?.[1];
      if (address === undefined) return;
      output = undefined;
      this.#address = address;
      this.#failedStarts = 0;
    });
    return child;
  }
}

export interface Fleet {
  readonly servers: readonly ServerSlot[];
  /** Whether no process starts any more. */
  isOver(): boolean;
  kills(): number;
  /** Stops them after the requests that they have begun. */
  stop(): Promise<void>;
  discard(): Promise<void>;
}

/** Each server runs in the folder, and logs errors to a file there. */
export const startFleet = async (
  count: number,
  folder: string,
  variables: Variables,
  program: ServerProgram,
): Promise<Fleet> => {
  const found = await findTestProgram(program.file);
  const servers = Array.from(
    { length: count },
    (_, index) =>
      new ServerSlot(
        { ...program, file: found.file },
        { ...found.variables, ...variables },
        join(folder, `server-${index}.log`),
      ),
  );
  const all = (action: (server: ServerSlot) => Promise<void>) => async () => {
    await Promise.all(servers.map(action));
  };
  let isOver = false;
  const discardAll = all((server) => server.discard());
  const discard = () => {
    isOver = true;
    return discardAll();
  };
  try {
    await all((server) => server.ready())();
  } catch (thrown) {
    await discard();
    throw thrown;
  }
  return {
    servers,
    isOver: () => isOver,
    kills: () => servers.reduce((sum, { kills }) => sum + kills, 0),
    stop: all((server) => server.stop()),
    discard,
  };
};

/** Runs commands of the program: in a process that stays for the next one, or in one of their own. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { compileCache } from './compile-cache.ts';

/** The sources, or the program that `npm test` has bundled from them. */
export const program = process.env.TEST_PROGRAM ?? join(import.meta.dirname, '../../src/program/main.ts');
const host = join(import.meta.dirname, 'command-host.ts');

export type Variables = Readonly<Record<string, string>>;

/** The environment of the child, without settings and Node flags of the tests' own. */
export const environment = (variables: Variables): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: compileCache,
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  ...variables,
});

export interface Ended {
  /** Null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  /** Without lines of progress, which only a slow machine prints. */
  readonly stderr: string;
}

/** A command for the process that stays. */
export interface HostedCommand {
  readonly parameters: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Servers end by signals, and get a process of their own. */
const servers = ['serve', 'demo', 'mock'];

/** Runs a command and waits until it ends. Commands at the same time run one after the other. */
export async function triglyph(
  parameters: readonly string[],
  folder: string,
  variables: Variables = {},
): Promise<Ended> {
  if (servers.includes(parameters[0] ?? '')) return spawnTriglyph(parameters, folder, variables);
  const command: HostedCommand = { parameters, folder, env: environment(variables) };
  const result = queue.then(() => runHosted(command));
  queue = result.catch(() => {});
  return result;
}

let queue: Promise<unknown> = Promise.resolve();
let running: ChildProcess | undefined;
let idleTimer: NodeJS.Timeout | undefined;
/** The process ends when its test file has ended, which nothing announces. */
const idleMsMax = 2_000;

async function runHosted(command: HostedCommand): Promise<Ended> {
  clearTimeout(idleTimer);
  running ??= startHost();
  const child = running;
  keepAlive(child, true);
  const failed = new AbortController();
  const gone = once(child, 'exit', { signal: failed.signal }).then(([code]) => {
    running = undefined;
    throw new Error(`the process of triglyph ${command.parameters.join(' ')} ended with ${code}`);
  });
  gone.catch(() => {});
  child.send(command);
  try {
    const [result] = (await Promise.race([once(child, 'message'), gone])) as [Ended];
    return withoutProgress(result);
  } finally {
    failed.abort();
    keepAlive(child, false);
    idleTimer = setTimeout(endHost, idleMsMax).unref();
  }
}

function startHost(): ChildProcess {
  const { TEST_PROGRAM = '' } = process.env;
  return fork(host, [], {
    env: { ...environment({}), ...(TEST_PROGRAM && { TEST_PROGRAM }) },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Whether this process waits for the other one. */
function keepAlive(child: ChildProcess, isWaiting: boolean): void {
  for (const each of [child, child.channel])
    if (isWaiting) each?.ref();
    else each?.unref();
}

function endHost(): void {
  running?.disconnect();
  running = undefined;
}

/** Runs a command in a process of its own. */
export async function spawnTriglyph(
  parameters: readonly string[],
  folder: string,
  variables: Variables = {},
  input?: string,
): Promise<Ended> {
  const { child, received, over } = startTriglyph(parameters, folder, variables);
  child.stdin?.end(input);
  const code = await over;
  return withoutProgress({ code, ...received });
}

/** So long a command runs before this process looks again how far it is. */
const sliceMs = 20;

/**
 * Starts a command, kills it with SIGKILL once `isFar` returns true, and returns its output. It is suspended while this process looks, so
 * that it does not end before on a busy machine.
 */
export async function killedWhen(
  parameters: readonly string[],
  folder: string,
  variables: Variables,
  isFar: () => boolean | Promise<boolean>,
): Promise<Ended> {
  const { child, received, over } = startTriglyph(parameters, folder, variables);
  try {
    while (child.exitCode === null && !(await isFar())) {
      child.kill('SIGCONT');
      await after(sliceMs);
      child.kill('SIGSTOP');
    }
  } finally {
    child.kill('SIGKILL');
  }
  const code = await over;
  return withoutProgress({ code, ...received });
}

export interface Started {
  readonly child: ChildProcess;
  /** The output so far. */
  readonly received: { readonly stdout: string; readonly stderr: string };
  /** The exit code. */
  readonly over: Promise<number | null>;
}

/** Starts the program, or `file` in its place, in the test's folder: it reads no .env of the developer. */
export function startTriglyph(
  parameters: readonly string[],
  folder: string,
  variables: Variables,
  file: string = program,
): Started {
  const child = spawn(process.execPath, [file, ...parameters], {
    cwd: folder,
    env: environment(variables),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const received = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      received[name] += text;
    });
  const over = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { child, received, over };
}

function withoutProgress<Result extends { readonly stderr: string }>(result: Result): Result {
  return { ...result, stderr: result.stderr.replace(/^\d+ %: .*\n/gm, '') };
}

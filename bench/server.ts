/** A server under measurement: its process, with CPU time and memory as the kernel counts them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pinned, serverCore } from './machine.ts';

export interface Server {
  readonly pid: number;
  /** From the start of the process until it is ready. */
  readonly readyMs: number;
  /** CPU time of all threads since the start, user and system. */
  cpuUs(): number;
  /** Resident memory. */
  rssBytes(): number;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface Launch {
  /** `node` where it is absent. */
  readonly program?: string;
  readonly parameters: readonly string[];
  /** One core where it is absent. */
  readonly cores?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Answers with a status below 400 once the server is ready. */
  readonly readyUrl: string;
  /** Where standard output and errors go. */
  readonly logFile: string;
  readonly readyMsMax: number;
}

const returnedPorts = new Set<number>();

/** A port that is free now, and that no call returned before: its server may not listen yet. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    if (returnedPorts.has(port)) continue;
    returnedPorts.add(port);
    return port;
  }
};

const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK']).stdout?.toString() || 100);

/** Fields 14 and 15 of proc_pid_stat(5); the name of the program, which may hold anything, ends at the last bracket. */
export const cpuUs = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond;
};

/** Of a process whose threads do not end. The kernel counts theirs in nanoseconds, and the times above in ticks of 10 ms. */
export const threadCpuUs = (pid: number): number => {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
  return ns.reduce((sum, each) => sum + each, 0) / 1000;
};

/** As proc_pid_status(5) names it: what is resident now, or was at most. Throws, or returns NaN, where the process has ended. */
export const memoryBytes = (pid: number, name: 'VmRSS' | 'VmHWM'): number => {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
};

/** The peak, `VmHWM`, begins anew: proc_pid_clear_refs(5). */
export const forgetPeakMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** The same, for a program that may end at any time: 0 then. */
export const memoryBytesOrNone = (pid: number, name: 'VmRSS' | 'VmHWM'): number => {
  try {
    return memoryBytes(pid, name) || 0;
  } catch {
    return 0;
  }
};

const isReady = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status < 400;
  } catch {
    return false;
  }
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exited;
  clearTimeout(killTimer);
};

/** Starts a server and waits until it is ready; throws with the end of its log where it fails. */
export const startServer = async (launch: Launch): Promise<Server> => {
  const {
    program: launched = process.execPath,
    parameters,
    cores = serverCore,
    env,
    readyUrl,
    logFile,
    readyMsMax,
  } = launch;
  const output = openSync(logFile, 'a');
  const startedAt = performance.now();
  const [program, all] = pinned(cores, launched, parameters);
  const child = spawn(program, all, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
  closeSync(output);
  while (!(await isReady(readyUrl))) {
    const failed = child.exitCode !== null || child.signalCode !== null;
    if (failed || performance.now() - startedAt > readyMsMax) {
      await stop(child);
      const log = readFileSync(logFile, 'utf8').slice(-2000);
      throw new Error(`${launched} ${parameters.join(' ')} ${failed ? 'ended' : 'was not ready in time'}:\n${log}`);
    }
    await sleep(5);
  }
  const readyMs = performance.now() - startedAt;
  const pid = child.pid!;
  return Object.freeze<Server>({
    pid,
    readyMs,
    cpuUs: () => cpuUs(pid),
    rssBytes: () => memoryBytes(pid, 'VmRSS'),
    signal: (name) => {
      child.kill(name);
    },
    stop: () => stop(child),
  });
};

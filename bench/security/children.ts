/** Programs beside the server: the neighbour, the attackers and the load. The attackers give way to the others. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { loadCore, pinned } from '../machine.ts';

export interface Neighbour {
  readonly answers: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Measures the neighbour for so many seconds. */
export async function measureNeighbour(port: number, seconds: number, anew = false): Promise<Neighbour> {
  const child = start('neighbour.ts', [String(port), String(seconds), ...(anew ? ['anew'] : [])], 0);
  return JSON.parse(await text(child.stdout!)) as Neighbour;
}

/** How often each status was answered, and how many connections were lost. */
export type Got = Readonly<Record<string, number>>;

/** Resolves when the attack has begun, with what ends it. */
export async function startAttack(name: string, port: number): Promise<() => Promise<Got>> {
  const child = start('attacker.ts', [name, String(port)], 19);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  await lines.next();
  return async () => {
    child.kill('SIGTERM');
    const { value } = await lines.next();
    return JSON.parse(value ?? '{}') as Got;
  };
}

/** Runs the load of overload.ts, and returns what it prints. `onEdge` is called when the measured time begins, and when it ends. */
export async function runLoad<T>(parameters: readonly string[], onEdge: () => void): Promise<T> {
  const child = start('load.ts', parameters, 0);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  await lines.next();
  onEdge();
  const { value } = await lines.next();
  onEdge();
  return JSON.parse(value ?? '') as T;
}

function start(file: string, parameters: readonly string[], niceness: number): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', path, ...parameters];
  const [program, all] = pinned(loadCore, 'nice', ['-n', String(niceness), ...node]);
  return spawn(program, all, { stdio: ['ignore', 'pipe', 'inherit'] });
}

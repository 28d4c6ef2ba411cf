/** Process groups: a program in one of its own, and all processes that it starts. */
import { spawn } from 'node:child_process';
import { until } from './until.ts';

export interface Group {
  /** Of the program, and of its group. */
  readonly pid: number;
  /** What the processes have printed. */
  output(): string;
}

/** Starts a program in a group of its own. */
export function startGroup(
  command: string,
  parameters: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Group {
  const child = spawn(command, parameters, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return { pid: child.pid!, output: () => output };
}

/** Whether a process of the group runs. */
export function hasProcesses(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Kills what is left of the group. */
export async function endGroup(pid: number): Promise<void> {
  if (hasProcesses(pid)) process.kill(-pid, 'SIGKILL');
  await until('the end of the group', () => !hasProcesses(pid));
}

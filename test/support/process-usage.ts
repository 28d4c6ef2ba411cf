/** Reads the CPU time and memory of a running process from the kernel. */
import { readFileSync } from 'node:fs';

/** Milliseconds per tick of the kernel's counters on Linux. */
const msPerTick = 10;

/** The CPU time of all threads so far. Unlike wall-clock time, it does not grow with other load. */
export const cpuMsOf = (pid: number): number => {
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const [userTicks, systemTicks] = fields.slice(11, 13).map(Number);
  return (userTicks! + systemTicks!) * msPerTick;
};

/** Resident memory in MB. */
export const megabytesOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

/** Reads the CPU time and memory of a running process from the kernel. */
import { readFileSync } from 'node:fs';

/** The unit of the kernel's counters, on every Linux that Node runs on. */
const msPerTick = 10;

/** The processor time of all threads so far. Unlike the time on the clock, it does not grow with what else the machine does. */
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

/** The log: one JSON line for each event, buffered, without card numbers. */
import { openSync } from 'node:fs';
import { redact } from '../core/lib/index.ts';
import { LineWriter } from './line-writer.ts';

/** The levels that a log may have, the lowest first. */
const levels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Log {
  /** Writes a line with a message. Members that are undefined are left out. */
  write(level: LogLevel, message: string, members?: object): void;
  /** Writes the line of a request. `members`: those of a JSON object, printed and without its braces: `"status":200,"ms":1.2`. */
  writeRequest(level: LogLevel, members: string): void;
  /** Whether lines of requests are written. */
  readonly writesRequests: boolean;
  /** Writes the buffered lines. Drops those that are not written within `msMax`. */
  close(msMax?: number): Promise<void>;
}

interface LogTarget {
  /** A file to write to. Standard output by default. */
  readonly file?: string;
  /** Whether other processes write there too. */
  readonly isShared?: boolean;
  /** The number of the process, in every line; absent where it is the only one. */
  readonly worker?: number | undefined;
  /** Called when a write fails. The lines are written again later. */
  readonly onError?: (thrown: Error) => void;
  /** Counts failed writes, and lines that were dropped because none succeeded. */
  readonly count?: (kind: 'failed' | 'dropped', times: number) => void;
}

const closeMsMax = 1_000;

/** Opens the log. `level`: of the lowest lines that are written; `silent` writes none. */
export function openLog(
  level: string,
  { file, isShared = false, worker, onError = () => {}, count = () => {} }: LogTarget = {},
): Log {
  const now = isoClock();
  const ofWorker = worker === undefined ? '' : `,"worker":${worker}`;
  const enabled = new Set(levels.slice(levels.indexOf(level)));
  const writeRequest: Log['writeRequest'] = (lineLevel, members) => {
    if (enabled.has(lineLevel)) writer.write(`{"level":"${lineLevel}","time":"${now()}"${ofWorker},${members}}\n`);
  };
  const writer = new LineWriter({
    fd: file === undefined ? 1 : openSync(file, 'a'),
    ...(isShared ? sharedBuffer : ownBuffer),
    onError(thrown) {
      count('failed', 1);
      onError(thrown);
    },
    onDropped: (lines) => count('dropped', lines),
    describeGap: (lines) =>
      `{"level":"warn","time":"${now()}"${ofWorker},"msg":"lines of the log were dropped","lines":${lines}}\n`,
  });
  openWriters.add(writer);
  if (openWriters.size === 1) process.once('exit', closeWriters);
  return {
    write(lineLevel, msg, members) {
      // Without the braces.
      if (enabled.has(lineLevel)) writeRequest(lineLevel, JSON.stringify({ msg, ...members }).slice(1, -1));
    },
    writeRequest,
    writesRequests: enabled.has('info'),
    close(msMax = closeMsMax) {
      openWriters.delete(writer);
      if (openWriters.size === 0) process.off('exit', closeWriters);
      return writer.close(msMax);
    },
  };
}

/** The writers of all logs of the process, with one listener for its end. */
const openWriters = new Set<LineWriter>();

function closeWriters(): void {
  for (const writer of openWriters) writer.closeSync();
}

/** Logs an error outside of a request. */
export function logFailure(log: Log, thrown: unknown, message: string): void {
  log.write('error', message, { cause: describeError(thrown) });
}

/** A pipe holds 64 KiB. Each write wakes a thread, which costs as much as printing twenty lines. */
const ownBuffer = { bytesMin: 49_152, bytesMax: 65_536 };

/**
 * For several processes that write to one pipe. The kernel writes up to 4096 bytes (PIPE_BUF) at once; longer writes of two
 * processes could mix. Only the stack of an error can make a single line longer.
 */
const sharedBuffer = { bytesMin: 2_048, bytesMax: 4_096 };

/** Formats the time. Date and seconds are formatted once a second, since many lines have the same. */
function isoClock(): () => string {
  let second = Number.NaN;
  let printed = '';
  return () => {
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) {
      second = now - ms;
      printed = new Date(second).toISOString().slice(0, -'000Z'.length);
    }
    return `${printed}${String(ms).padStart(3, '0')}Z`;
  };
}

const causesMax = 4;

/** Name, message and stack, without card numbers, also of its causes. */
export function describeError(thrown: unknown, depth = 1): object {
  if (!(thrown instanceof Error)) return { name: typeof thrown };
  const { name, message, stack = '', cause } = thrown;
  const deeper = cause === undefined || depth === causesMax ? {} : { cause: describeError(cause, depth + 1) };
  return { name, message: redact(message), stack: redact(stack), ...deeper };
}

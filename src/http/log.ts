/** The log: one JSON line an event, buffered, free of card numbers. */
import { openSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { LogEntry } from '../gateway/answer.ts';
import { redact } from '../lib/redact.ts';

/** Where lines go. */
export interface Log {
  /** For everything but the requests. */
  readonly logger: Logger;
  /** One line; `members` are those of a JSON object, without its braces: `"status":200,"ms":1.2`. */
  write(level: 'info' | 'error', members: string): void;
  /** Writes what is still gathered. */
  close(): void;
}

/** What the server has seen of an answered request. */
export interface ObservedRequest {
  readonly status: number;
  /** From the head's arrival to the answer's writing. */
  readonly ms: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly address: string;
  /** The caller had gone before the answer. */
  readonly aborted: boolean;
}

/** Lines are gathered to this length before they are written, or for this long. */
const gatheredBytes = 16_383;
const gatheredMs = 500;

/**
 * Where several processes write to one pipe: the kernel keeps a write together up to 4096 bytes (PIPE_BUF), and lines of
 * two processes would else be torn into each other. Only a failure's stack may make a single line longer.
 */
const shared = { minLength: 2_048, maxWrite: 4_096 };

/** Many lines are written in one second: its part of the time is printed once. */
const isoClock = (): (() => string) => {
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
};

export interface LogTarget {
  /** Instead of standard output. */
  readonly file?: string;
  /** Other processes write there too. */
  readonly isShared?: boolean;
  /** Called when a line cannot be written. After EPIPE, further lines are discarded. */
  readonly onError?: (thrown: Error) => void;
}

/** Opens the log on standard output, or on a file. */
export const openLog = (level: string, { file, isShared = false, onError }: LogTarget = {}): Log => {
  const dest = file === undefined ? 1 : openSync(file, 'a');
  const gathering = isShared ? shared : { minLength: gatheredBytes };
  const destination = pino.destination({ dest, sync: false, ...gathering, periodicFlush: gatheredMs });
  if (onError !== undefined) destination.on('error', onError);
  const now = isoClock();
  const logger = pino(
    { level, base: null, timestamp: () => `,"time":"${now()}"`, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
  const enabled = { info: logger.isLevelEnabled('info'), error: logger.isLevelEnabled('error') };
  const close = (): void => {
    process.off('exit', close);
    try {
      destination.flushSync();
    } catch {
      // Nobody reads standard output any more; there is nowhere to say so.
    }
  };
  process.once('exit', close);
  return {
    logger,
    // The line of every request goes round pino's serializers, which take several times as long as printing it by hand.
    write: (level, members) => {
      if (enabled[level]) destination.write(`{"level":"${level}","time":"${now()}",${members}}\n`);
    },
    close,
  };
};

const causesMax = 4;

const causeOf = (thrown: unknown, depth = 1): object => {
  if (!(thrown instanceof Error)) return { name: typeof thrown };
  const { name, message, stack = '', cause } = thrown;
  const deeper = cause === undefined || depth === causesMax ? {} : { cause: causeOf(cause, depth + 1) };
  return { name, message: redact(message), stack: redact(stack), ...deeper };
};

/** What stands in JSON as it is; everything that a line holds as a rule does. */
const plain = /^[\w .:@/-]*$/;

const textMember = (name: string, value: string | undefined): string => {
  if (value === undefined) return '';
  return plain.test(value) ? `"${name}":"${value}",` : `"${name}":${JSON.stringify(value)},`;
};

/** The line of an answered request: names and numbers, never what a caller wrote into a field. */
export const logRequest = (log: Log, entry: LogEntry, seen: ObservedRequest): void => {
  const { problem } = entry;
  const cause = problem?.type === 'internal' ? problem.cause : undefined;
  // A Fault is HTTP 500 for every refusal: what counts is whose fault it is.
  const members =
    textMember('protocol', entry.protocol) +
    textMember('service', entry.service) +
    (entry.version === undefined ? '' : `"version":${entry.version},`) +
    textMember('operation', entry.operation) +
    textMember('credential', entry.credential) +
    textMember('company', entry.company) +
    textMember('pspReference', entry.pspReference || undefined) +
    textMember('outcome', entry.outcome) +
    (entry.replayed ? '"replayed":true,' : '') +
    `"status":${seen.status},"ms":${Math.round(seen.ms * 1000) / 1000},"bytesIn":${seen.bytesIn},` +
    `"bytesOut":${seen.bytesOut},${textMember('address', seen.address)}` +
    (seen.aborted ? '"aborted":true,' : '') +
    textMember('reason', problem?.reason) +
    (cause === undefined ? '' : `"cause":${JSON.stringify(causeOf(cause))},`);
  // Each member ends with its comma; the last one has none.
  log.write(problem?.type === 'internal' ? 'error' : 'info', members.slice(0, -1));
};

/** Something of ours failed outside of a request. */
export const logFailure = (log: Log, thrown: unknown, message: string): void => {
  log.write('error', `"msg":${JSON.stringify(message)},"cause":${JSON.stringify(causeOf(thrown))}`);
};

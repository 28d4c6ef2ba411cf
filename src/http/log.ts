/** The log: one JSON line an event, buffered, free of card numbers. */
import { openSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Account } from '../gateway/answer.ts';
import { veil } from '../veil.ts';

/** Where lines go. */
export interface Log {
  /** For everything but the requests. */
  readonly logger: Logger;
  /** One line with these fields; those undefined are left out. */
  write(level: 'info' | 'error', fields: object): void;
  /** Writes what is still gathered. */
  close(): void;
}

/** What an answered request was, beside its account. */
export interface Seen {
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

/** Many lines are written in one millisecond. */
const isoClock = (): (() => string) => {
  let at = 0;
  let printed = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      printed = new Date(now).toISOString();
    }
    return printed;
  };
};

/** Opens the log on standard output, or on a file. */
export const openLog = (level: string, file?: string): Log => {
  const dest = file === undefined ? 1 : openSync(file, 'a');
  const destination = pino.destination({ dest, sync: false, minLength: gatheredBytes, periodicFlush: gatheredMs });
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
    // The line of every request goes round pino's serializers, which take twice as long as V8's own.
    write: (level, fields) => {
      if (!enabled[level]) return;
      destination.write(`{"level":"${level}","time":"${now()}",${JSON.stringify(fields).slice(1)}\n`);
    },
    close,
  };
};

const causesMax = 4;

const causeOf = (thrown: unknown, depth = 1): object => {
  if (!(thrown instanceof Error)) return { name: typeof thrown };
  const { name, message, stack = '', cause } = thrown;
  const deeper = cause === undefined || depth === causesMax ? {} : { cause: causeOf(cause, depth + 1) };
  return { name, message: veil(message), stack: veil(stack), ...deeper };
};

/** The line of an answered request: names and numbers, never what a caller wrote into a field. */
export const logAnswer = (log: Log, account: Account, seen: Seen): void => {
  const { problem } = account;
  const cause = problem?.type === 'internal' ? problem.cause : undefined;
  // A Fault is HTTP 500 for every refusal: what counts is whose fault it is.
  log.write(problem?.type === 'internal' ? 'error' : 'info', {
    protocol: account.protocol,
    service: account.service,
    version: account.version,
    operation: account.operation,
    credential: account.credential,
    company: account.company,
    pspReference: account.pspReference || undefined,
    outcome: account.outcome,
    replayed: account.replayed || undefined,
    status: seen.status,
    ms: Math.round(seen.ms * 1000) / 1000,
    bytesIn: seen.bytesIn,
    bytesOut: seen.bytesOut,
    address: seen.address,
    aborted: seen.aborted || undefined,
    reason: problem?.reason,
    cause: cause === undefined ? undefined : causeOf(cause),
  });
};

/** Something of ours failed outside of a request's account. */
export const logFailure = (log: Log, thrown: unknown, message: string): void => {
  log.write('error', { msg: message, cause: causeOf(thrown) });
};

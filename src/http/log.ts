/** The log: one JSON line an event, buffered, free of card numbers. */
import { openSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Account } from '../gateway/answer.ts';

export type Log = Logger;

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

const bufferBytesMin = 4096;
const flushEveryMs = 500;

/** Many lines are written in one millisecond. */
const isoTime = (): (() => string) => {
  let at = 0;
  let printed = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      printed = `,"time":"${new Date(now).toISOString()}"`;
    }
    return printed;
  };
};

/**
 * Opens the log on standard output, or on a file. Lines are gathered and written together; `close` writes the last ones.
 */
export const openLog = (level: string, file?: string): { readonly log: Log; close(): void } => {
  const destination = pino.destination({
    dest: file === undefined ? 1 : openSync(file, 'a'),
    sync: false,
    minLength: bufferBytesMin,
    periodicFlush: flushEveryMs,
  });
  const log = pino(
    { level, base: null, timestamp: isoTime(), formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
  const close = (): void => {
    process.off('exit', close);
    try {
      destination.flushSync();
    } catch {
      // Nobody reads standard output any more; there is nowhere to say so.
    }
  };
  process.once('exit', close);
  return { log, close };
};

/** Runs of 12 to 19 digits, also with blanks or dashes between, may be a card number: free text loses them. */
export const scrub = (text: string): string => text.replace(/\d(?:[ -]?\d){11,}/g, '[digits]');

const causesMax = 4;

const causeOf = (thrown: unknown, depth = 1): object => {
  if (!(thrown instanceof Error)) return { name: typeof thrown };
  const { name, message, stack = '', cause } = thrown;
  const deeper = cause === undefined || depth === causesMax ? {} : { cause: causeOf(cause, depth + 1) };
  return { name, message: scrub(message), stack: scrub(stack), ...deeper };
};

/** The line of an answered request: names and numbers, never what a caller wrote into a field. */
export const logAnswer = (log: Log, account: Account, seen: Seen): void => {
  const { problem } = account;
  const line: Record<string, unknown> = {
    protocol: account.protocol,
    service: account.service,
    version: account.version,
    operation: account.operation,
    credential: account.credential,
    company: account.company,
    pspReference: account.pspReference || undefined,
    outcome: account.outcome,
    status: seen.status,
    ms: Math.round(seen.ms * 1000) / 1000,
    bytesIn: seen.bytesIn,
    bytesOut: seen.bytesOut,
    address: seen.address,
  };
  if (seen.aborted) line.aborted = true;
  if (problem === undefined) {
    log.info(line);
    return;
  }
  line.reason = problem.reason;
  if (problem.type !== 'internal') {
    log.info(line);
    return;
  }
  // A Fault is HTTP 500 for every refusal: what counts is whose fault it is.
  if (problem.cause !== undefined) line.cause = causeOf(problem.cause);
  log.error(line);
};

/** Something of ours failed outside of a request's account. */
export const logFailure = (log: Log, thrown: unknown, message: string): void => {
  log.error({ cause: causeOf(thrown) }, message);
};

/** Which of PostgreSQL's errors mean that the store cannot answer now, and which of those a second try may outlive. */

import { LockTimeout } from '../../idempotency/ports.ts';
import { StoreUnavailable } from '../errors.ts';

/** Nothing was done, and doing it again may go well: another unit was in the way, or the connection was lost. */
export class TransientFailure extends StoreUnavailable {
  /** The connection is gone, and what it had begun with it. */
  readonly lost: boolean;
  constructor(reason: string, { lost, cause }: { readonly lost: boolean; readonly cause: unknown }) {
    super(`the store cannot answer now: ${reason}`, { cause });
    this.lost = lost;
  }
}

/** What a server says in its errors; a socket's error has no severity. */
interface ServerError {
  readonly severity: string;
  /** The SQLSTATE: five characters. */
  readonly code: string;
}

export const serverError = (thrown: unknown): ServerError | undefined =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'severity' in thrown &&
  typeof thrown.severity === 'string' &&
  'code' in thrown &&
  typeof thrown.code === 'string'
    ? (thrown as ServerError)
    : undefined;

/** By SQLSTATE: the transaction was undone, and would not be in the way of itself. */
const conflicts: ReadonlyMap<string, string> = new Map([
  ['40001', 'other units were in the way again and again'],
  ['40P01', 'other units held one another up again and again'],
]);

/** By SQLSTATE: passing states of a server. */
const unavailable: ReadonlyMap<string, string> = new Map([
  ['25006', 'the database is read-only'],
  ['53000', 'the database server is short of something'],
  ['53100', 'the disk of the database server is full'],
  ['53200', 'the database server is out of memory'],
  ['53300', 'the database server has too many connections'],
  ['55P03', 'another unit holds what this one needs'],
  ['57014', 'the database took too long'],
  ['58030', 'reading or writing the disk of the database server failed'],
]);

/** States in which another connection may find another server, or another state of this one. */
const worthAnother: ReadonlyMap<string, string> = new Map([
  ['0A000', 'the database server is a standby, or its tables have changed'],
  ['25P03', 'the database ended a unit that was idle for too long'],
  ['57P01', 'the database server ended the connection'],
  ['57P02', 'the database server crashed'],
  ['57P03', 'the database server is starting or stopping'],
  ['57P05', 'the database server ended an idle connection'],
]);

/** How the client says that the socket is gone or that nobody answers on it; it has no codes for that. */
const lostMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/;

const messageOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : String(thrown);

const isSocketFault = (thrown: unknown): boolean =>
  (typeof thrown === 'object' && thrown !== null && 'syscall' in thrown) || lostMessages.test(messageOf(thrown));

/**
 * The error of a statement as the store's callers know it; what is nobody's passing trouble stays as it is. `bounded`: the
 * statement waited for less than the engine's rule.
 */
export const translated = (thrown: unknown, { bounded = false }: { readonly bounded?: boolean } = {}): unknown => {
  const said = serverError(thrown);
  if (said === undefined)
    return isSocketFault(thrown)
      ? new TransientFailure('the connection to the database was lost', { lost: true, cause: thrown })
      : thrown;
  const { code, severity } = said;
  if (bounded && code === '55P03') return new LockTimeout('another unit holds what this one needs', { cause: thrown });
  const conflict = conflicts.get(code);
  if (conflict !== undefined) return new TransientFailure(conflict, { lost: false, cause: thrown });
  const other = worthAnother.get(code);
  if (other !== undefined) return new TransientFailure(other, { lost: true, cause: thrown });
  if (severity === 'FATAL' || severity === 'PANIC')
    return new TransientFailure('the database server ended the connection', { lost: true, cause: thrown });
  const reason = unavailable.get(code);
  return reason === undefined
    ? thrown
    : new StoreUnavailable(`the store cannot answer now: ${reason}`, { cause: thrown });
};

/** No connection could be had; what the server or the system says to it names no password. */
export const cannotConnect = (place: string, thrown: unknown): StoreUnavailable => {
  const code = serverError(thrown)?.code;
  const system = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  const known = code === undefined ? undefined : (unavailable.get(code) ?? worthAnother.get(code));
  const reason = known ?? (code === undefined ? (system ?? messageOf(thrown)) : messageOf(thrown));
  return new StoreUnavailable(`the store cannot answer now: no connection to ${place}: ${reason}`, { cause: thrown });
};

/** Of a commit: true where the server itself says that it was undone; anything else leaves open what became of it. */
export const isUndone = (thrown: unknown): boolean => {
  const said = serverError(thrown);
  // 40003: the server does not know either. 57014: it was told to give up, which can come too late.
  return said !== undefined && said.severity === 'ERROR' && said.code !== '40003' && said.code !== '57014';
};

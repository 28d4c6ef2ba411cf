/** Classifies errors of PostgreSQL: store unavailable, worth a retry, or a defect. */

import { LockTimeout } from '../../core/idempotency/index.ts';
import { StoreUnavailable } from '../errors.ts';

/** Nothing was written and a retry may succeed: a conflict with another transaction, or a lost connection. */
export class TransientFailure extends StoreUnavailable {
  /** The connection is lost, and the server has rolled back. */
  readonly lost: boolean;
  constructor(reason: string, { lost, cause }: { readonly lost: boolean; readonly cause: unknown }) {
    super(`the store cannot answer now: ${reason}`, { cause });
    this.lost = lost;
  }
}

/** An error that the server reports. An error of the socket has no severity. */
interface ServerError {
  readonly severity: string;
  /** The SQLSTATE: five characters. */
  readonly code: string;
}

export function serverError(thrown: unknown): ServerError | undefined {
  return typeof thrown === 'object' &&
    thrown !== null &&
    'severity' in thrown &&
    typeof thrown.severity === 'string' &&
    'code' in thrown &&
    typeof thrown.code === 'string'
    ? (thrown as ServerError)
    : undefined;
}

/** By SQLSTATE: the transaction was rolled back because of another one. */
const conflicts: ReadonlyMap<string, string> = new Map([
  ['40001', 'conflicts with other transactions after several retries'],
  ['40P01', 'deadlocks with other transactions after several retries'],
]);

/** Temporary states of a server by their SQLSTATE. */
const unavailable: ReadonlyMap<string, string> = new Map([
  ['53000', 'the database server has insufficient resources'],
  ['53100', 'the disk of the database server is full'],
  ['53200', 'the database server is out of memory'],
  ['53300', 'the database server has too many connections'],
  ['55P03', 'another transaction holds a lock that this one needs'],
  ['57014', 'the database took too long'],
  ['58030', 'reading or writing the disk of the database server failed'],
]);

/** By SQLSTATE: the connection is of no more use, but a new one may work. */
const worthReconnecting: ReadonlyMap<string, string> = new Map([
  ['0A000', 'the database server is a standby, or its tables have changed'],
  ['25006', 'the database is read-only'],
  ['25P03', 'the database ended a transaction that was idle for too long'],
  ['57P01', 'the database server ended the connection'],
  ['57P02', 'the database server crashed'],
  ['57P03', 'the database server is starting or stopping'],
  ['57P05', 'the database server ended an idle connection'],
]);

/** The messages of the client for a lost or silent connection; it has no codes for them. */
const lostMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/;

/**
 * The error of the store for an error of a statement. An error that is not temporary stays unchanged. `bounded`: the
 * statement had a shorter lock timeout than the engine's.
 */
export function translated(thrown: unknown, { bounded = false }: { readonly bounded?: boolean } = {}): unknown {
  const error = serverError(thrown);
  if (error === undefined)
    return isSocketError(thrown)
      ? new TransientFailure('the connection to the database was lost', { lost: true, cause: thrown })
      : thrown;
  const { code, severity } = error;
  if (bounded && code === '55P03')
    return new LockTimeout('another transaction holds a lock that this one needs', { cause: thrown });
  // `on conflict` covers one index. Two transactions that add the same row at once may meet in another one first.
  if (bounded && code === '23505')
    return new TransientFailure('another transaction added the same row', { lost: false, cause: thrown });
  const conflict = conflicts.get(code);
  if (conflict !== undefined) return new TransientFailure(conflict, { lost: false, cause: thrown });
  const ended = worthReconnecting.get(code);
  if (ended !== undefined) return new TransientFailure(ended, { lost: true, cause: thrown });
  if (severity === 'FATAL' || severity === 'PANIC')
    return new TransientFailure('the database server ended the connection', { lost: true, cause: thrown });
  const reason = unavailable.get(code);
  return reason === undefined
    ? thrown
    : new StoreUnavailable(`the store cannot answer now: ${reason}`, { cause: thrown });
}

/** Whether the server refuses writes: a standby, or a primary that was demoted. */
export function isReadOnly(thrown: unknown): boolean {
  const code = serverError(thrown)?.code;
  // 0A000: a standby has no serializable transactions.
  return code === '25006' || code === '0A000';
}

/** Whether the server has not answered in time. A live server has cancelled the statement by then. */
export function isSilence(thrown: unknown): boolean {
  return messageOf(thrown).startsWith('Query read timeout');
}

/** Connecting failed. The messages of the server and the system contain no password. */
export function cannotConnect(address: string, thrown: unknown): StoreUnavailable {
  const code = serverError(thrown)?.code;
  const system = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  const known = code === undefined ? undefined : (unavailable.get(code) ?? worthReconnecting.get(code));
  const reason = known ?? (code === undefined ? (system ?? messageOf(thrown)) : messageOf(thrown));
  return new StoreUnavailable(`the store cannot answer now: no connection to ${address}: ${reason}`, { cause: thrown });
}

/** Whether the server reports that it rolled a commit back. After any other error the outcome is unknown. */
export function isRolledBack(thrown: unknown): boolean {
  const error = serverError(thrown);
  // 40003: the server does not know either. 57014: a cancellation, which may come after the commit.
  return error !== undefined && error.severity === 'ERROR' && error.code !== '40003' && error.code !== '57014';
}

function isSocketError(thrown: unknown): boolean {
  return (typeof thrown === 'object' && thrown !== null && 'syscall' in thrown) || lostMessages.test(messageOf(thrown));
}

function messageOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : String(thrown);
}

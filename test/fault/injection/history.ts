/** The history of the clients on disk: a line before each request and after each answer. The checker reads nothing else. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Format } from '../../resources/operations.ts';
import type { Body, UsedKey } from './request.ts';

export interface Sent extends UsedKey {
  readonly what: 'sent';
  readonly number: number;
  readonly body: Body;
  readonly format: Format;
  /** The index of the server. */
  readonly server: number;
  /** Sent after the faults were over. */
  readonly last?: true;
}

export interface Answered {
  readonly what: 'answered';
  readonly number: number;
  readonly status: number;
  /** The error code of a refusal. */
  readonly code?: string | undefined;
  /** The answer allows the client to send the same request again. */
  readonly transient: boolean;
  readonly replayed: boolean;
  readonly pspReference?: string | undefined;
  /** The Idempotency-Key of the answer. */
  readonly echoedKey?: string | undefined;
  /** The answer in canonical form, as JSON; absent for a refusal. */
  readonly canonical?: string | undefined;
}

/** The connection broke, or the client timed out. */
export interface Unanswered {
  readonly what: 'unanswered';
  readonly number: number;
  readonly reason: string;
}

export type HistoryEntry = Sent | Answered | Unanswered;

export interface History {
  readonly path: string;
  write(entry: HistoryEntry): void;
  close(): void;
}

export function openHistory(path: string): History {
  const file = openSync(path, 'wx', 0o600);
  return {
    path,
    write: (entry) => {
      writeSync(file, `${JSON.stringify(entry)}\n`);
    },
    close: () => closeSync(file),
  };
}

export function readHistory(path: string): readonly HistoryEntry[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HistoryEntry);
}

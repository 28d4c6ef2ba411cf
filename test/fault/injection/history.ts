/** The clients' ledger on disk: a line before each sending and after each answer; the judge believes nothing else. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Protocol } from '../../../src/formats/protocol.ts';
import type { Body, Used } from './request.ts';

export interface Sent extends Used {
  readonly what: 'sent';
  readonly id: number;
  readonly body: Body;
  readonly protocol: Protocol['name'];
  /** The place in the fleet. */
  readonly place: number;
  /** Once the faults are over. */
  readonly last?: true;
}

export interface Answered {
  readonly what: 'answered';
  readonly id: number;
  readonly status: number;
  /** Of a refusal: the error code. */
  readonly code?: string | undefined;
  /** The answer says that the same request may be sent again. */
  readonly transient: boolean;
  readonly replayed: boolean;
  readonly pspReference?: string | undefined;
  /** The key that the answer repeats. */
  readonly echoed?: string | undefined;
  /** The answer in canonical form, as JSON; absent for a refusal. */
  readonly canonical?: string | undefined;
}

/** No answer came: the connection broke, or the client did not wait any longer. */
export interface Unanswered {
  readonly what: 'unanswered';
  readonly id: number;
  readonly reason: string;
}

export type Entry = Sent | Answered | Unanswered;

export interface Ledger {
  readonly path: string;
  write(entry: Entry): void;
  close(): void;
}

export const openLedger = (path: string): Ledger => {
  const file = openSync(path, 'wx', 0o600);
  return {
    path,
    write: (entry) => {
      writeSync(file, `${JSON.stringify(entry)}\n`);
    },
    close: () => closeSync(file),
  };
};

export const readLedger = (path: string): readonly Entry[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);

/** An attempt: one request as a client sent it, known wherever it is worked on. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer } from '../../src/gateway/answer.ts';
import type { Body, Spoken } from './request-body.ts';

export interface Attempt {
  readonly number: number;
  readonly client: string;
  readonly key: string;
  readonly body: Body;
  readonly protocol: Spoken;
  /** The reference that the gateway gave this very request. */
  psp?: string;
  /** Something failed on its way that was made to fail. */
  hurt: boolean;
  /** Its commit was made to end in the unknown. */
  unknown: boolean;
  /** The updater was asked, and nothing was heard of it. */
  untold?: boolean;
  /** Undefined where none came: the client's journal. */
  answer?: Answer;
}

/** Whose work is being done. */
export const attempts = new AsyncLocalStorage<Attempt>();

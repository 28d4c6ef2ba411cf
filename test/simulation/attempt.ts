/** An attempt: one request as a client sent it, available wherever it is processed. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer } from '../../src/core/gateway/answer.ts';
import type { Format } from '../resources/operations.ts';
import type { SimulatedRequest } from './request.ts';

export interface Attempt {
  readonly number: number;
  readonly client: string;
  readonly key: string;
  readonly request: SimulatedRequest;
  readonly format: Format;
  /** Virtual milliseconds. */
  sentAt: number;
  /** The reference that the gateway gave this attempt. */
  pspReference?: string;
  /** A fault was injected on its way. */
  disturbed: boolean;
  /** Its commit was made to end with an unknown result. */
  commitUnknown: boolean;
  /** The updater was asked and did not answer. */
  updaterFailed?: boolean;
  /** Undefined where no answer arrived. */
  answer?: Answer;
}

export function newAttempt(parts: Pick<Attempt, 'number' | 'client' | 'key' | 'request' | 'format'>): Attempt {
  return { ...parts, sentAt: 0, disturbed: false, commitUnknown: false };
}

export function describeAttempt({ number, client, key, request, format }: Attempt): string {
  return `#${number} of ${client} (${key}: ${request.text}, ${format})`;
}

/** The attempt that the running code works for. */
export const currentAttempt = new AsyncLocalStorage<Attempt>();

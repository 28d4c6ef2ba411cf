/** What a request to an upstream ended with, as an answer that can be compared with that of another server. */

import { Problem } from '../core/contract/index.ts';
import { isRefusal } from '../core/idempotency/index.ts';
import type { ComparedAnswer } from './compare/compare-answers.ts';
import { failureIn } from './failure.ts';

/** Why there is no answer. */
export interface NoAnswer {
  /** A word for metrics. */
  readonly reason: string;
  readonly failure: string;
  /** Whether the server may have received the request and had its effect. */
  readonly mayHaveEffect: boolean;
}

/** Returns a refusal as an answer. What is no answer of the contract is a difference, and the lack of an answer is not. */
export function answerOfThrown(thrown: unknown): ComparedAnswer | NoAnswer {
  if (thrown instanceof Problem && isRefusal(thrown) && thrown.kind.transient !== true)
    return { refusal: { code: thrown.code, message: thrown.message } };
  const cause = failureIn(thrown);
  if (cause?.reason === 'contract')
    return { refusal: { code: `as no answer of the contract: ${cause.detail}`, message: '' } };
  return {
    reason: cause?.reason ?? 'other',
    mayHaveEffect: cause === undefined ? !isRefusal(thrown) : cause.progress === 'unknown',
    failure: cause?.message ?? (thrown instanceof Error ? thrown.message : String(thrown)),
  };
}

/** Advances the time of jobs without waiting. */
import { statement } from '../../src/stores/sql/engine.ts';

/** Moves the due time of every job back by the given milliseconds. */
export const passTime = statement('test-pass', 'update job set due_at = due_at - $1');

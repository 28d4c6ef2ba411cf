/** Advances the time of jobs without waiting. */
import { statement } from '../../src/store/sql/engine.ts';

/** As if so many milliseconds had gone by for every job that is due some time. */
export const passTime = statement('test-pass', 'update job set due_at = due_at - $1');

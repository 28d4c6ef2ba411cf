/** Runs an action of a view, and holds what it answered or why it was refused. */
import { useState } from 'preact/hooks';
import { type ApiError, toApiError } from './api.ts';

export interface Action {
  readonly isRunning: boolean;
  readonly error: ApiError | undefined;
  /** What the last action has done. */
  readonly done: string | undefined;
  /** `work` returns what was done, in a sentence. */
  run(work: () => Promise<string>): void;
}

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run'>>({ isRunning: false, error: undefined, done: undefined });
  const run = (work: () => Promise<string>): void => {
    setState({ isRunning: true, error: undefined, done: undefined });
    work().then(
      (done) => setState({ isRunning: false, error: undefined, done }),
      (thrown: unknown) => {
        const error = toApiError(thrown);
        setState({ isRunning: false, error, done: undefined });
      },
    );
  };
  return { ...state, run };
}

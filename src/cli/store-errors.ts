/** Adds to an error of the store what a command has done so far, and how to go on. */
import { CommitUnknown, StoreUnavailable } from '../store/errors.ts';
import { CommandError, explain } from './command-error.ts';

/** Runs `work`. Throws its errors; those of a store that does not answer become a CommandError that ends with `next`. */
export async function explainStoreErrors<T>(work: () => Promise<T>, next: () => readonly string[]): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable || thrown instanceof CommitUnknown)
      throw new CommandError([...explain(thrown), ...next()]);
    throw thrown;
  }
}

/** Says what to do after a command of one step has failed. */
export function nextAfterOneStep(place: string): readonly string[] {
  return [
    `The store is ${place}. The last step was stored whole or not at all.`,
    'Look whether it was stored before you run the command again.',
  ];
}

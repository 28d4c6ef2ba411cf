/** Waits for the end of the current turn of the event loop. */

let ending: Promise<void> | undefined;

/** Resolves after all input of this turn has been handled. All callers in one turn share the promise. */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}

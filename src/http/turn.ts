/** The end of a turn of the event loop, for what is cheaper done together. */

let ending: Promise<void> | undefined;

/** Resolves when all that arrived in this turn has been looked at; everyone in the turn shares the promise. */
export const endOfTurn = (): Promise<void> => {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
};

/** Digits by chance that can be had again: `SEED=n` repeats a run, which prints its own. */

export const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);

process.stderr.write(`SEED=${seed}\n`);

/** A linear congruential generator of 64 bits, of which the upper ones are taken. */
export const digitsFrom = (start: number): ((count: number) => string) => {
  let state = BigInt(start);
  return (count) => {
    let text = '';
    while (text.length < count) {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
      text += String(Number(state >> 33n) % 10);
    }
    return text;
  };
};

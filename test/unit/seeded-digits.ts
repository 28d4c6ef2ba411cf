/** Reproducible random digits: a run prints its seed, and `SEED=n` repeats it. */

export const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);

process.stderr.write(`SEED=${seed}\n`);

/** Mulberry32: a generator with a state of 32 bits. */
export const digitsFrom = (start: number): ((count: number) => string) => {
  let state = start >>> 0;
  return (count) => {
    let text = '';
    while (text.length < count) {
      state = (state + 0x6d2b79f5) >>> 0;
      let stirred = Math.imul(state ^ (state >>> 15), state | 1);
      stirred ^= stirred + Math.imul(stirred ^ (stirred >>> 7), stirred | 61);
      text += Math.floor((((stirred ^ (stirred >>> 14)) >>> 0) / 2 ** 32) * 10);
    }
    return text;
  };
};

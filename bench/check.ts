/** Checks before a measurement: every server and format gives the same complete answer. */
import type { Dataset } from './datasets.ts';
import { ask, reference, type Target } from './targets.ts';

/** The shoppers to compare: the first, the last and some between. */
const sample = (shoppers: number): readonly number[] =>
  [1, 2, 0.25, 0.5, 0.75, 1].map((part, index) =>
    index < 2 ? Math.min(part, shoppers) : Math.max(1, Math.floor(part * shoppers)),
  );

/** Throws unless the target answers so many details for every sampled shopper, equal to those of `oracle`. */
export const checkAnswers = async (
  target: Target,
  oracle: Target,
  { shoppers, details: expected }: Pick<Dataset, 'shoppers' | 'details'>,
): Promise<void> => {
  for (const number of sample(shoppers)) {
    const shopper = reference(number);
    const answer = target.read(await ask(target, shopper));
    const wanted = oracle.read(await ask(oracle, shopper));
    if (answer !== wanted) throw new Error(`${target.name} answers differently for ${shopper}:\n${answer}\n${wanted}`);
    const { details } = JSON.parse(answer) as { readonly details?: readonly object[] };
    if (details?.length !== expected) throw new Error(`${target.name}: ${shopper} has ${details?.length} details`);
  }
};

/** Ids that count up. Each pspReference is also noted in the attempt that it was made for. */
import type { IdGenerator } from '../../src/core/lib/clock-and-ids.ts';
import { currentAttempt } from './attempt.ts';

export function createSequentialIds(): IdGenerator {
  let count = 0;
  const next = (start: string) => start + String(++count).padStart(16 - start.length, '0');
  return {
    requestReference() {
      const pspReference = next('PSP');
      const attempt = currentAttempt.getStore();
      if (attempt !== undefined) attempt.pspReference = pspReference;
      return pspReference;
    },
    reference: () => next('DETAIL'),
    prefixedId: (kind) => kind + String(++count).padStart(23, '0'),
    randomDigits: (length) => String(++count).padStart(length, '0'),
  };
}

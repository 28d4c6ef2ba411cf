/** References that count, and tell the attempt at work which one is its own. */
import type { IdGenerator } from '../../src/lib/clock-and-ids.ts';
import { attempts } from './attempt.ts';

export const countedReferences = (): IdGenerator => {
  let count = 0;
  const reference = (start: string) => start + String(++count).padStart(16 - start.length, '0');
  return {
    pspReference() {
      const psp = reference('PSP');
      const attempt = attempts.getStore();
      if (attempt !== undefined) attempt.psp = psp;
      return psp;
    },
    recurringDetailReference: () => reference('DETAIL'),
    resourceId: (kind) => kind + String(++count).padStart(23, '0'),
    randomDigits: (length) => String(++count).padStart(length, '0'),
  };
};

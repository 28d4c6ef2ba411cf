/** An updater outside, as a process reaches it: it tells of the closed card, and each question arrives by its name. */
import type { AccountUpdateOutcome, Updater } from '../../src/services/recurring/account-updater/updater.ts';
import { type Attempt, attempts } from './attempt.ts';
import { closedCard } from './environment.ts';
import type { Port } from './port.ts';

/** What the real one waits for at most. */
const limitMs = 1_500;

export interface Question {
  readonly attempt: Attempt | undefined;
  readonly id: string;
  readonly fingerprint: string;
}

export const simUpdater = (port: Port, arrived: (question: Question) => void): Updater => ({
  kind: 'asked',
  ask: (card, id) => {
    const attempt = attempts.getStore();
    return port.call<AccountUpdateOutcome>({
      point: 'updater',
      kind: 'updater',
      limitMs,
      apply: () => {
        arrived({ attempt, id, fingerprint: card.fingerprint });
        return { kind: card.number() === closedCard ? 'closed' : 'unchanged' };
      },
      fail: () => {
        if (attempt !== undefined) attempt.untold = true;
        return { kind: 'pending' };
      },
    });
  },
});
